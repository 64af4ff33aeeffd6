"""Every fault of a model server ends in a reply or in one clear error, and costs one turn at most.

All faults are met at once, each in a thread of its own; then each thread goes on.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

import pytest
import pytest_asyncio
from langchain_core.runnables import RunnableConfig

from app.model_server.server import ModelServer
from app.model_server.steps import Step, call, text, tool_calls
from graph.environment import read_settings
from graph.guarded import GuardedGraph
from graph.resources import open_graph
from nodes.asking import ModelError
from tests.integration.doors import user
from tests.integration.faulty import FAULTS, KEY, RETRIES, Fault
from tests.integration.server.book import Book, said
from tests.integration.server.served import fresh_database

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    # What the client says of an answer of the wrong shape, before it fails on it.
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
]

PATIENCE = {"faults": 30.0, "stalls": 1.0}
"""Seconds without a byte, by kind of fault."""

Place = Literal["first", "after a tool"]
Spare = Literal["alone", "with a spare"]


@dataclass
class Outcome:
    """What became of a thread that met a fault."""

    error: ModelError | None = None
    messages: list[Any] = field(default_factory=list)
    """After the fault."""
    asked: list[str] = field(default_factory=list)
    """The models asked in that turn."""
    planned: int = 0
    """How often a model should have been asked."""
    problems: list[str] = field(default_factory=list)
    """What a strict provider would have refused, and what was asked once too often."""
    later: list[Any] = field(default_factory=list)
    """The messages after one more turn."""
    usage: dict[str, Any] = field(default_factory=dict)


Key = tuple[str, Place, Spare]
Outcomes = dict[Key, Outcome | BaseException]


class Trial:
    """One graph whose model server follows a book."""

    def __init__(self, graph: GuardedGraph, model: ModelServer, book: Book) -> None:
        self.graph = graph
        self.model = model
        self.book = book

    async def meet(self, fault: Fault, place: Place, spare: Spare) -> Outcome:
        thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}
        words = f"Where is LH20481137? ({uuid4()})"
        # A request that is too long is asked once more, shorter.
        times = fault.asked * (2 if fault.cause.endswith("context") and spare == "alone" else 1)
        steps: list[Step] = [fault.step() for _ in range(times)]
        if place == "after a tool":
            steps.insert(0, tool_calls(call("look_up_parcel", {"number": "LH20481137"})))
        if spare == "with a spare" and not fault.heard:
            steps.append(text("From the spare."))
        self.book.write(words, *steps)
        outcome = Outcome()
        try:
            await self.graph.ainvoke(user(words), thread)
        except ModelError as error:
            outcome.error = error
        outcome.messages = await self._messages(thread)
        outcome.asked = [r.chat.model for r in self.model.requests if said(r.chat) == words]
        outcome.planned = len(steps)
        outcome.usage = (await self.graph.aget_state(thread)).values.get("usage", {})
        await self.graph.ainvoke(user(f"And now? ({uuid4()})"), thread)
        outcome.later = await self._messages(thread)
        outcome.problems = [p for p in self.model.problems if words in p]
        return outcome

    async def _messages(self, thread: RunnableConfig) -> list[Any]:
        return list((await self.graph.aget_state(thread)).values["messages"])


@asynccontextmanager
async def trial(database: str, spare: Spare, patience: float) -> AsyncIterator[Trial]:
    """The shipped graph; its server refuses what a strict provider refuses."""
    book = Book()
    model = ModelServer(book)
    model.start()
    try:
        settings = read_settings(
            _env_file=None,
            OPENAI_BASE_URL=model.base_url,
            OPENAI_API_KEY=KEY,
            database=database,
            model="main",
            fallback_model="spare" if spare == "with a spare" else None,
            request_timeout=patience,
            turn_timeout=60,
            retries=RETRIES,
        )
        async with open_graph(settings) as opened:
            yield Trial(opened.graph, model, book)
    finally:
        model.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def outcomes(postgres_server: str) -> Outcomes:
    """Every fault at every place, with and without a spare model."""
    found: Outcomes = {}
    spares: tuple[Spare, ...] = ("alone", "with a spare")
    places: tuple[Place, ...] = ("first", "after a tool")
    with fresh_database(postgres_server) as database:
        for spare in spares:
            for kind, patience in PATIENCE.items():
                names = [name for name, fault in FAULTS.items() if fault.kind == kind]
                keys: list[Key] = [(name, place, spare) for name in names for place in places]
                async with trial(database, spare, patience) as made:
                    meetings = (made.meet(FAULTS[n], p, s) for n, p, s in keys)
                    met = await asyncio.gather(*meetings, return_exceptions=True)
                found |= dict(zip(keys, met, strict=True))
    return found


every_fault = pytest.mark.parametrize("name", FAULTS)
every_place = pytest.mark.parametrize("place", ["first", "after a tool"])
BEFORE = {"first": ["human"], "after a tool": ["human", "ai", "tool"]}


def outcome_of(outcomes: Outcomes, name: str, place: Place, spare: Spare) -> Outcome:
    outcome = outcomes[name, place, spare]
    if isinstance(outcome, BaseException):
        raise outcome
    assert (len(outcome.asked), outcome.problems) == (outcome.planned, [])
    return outcome


def check_failed(outcome: Outcome, fault: Fault, place: Place) -> None:
    text = str(outcome.error)
    assert text.startswith("model 'main' at http://127.0.0.1:")
    assert fault.cause in text
    assert text.endswith(", after part of the reply") is fault.heard
    assert KEY not in text
    assert [m.type for m in outcome.messages] == BEFORE[place]


def check_went_on(outcome: Outcome) -> None:
    new = outcome.later[len(outcome.messages) :]
    assert outcome.later[: len(outcome.messages)] == outcome.messages
    assert [m.type for m in new] == ["human", "ai"]
    assert "And now?" in new[1].text


@every_place
@every_fault
async def test_alone(outcomes: Outcomes, name: str, place: Place) -> None:
    outcome = outcome_of(outcomes, name, place, "alone")
    check_failed(outcome, FAULTS[name], place)
    check_went_on(outcome)


@every_place
@every_fault
async def test_with_a_spare(outcomes: Outcomes, name: str, place: Place) -> None:
    outcome = outcome_of(outcomes, name, place, "with a spare")
    if FAULTS[name].heard:
        check_failed(outcome, FAULTS[name], place)
        assert "spare" not in outcome.asked
    else:
        assert outcome.error is None
        assert [m.type for m in outcome.messages] == [*BEFORE[place], "ai"]
        assert outcome.messages[-1].text == "From the spare."
        assert outcome.asked[-1] == "spare"
        assert outcome.usage["spare"]["requests"] == 1
    check_went_on(outcome)
