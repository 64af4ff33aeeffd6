"""Random conversations: what people, models, processes and editors do to threads."""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar, get_args

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from langchain_core.messages import HumanMessage

from state.exchanges import group
from state.window import size
from tests.integration.machine.brain import POISON, ExtractMode, SummaryMode
from tests.integration.machine.truth import before_newest, spoken
from tests.integration.machine.world import SETTINGS, Doom, Head, World

T = TypeVar("T")

sizes = st.sampled_from([1, 1, 3, 10, 20, 40, 40, 80, 150, 400])
huge = st.sampled_from([1500, 1500, 1500, 15_000])
"""Up to ten times the budget."""
calls = st.lists(st.integers(1, 3), max_size=2)
numbers = st.integers(0, 30)
dooms = st.builds(Doom, st.integers(0, 45), st.booleans())
ways = st.sampled_from(["resume", "resend", "go on"])
modes = st.sampled_from(get_args(SummaryMode))
extracting = st.sampled_from(get_args(ExtractMode))


class Conversations(RuleBasedStateMachine):
    """Threads of one graph on two replicas. Every rule ends with the checks of `World`."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()
        self.world = World()
        self.poisoned = False

    def teardown(self) -> None:
        self.run(self.world.restart())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)

    def head(self, number: int) -> Head:
        heads = list(self.world.heads.values())
        return heads[number % len(heads)]

    def say(self, head: Head, *asked: HumanMessage, by: int = 0) -> bool:
        return self.run(self.world.turn(head, asked, base=head.truth, by=by))

    def known(self, head: Head) -> HumanMessage | None:
        """The newest user message of a branch, as its client would send it again."""
        humans = [record for record in head.truth if record.type == "human"]
        return HumanMessage(humans[-1].text, id=humans[-1].id) if humans else None

    @rule(words=sizes, rounds=calls, reply=sizes, to=numbers)
    def talk(self, words: int, rounds: list[int], reply: int, to: int) -> None:
        self.world.brain.rounds.extend(rounds)
        self.world.brain.reply_words = min(reply, 80)
        assert self.say(self.head(to), self.world.new_message(words), by=to)
        self.world.brain.rounds.clear()

    @rule(words=sizes, more=sizes, to=numbers)
    def send_two_at_once(self, words: int, more: int, to: int) -> None:
        two = [self.world.new_message(words), self.world.new_message(more)]
        assert self.say(self.head(to), *two, by=to)

    @rule(words=huge, to=numbers)
    def paste(self, words: int, to: int) -> None:
        assert self.say(self.head(to), self.world.new_message(words), by=to)

    @rule(words=sizes, to=numbers)
    def talk_while_the_model_is_down(self, words: int, to: int) -> None:
        self.world.brain.respond = "down"
        assert not self.say(self.head(to), self.world.new_message(words), by=to)
        self.world.brain.respond = "well"

    @rule(words=sizes, to=numbers)
    def talk_to_a_model_that_takes_half(self, words: int, to: int) -> None:
        self.world.brain.respond = "overflow"
        assert self.say(self.head(to), self.world.new_message(words), by=to)
        self.world.brain.respond = "well"

    @rule(words=sizes, to=numbers)
    def edit_the_newest_message(self, words: int, to: int) -> None:
        head = self.head(to)
        if (old := self.known(head)) is not None:
            new = self.world.new_message(words, id=str(old.id))
            base = before_newest(head.truth)
            assert self.run(self.world.turn(head, [new], base=base, by=to))

    @rule(to=numbers)
    def resend_the_newest_message(self, to: int) -> None:
        head = self.head(to)
        if (old := self.known(head)) is not None and not head.fork:
            base = before_newest(head.truth)
            assert self.run(self.world.turn(head, [old], base=base, by=to))

    @rule(to=numbers)
    def resume(self, to: int) -> None:
        head = self.head(to)
        if head.checkpoint is not None:
            base = spoken(self.run(self.world.branch(head, resumed=True)))
            assert self.run(self.world.turn(head, None, base=base, by=to))

    @rule(words=sizes, to=numbers)
    def stop_a_reply(self, words: int, to: int) -> None:
        self.run(self.world.stop(self.head(to), self.world.new_message(words), by=to))

    @rule(words=sizes, rounds=calls, doom=dooms, then=ways, to=numbers)
    def crash(self, words: int, rounds: list[int], doom: Doom, then: str, to: int) -> None:
        message = self.world.new_message(words)
        self.world.brain.rounds.extend(rounds)
        self.world.doom = doom
        self.say(self.head(to), message, by=to)
        head = self.head(to)
        if then == "resume":
            self.resume(to)
        elif then == "resend":
            there = any(record.id == message.id for record in head.truth)
            base = before_newest(head.truth) if there else head.truth
            assert self.run(self.world.turn(head, [message], base=base, by=to))
        self.world.brain.rounds.clear()

    @rule(to=numbers, back=st.integers(0, 60))
    def fork(self, to: int, back: int) -> None:
        self.run(self._fork(self.head(to).thread, back))

    async def _fork(self, thread: str, back: int) -> None:
        listed = self.world.saver.listed(thread)
        if not listed:
            return
        chosen = listed[min(back, len(listed) - 1)]
        head = Head(thread=thread, checkpoint=chosen, fork=chosen != listed[0])
        said = spoken(await self.world.branch(head))
        self.world.heads[thread] = replace(head, truth=tuple(said))

    @precondition(lambda self: len(self.world.heads) < 4)
    @rule(to=numbers)
    def copy(self, to: int) -> None:
        head = self.head(to)
        if head.checkpoint is not None:
            name = f"copy.{len(self.world.heads)}@{head.thread}"
            self.world.saver.copy_thread(head.thread, name)
            self.world.heads[name] = replace(head, thread=name)

    @rule(mode=modes)
    def change_the_summariser(self, mode: SummaryMode) -> None:
        self.world.brain.summary = mode
        self.run(self._release())

    async def _release(self) -> None:
        self.world.brain.gate.set()
        await self.world.settle()
        self.world.brain.gate = asyncio.Event()

    @rule(mode=extracting)
    def change_the_extractor(self, mode: ExtractMode) -> None:
        self.world.brain.extract = mode

    @rule()
    def a_slow_summariser_comes_to_its_end(self) -> None:
        self.run(self._release())

    @rule()
    def the_processes_are_killed(self) -> None:
        self.run(self.world.restart())

    @rule(seconds=st.sampled_from([6, 31, 700]))
    def time_passes(self, seconds: int) -> None:
        self.world.now += timedelta(seconds=seconds)

    @precondition(lambda self: not self.poisoned)
    @rule(to=numbers)
    def say_what_no_summariser_will_read(self, to: int) -> None:
        self.poisoned = True
        assert self.say(self.head(to), self.world.new_message(5, extra=POISON), by=to)

    @rule(to=numbers)
    def all_is_well_again(self, to: int) -> None:
        """The window returns to its marks."""
        self.change_the_summariser("good")
        self.change_the_extractor("good")
        self.time_passes(700)
        for _ in range(60 if self.poisoned else 6):
            assert self.say(self.head(to), self.world.new_message(1), by=to)
            self.time_passes(700)
            state = self.run(self.world.state(self.head(to)))
            window = group(state["messages"])
            if size(window, SETTINGS.marks.high) <= SETTINGS.marks.high.amount:
                return
        raise AssertionError("the window does not return to its marks")
