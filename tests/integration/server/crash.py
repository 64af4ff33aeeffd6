"""Threads brought to each step of a turn, a server that dies there, and how each thread goes on."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, assert_never, get_args
from uuid import uuid4

from langgraph_sdk.client import LangGraphClient

from app.model_server.steps import Held, call, hold, text, tool_calls
from tests.integration.server.book import user_words
from tests.integration.server.dev_server import SLOW, DevServer
from tests.integration.server.served import Served
from tests.integration.server.talk import Talk, connected, user

Life = Literal["forgotten", "saved", "edited"]
"""How a server ends. `forgotten`: its worker is killed, and its own file of threads and runs is
gone. `saved`: it is killed after that file was written, which happens every ten seconds.
`edited`: a source file changes, and it reloads in the middle of all turns."""

Step = Literal["queued", "asked", "midstream", "tool", "result", "answered"]
"""Where a turn is when the server dies: behind another turn, its request sent, its reply half
streamed, one of two tools done, the tool's result with the model, its reply stored."""

Way = Literal["resume", "say", "resend"]
"""How a client goes on: it asks for the missing reply, it says something else at once, or it sends
its last message once more, with the same id, for it cannot know whether that arrived."""

REPLY = "Here you are."
CALLING = "Let me see."
DONE, WAITING = "done", "waiting"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One thread: where it is when the server dies, and how its client goes on."""

    step: Step
    way: Way
    id: str = field(default_factory=lambda: str(uuid4()))

    def words(self, which: str) -> str:
        return f"{which} ({self.id})"

    def item(self, name: str) -> str:
        return f"{name}-{self.id}"

    def talk(self, client: LangGraphClient) -> Talk:
        return Talk(client=client, graph=SLOW, id=self.id)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a thread."""

    words: list[str]
    """All that it holds in the end."""
    sent: list[str]
    """The user's words in the last request."""
    fetched: dict[str, int]
    """How often each tool call ran."""


def all_cases() -> list[Case]:
    return [Case(step=step, way=way) for step in get_args(Step) for way in get_args(Way)]


def survive(running: Served, life: Life) -> list[tuple[Case, Outcome]]:
    """Bring threads to their steps, let the server die and come back, and go on with each."""
    cases = all_cases()
    asyncio.run(_bring_all(running, cases))
    die(running.dev, life)
    for case in cases:
        (running.dev.desk / case.item(WAITING)).touch()
    return list(zip(cases, asyncio.run(_go_on_with_all(running, cases)), strict=True))


def die(dev: DevServer, life: Life) -> None:
    """End a server, and have it answer again."""
    match life:
        case "forgotten":
            dev.kill_worker()
            dev.forget()
            dev.edit_a_file()
        case "saved":
            dev.until_saved()
            dev.kill()
            dev.start()
        case "edited":
            dev.edit_a_file()
        case _:
            assert_never(life)


async def _bring_all(running: Served, cases: Sequence[Case]) -> None:
    async with connected(running.dev.url) as client:
        await asyncio.gather(*(_bring(case, case.talk(client), running) for case in cases))


async def _go_on_with_all(running: Served, cases: Sequence[Case]) -> list[Outcome]:
    async with connected(running.dev.url) as client:
        each = (_go_on(case, case.talk(client), running) for case in cases)
        return await asyncio.gather(*each)


async def _bring(case: Case, talk: Talk, running: Served) -> None:
    first = user(case.words("first"), id="first")
    held = _plan(case, running)
    if held is None:
        await talk.run(first)
        return
    await talk.begin(first)
    await held.reached.wait_async(within=60)
    if case.step == "tool":
        held.release()
        await asyncio.to_thread(running.until_called, case.item(WAITING))
        await asyncio.to_thread(running.until_stored, talk.id, case.item(DONE))
    if case.step == "queued":
        second = user(case.words("second"), id="second")
        await talk.begin(second, multitask_strategy="enqueue")


def _plan(case: Case, running: Served) -> Held | None:
    """Write down what the model says, and return the step that holds the turn."""
    (running.dev.desk / case.item(DONE)).touch()
    done, waiting = (call("fetch", {"item": case.item(i)}, id=i) for i in (DONE, WAITING))
    first = case.words("first")
    match case.step:
        case "answered":
            running.book.write(first, text(REPLY))
            return None
        case "tool":
            held = hold(tool_calls(done, waiting, content=CALLING))
            running.book.write(first, held, text(REPLY))
        case "result":
            held = hold(text(REPLY))
            running.book.write(first, tool_calls(done, content=CALLING), held, text(REPLY))
        case _:
            held = hold(text(REPLY), after_chunks=1 if case.step == "midstream" else 0)
            running.book.write(first, held, text(REPLY))
    return held


async def _go_on(case: Case, talk: Talk, running: Served) -> Outcome:
    await talk.open()
    match case.way:
        case "resume":
            await talk.run(None)
        case "say":
            await talk.say(case.words("other"))
        case "resend" if case.step == "queued":
            await talk.run(None)
            await talk.run(user(case.words("second"), id="second"))
        case "resend":
            await talk.run(user(case.words("first"), id="first"))
    words = await talk.say(case.words("next"))
    [request] = running.requests(case.words("next"))
    return Outcome(
        words=words,
        sent=user_words(request.chat),
        fetched={i: running.calls_of(case.item(i)) for i in (DONE, WAITING)},
    )
