"""A process that dies before any one of a turn's writes: the next one goes on as if it had not."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from app.model_server.chat import ChatRequest
from app.model_server.server import ModelServer
from app.model_server.steps import Step, call, text, tool_calls
from graph.build import Parts, build_graph
from graph.environment import read_settings
from graph.guarded import GuardedGraph
from graph.models import Models
from state.session import SessionInput

FIRST = SessionInput(messages=[HumanMessage("Fetch both.", id="first")])
NEXT = SessionInput(messages=[HumanMessage("And now?", id="next")])
TURN = ["Fetch both.", "Let me see.", "here is a", "here is b", "Here you are."]
AFTER = ["And now?", "Nothing."]
CONFIG: RunnableConfig = {"configurable": {"thread_id": "thread"}}


OPENED: list[Models] = []
"""The models of the processes of one test."""


class Died(BaseException):
    """The process is gone."""


class DyingSaver(InMemorySaver):
    """A saver whose process dies after some writes."""

    writes_left = 10_000

    async def aput(self, *args: Any, **options: Any) -> RunnableConfig:
        self._count()
        return await super().aput(*args, **options)

    async def aput_writes(self, *args: Any, **options: Any) -> None:
        self._count()
        await super().aput_writes(*args, **options)

    def _count(self) -> None:
        if self.writes_left == 0:
            raise Died
        self.writes_left -= 1


class SlowSaver(InMemorySaver):
    """A saver whose disk is slower than all that a turn does."""

    async def aput(self, *args: Any, **options: Any) -> RunnableConfig:
        await asyncio.sleep(0.1)
        return await super().aput(*args, **options)

    def holds(self, words: str) -> bool:
        """Whether the newest checkpoint has them."""
        newest = self.get_tuple(CONFIG)
        return newest is not None and words in str(newest.checkpoint["channel_values"])


@dataclass(frozen=True, kw_only=True)
class Restarted:
    """A graph on what a process left that died in its first turn."""

    graph: GuardedGraph
    left: Sequence[AnyMessage]
    """The state's messages as the process left them."""
    fetched: list[str]
    """Which tools ran, then and since."""

    async def words(self) -> list[str]:
        return [m.text for m in (await self.graph.aget_state(CONFIG)).values["messages"]]

    def assert_no_finished_tool_ran_again(self) -> None:
        done = [str(m.tool_call_id) for m in self.left if isinstance(m, ToolMessage)]
        assert [self.fetched.count(item) for item in done] == [1] * len(done)


def answer(request: ChatRequest) -> Step:
    newest = request.messages[-1]
    if newest["role"] == "tool":
        return text("Here you are.")
    if str(newest["content"]).startswith("Fetch both."):
        calls = [call("fetch", {"item": item}, id=item) for item in ("a", "b")]
        return tool_calls(*calls, content="Let me see.")
    return text("Nothing.")


@pytest.fixture(autouse=True)
async def _closed() -> AsyncIterator[None]:
    """A dead process closes its connections; here they are the test's."""
    yield
    while OPENED:
        await OPENED.pop().close()


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(answer) as server:
        yield server


def opened(
    model: ModelServer,
    saver: InMemorySaver,
    store: InMemoryStore,
    ran: list[str],
    on_fetch: Callable[[], None] = lambda: None,
) -> GuardedGraph:
    """The graph, with a tool that notes its calls."""

    @tool
    async def fetch(item: str) -> str:
        """Fetch an item."""
        on_fetch()
        ran.append(item)
        return f"here is {item}"

    settings = read_settings(openai_base_url=model.base_url)

    async def endpoint() -> str:
        return model.base_url

    models = Models(settings=lambda: settings, endpoint=endpoint, tools=[fetch])
    OPENED.append(models)
    parts = Parts(settings=lambda: settings, models=models)
    return build_graph(parts, checkpointer=saver, store=store)


async def dead_after(model: ModelServer, writes: int) -> Restarted | None:
    """What is left of a turn whose process died after some writes; None if it came to its end."""
    saver, store, ran = DyingSaver(), InMemoryStore(), list[str]()
    saver.writes_left = writes
    try:
        await opened(model, saver, store, ran).ainvoke(FIRST, CONFIG)
    except Died:
        saver.writes_left = DyingSaver.writes_left
    else:
        return None
    graph = opened(model, saver, store, ran)
    state = await graph.aget_state(CONFIG)
    left = state.values.get("messages", [])
    return Restarted(graph=graph, left=left, fetched=ran)


async def deaths(model: ModelServer) -> list[Restarted]:
    """A death before each write of the turn."""
    found: list[Restarted] = []
    while (died := await dead_after(model, len(found))) is not None:
        found.append(died)
    assert len(found) > 10
    return found


async def test_the_turn_is_resumed(model: ModelServer) -> None:
    for died in (await deaths(model))[1:]:
        await died.graph.ainvoke(None, CONFIG)
        assert await died.words() == TURN
        died.assert_no_finished_tool_ran_again()
        await died.graph.ainvoke(NEXT, CONFIG)
        assert await died.words() == TURN + AFTER


async def test_the_message_is_sent_again(model: ModelServer) -> None:
    for died in await deaths(model):
        await died.graph.ainvoke(FIRST, CONFIG)
        assert await died.words() == TURN
        died.assert_no_finished_tool_ran_again()


async def test_another_message_is_sent(model: ModelServer) -> None:
    for died in (await deaths(model))[1:]:
        values = await died.graph.ainvoke(NEXT, CONFIG)
        said = [m.text for m in values["messages"] if isinstance(m, HumanMessage)]
        assert said == ["Fetch both.", "And now?"]
        died.assert_no_finished_tool_ran_again()


async def test_neither_model_nor_tool_is_ahead_of_the_disk() -> None:
    saver, held = SlowSaver(), dict[str, bool]()

    def asked(request: ChatRequest) -> Step:
        held.setdefault("the message, before the model", saver.holds("Fetch both."))
        return answer(request)

    def fetched() -> None:
        held.setdefault("the call, before the tool", saver.holds("Let me see."))

    with ModelServer(asked) as server:
        await opened(server, saver, InMemoryStore(), [], fetched).ainvoke(FIRST, CONFIG)
        held["the reply, before the end"] = saver.holds("Here you are.")
    assert held == dict.fromkeys(held, True)
    assert len(held) == 3


async def test_a_message_that_the_disk_does_not_take_is_not_answered() -> None:
    saver = DyingSaver()
    saver.writes_left = 0
    with ModelServer(answer) as server, pytest.raises(Died):
        await opened(server, saver, InMemoryStore(), []).ainvoke(FIRST, CONFIG)
    assert not server.requests
