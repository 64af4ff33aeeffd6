"""One machine's world: a graph in two replicas, its storage, its models and what was said."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, pairwise
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.graph import START

from graph.build import Parts, build_graph
from graph.guarded import GuardedGraph
from graph.settings import Settings
from nodes.asking import ModelError
from state.exchanges import Exchange, group
from state.messages import merge_messages
from state.replies import stopped_reply
from state.session import SessionState
from state.summary import EMPTY
from tests.integration.machine import checks
from tests.integration.machine.brain import Brain, BrainModels
from tests.integration.machine.fragile import Crash, FragileSaver, FragileStore, Fuse
from tests.integration.machine.requests import Expected
from tests.integration.machine.truth import (
    Said,
    as_state,
    read_back,
    spoken,
    without_stopped,
)

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
SETTINGS = Settings(
    _env_file=None,
    OPENAI_BASE_URL="http://models.example/v1",
    database="postgresql://nowhere.example/none",
    container=True,  # so that there are no vectors: old turns are found by their words
    recall="always",
    recall_tokens=200,
    high_mark="300",
    low_mark="150",
    hard_limit="2100",
    reply_tokens=100,
    summary_tokens=80,
    facts_tokens=300,
    pins_tokens=60,
    summariser_tokens=1000,
    compaction_wait=0,
    tool_rounds=3,
    max_message_chars=1_000_000,
)

HURRIED = SETTINGS.model_copy(update={"extract_deadline": 0.02})
"""While the extractor is too slow: its deadline comes soon."""


@tool
def fetch(item: str) -> str:
    """Fetch an item."""
    return f"found {item} " + "it is here " * (len(item) * 5)


@dataclass(frozen=True, kw_only=True)
class Head:
    """A checkpoint to go on from, and all that was said up to it."""

    thread: str
    checkpoint: str | None
    truth: tuple[Said, ...] = ()
    fork: bool = False
    """Whether it is an earlier checkpoint than the newest."""

    @property
    def config(self) -> RunnableConfig:
        chosen: dict[str, Any] = {"thread_id": self.thread}
        if self.fork:
            chosen["checkpoint_id"] = self.checkpoint
        return {"configurable": chosen}


@dataclass(frozen=True)
class Doom:
    """A crash: after so many operations of saver and store, just before one or just after."""

    operations: int
    first_done: bool


@dataclass(kw_only=True)
class Replica:
    """One process."""

    parts: Parts
    graph: GuardedGraph


@dataclass
class World:
    """Everything that there is."""

    now: datetime = NOON
    fuse: Fuse = field(default_factory=Fuse)
    brain: Brain = field(default_factory=Brain)
    heads: dict[str, Head] = field(default_factory=dict)
    """The newest of each thread."""
    stopped: dict[str, AIMessage] = field(default_factory=dict)
    """What was read of a reply that was stopped, by the message that it answered."""
    doom: Doom | None = None
    """The crash of the next turn."""
    crashes: int = 0
    _codes: int = 0

    def __post_init__(self) -> None:
        self.saver = FragileSaver(self.fuse)
        self.store = FragileStore(self.fuse)
        self.replicas = [self._replica(), self._replica()]
        self.heads["t"] = Head(thread="t", checkpoint=None)

    def _replica(self) -> Replica:
        models = BrainModels(
            settings=self.settings, endpoint=_nowhere, tools=[fetch], brain=self.brain
        )
        parts = Parts(settings=self.settings, models=models, clock=self.clock)
        graph = build_graph(parts, checkpointer=self.saver, store=self.store)
        return Replica(parts=parts, graph=graph)

    def settings(self) -> Settings:
        return HURRIED if self.brain.extract == "slow" else SETTINGS

    def clock(self) -> datetime:
        return self.now

    def new_message(self, words: int, *, extra: str = "", id: str | None = None) -> HumanMessage:
        """A message of so many words; no other begins with its code."""
        self._codes += 1
        code = f"K{self._codes:04d}"
        filler = " ".join("note" if i % 9 == 0 else "word" for i in range(words - 1))
        return HumanMessage(f"{code} {filler} {extra}".strip(), id=id or f"id-{code}")

    async def state(self, head: Head) -> SessionState:
        return as_state((await self.replicas[0].graph.aget_state(head.config)).values)

    async def branch(self, head: Head, *, resumed: bool = False) -> list[AnyMessage]:
        """All that was said up to `head`, also what the graph has not taken in yet.

        Whoever goes on from an earlier checkpoint with other words takes the next ones back; with
        `resumed` they are kept.
        """
        snapshot = await self.replicas[0].graph.aget_state(head.config)
        state = as_state(snapshot.values)
        waiting: list[AnyMessage] = []
        if not head.fork:
            done = [t.result for t in snapshot.tasks if t.name == "respond" and t.result]
            waiting += [message for result in done for message in result["messages"]]
        if snapshot.next == (START,) and (resumed or not head.fork):
            saved = await self.saver.aget_tuple(snapshot.config)
            waiting += saved.checkpoint["channel_values"][START]["messages"]
        folded = await read_back(state, self.store, state.get("summary", EMPTY)["through"])
        return [*folded, *merge_messages(state.get("messages", []), waiting)]

    def latest(self, thread: str) -> Head:
        """The newest checkpoint of a thread, its truth not known yet."""
        listed = self.saver.listed(thread)
        return Head(thread=thread, checkpoint=listed[0] if listed else None)

    async def turn(
        self, head: Head, asked: Sequence[HumanMessage] | None, *, base: Sequence[Said], by: int
    ) -> bool:
        """A run on `head`, whose branch is `base` before what is `asked`; whether it succeeded."""
        self.now += timedelta(seconds=1)
        await self._expect(head, asked, base)
        self.brain.problems.clear()
        newest = self.latest(head.thread).checkpoint
        graph = self.replicas[by % 2].graph
        payload = None if asked is None else {"messages": list(asked)}
        if self.doom is not None:
            self.fuse.set(self.doom.operations, first_done=self.doom.first_done)
            self.doom = None
        try:
            async for _ in graph.astream(payload, head.config, stream_mode="updates"):
                pass
        except (ModelError, Crash):
            succeeded = False
        else:
            succeeded = True
        await self.after_run(head, asked, base=base, started=newest, succeeded=succeeded)
        return succeeded

    async def after_run(
        self,
        head: Head,
        asked: Sequence[HumanMessage] | None,
        *,
        base: Sequence[Said],
        started: str | None,
        succeeded: bool,
    ) -> None:
        """Starts again after a crash, lets the background finish, and checks what is stored."""
        if self.fuse.blown:
            await self.restart()
        self.fuse.mend()
        await self.settle()
        assert not self.brain.problems, self.brain.problems
        newest = self.latest(head.thread)
        if newest.checkpoint in {None, started}:
            return
        state = await self.state(newest)
        whole = await self.branch(newest)
        now = spoken(whole)
        if not succeeded and without_stopped(now) == without_stopped(head.truth):
            self.heads[head.thread] = replace(newest, truth=tuple(now))
            return
        checks.continues(now, base, spoken(asked or ()), self.brain, self.stopped)
        before = await self.state(head) if head.checkpoint or head.truth else SessionState()
        checks.step(before, state)
        checks.bounded(state, SETTINGS)
        if succeeded:
            checks.finished(state, now, spoken(await read_back(state, self.store, state["turn"])))
        checks.facts(state, group(whole))
        await self._check_folded(before, state)
        self.heads[head.thread] = replace(newest, truth=tuple(now))

    async def _check_folded(self, before: SessionState, after: SessionState) -> None:
        log = await self.store.asearch(("longhaul", "threads"), limit=1000)
        passed = {
            int(turn)
            for item in log
            for line in item.value.get("dropped", [])
            for turn in re.findall(r"^passed over: turn (\d+)$", line)
        }
        checks.was_read(before, after, self.brain, passed)

    async def _expect(
        self, head: Head, asked: Sequence[HumanMessage] | None, base: Sequence[Said]
    ) -> None:
        """Tells the models what a request has to look like."""
        whole = await self.branch(head, resumed=asked is None)
        if asked is not None:
            kept = {record.id for record in base}
            whole = [*(m for m in whole if str(m.id) in kept), *asked]
        if not any(isinstance(m, HumanMessage) for m in whole):
            return
        tools = self.replicas[0].parts.budget()
        room = tools.total - tools.reply - tools.tools
        expected = Expected([*self._branches(whole)], room)
        for message in expected.branches[0][-1].asked:
            self.brain.expected[message.text.split()[0]] = expected

    def _branches(self, whole: Sequence[AnyMessage]) -> Iterator[list[Exchange]]:
        """`whole` as it may be sent: with any of the stopped replies that could join it now."""
        known = {str(m.id) for m in whole}
        pairs = pairwise(whole)
        broken = [str(m.id) for m, after in pairs if m.type == after.type == "human"]
        parts = [self.stopped[own] for own in broken if own in self.stopped]
        fresh = [part for part in parts if str(part.id) not in known]
        for count in range(len(fresh) + 1):
            for joined in combinations(fresh, count):
                yield group(merge_messages([*whole], [*joined]))

    async def stop(self, head: Head, asked: HumanMessage, *, by: int) -> None:
        """A run that is cancelled in the middle of its reply."""
        await self._expect(head, [asked], head.truth)
        self.brain.problems.clear()
        self.brain.respond, self.brain.reached = "hold", asyncio.Event()
        newest = self.latest(head.thread).checkpoint
        graph = self.replicas[by % 2].graph
        running = asyncio.create_task(graph.ainvoke({"messages": [asked]}, head.config))
        waiting = asyncio.create_task(self.brain.reached.wait())
        await asyncio.wait([running, waiting], return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        running.cancel()
        await asyncio.gather(running, waiting, return_exceptions=True)
        self.brain.respond = "well"
        await self.after_run(head, [asked], base=head.truth, started=newest, succeeded=False)
        desk = await self.store.asearch(("longhaul", "threads"), limit=1000)
        for item in desk:
            if item.key == "stopped" and item.value["after"] == asked.id:
                part = stopped_reply(item.value["text"], id=item.value["id"], after=str(asked.id))
                self.stopped[str(asked.id)] = part

    async def settle(self) -> None:
        """Lets what runs behind the replies finish, unless it is held."""
        for replica in self.replicas:
            running = replica.parts.background._running
            if running:
                held = self.brain.summary == "slow" and not self.brain.gate.is_set()
                await asyncio.wait(set(running), timeout=0.05 if held else 10)

    async def restart(self) -> None:
        """Both processes die with all that they were doing, and start again."""
        self.crashes += 1
        for replica in self.replicas:
            await replica.parts.background.settled(0)
        self.fuse.mend()
        self.replicas = [self._replica(), self._replica()]


async def _nowhere() -> str:
    raise AssertionError("no server is asked for")
