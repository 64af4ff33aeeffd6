"""Corrections by hand against everything that is late: extraction, spilled facts, forks, clocks."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from app.api.views import state_of
from app.model_server import faults
from app.model_server.chat import ChatRequest
from app.model_server.steps import Step
from graph.correcting import Current, correct_fact, current, set_fact
from graph.resources import Opened
from memory.facts import read_log
from state.context import Context
from state.fact_ids import fact_id, id_of
from state.session import SessionInput
from tests.integration.scripted_talk import Plot, Talk, new_thread, open_talk

MINUTE = timedelta(minutes=1)


class Behind(Plot):
    """A plot whose extractor can be down."""

    down: bool = False

    def __call__(self, request: ChatRequest) -> Step:
        if request.schema_name == "Operations" and self.down:
            return faults.server_error()
        return super().__call__(request)


def told(kind: str, value: str, quote: str) -> dict[str, Any]:
    return {"kind": kind, "value": value, "quote": quote}


PLOT = {
    1: [told("must_not", "nuts", "Nuts make me ill")],
    2: [told("must_not", "nuts", "Nuts, really")],
    3: [told("budget", "fifty", "I can spend fifty")],
}
SAID = ("Nuts make me ill.", "Nuts, really.", "I can spend fifty.", "Well.", "Well then.")


@pytest.fixture
def plot() -> Behind:
    return Behind(facts={turn: [{**f, "turn": turn} for f in each] for turn, each in PLOT.items()})


@pytest.fixture
async def talk(tmp_path: Path, plot: Behind) -> AsyncIterator[Talk]:
    url = f"sqlite:///{tmp_path / 'by-hand.db'}"
    small = {"retries": 0, "facts_tokens": 50}
    async with open_talk(url, plot, settings=small) as opened:
        yield opened


async def now(talk: Talk, thread: str) -> tuple[Opened, Current]:
    opened = Opened(talk.graph, talk.database, talk.parts)
    state = await state_of(opened, thread)
    assert state is not None
    return opened, await current(opened, thread, state)


async def values(talk: Talk, thread: str) -> dict[str, list[str]]:
    facts = (await talk.state(thread))["facts"]
    return {kind: [fact["value"] for fact in each] for kind, each in facts.items()}


async def test_an_extraction_that_was_behind_does_not_bring_the_old_value_back(
    talk: Talk, plot: Behind
) -> None:
    thread = new_thread()
    await talk.say(SAID[0], thread, after=MINUTE)
    plot.down = True
    await talk.say(SAID[1], thread, after=MINUTE)
    opened, seen = await now(talk, thread)
    assert seen.state["extracted_through"] == 1
    await correct_fact(opened, seen, fact_id("must_not", "nuts"), "peanuts")
    plot.down = False
    for words in SAID[2:]:
        await talk.say(words, thread, after=MINUTE)
    assert await values(talk, thread) == {"budget": ["fifty"], "must_not": ["peanuts"]}
    events = [row["event"] for row in await read_log(talk.database.store, thread)]
    assert "corrected by hand" in events
    assert "conflict" in events, "what the late extraction said is in the log"


async def test_a_fork_from_before_a_correction_takes_it_over(talk: Talk) -> None:
    thread = new_thread()
    config: Any = {"configurable": {"thread_id": thread}}
    await talk.say(SAID[0], thread, after=MINUTE)
    before: Any = (await talk.graph.aget_state(config)).config
    await talk.say(SAID[1], thread, after=MINUTE)
    opened, seen = await now(talk, thread)
    await correct_fact(opened, seen, fact_id("must_not", "nuts"), "peanuts")
    await talk.say(SAID[3], thread, after=MINUTE)
    assert await values(talk, thread) == {"must_not": ["peanuts"]}

    other = SessionInput(messages=[HumanMessage("Another way.")])
    await talk.graph.ainvoke(other, before, context=Context())
    assert await values(talk, thread) == {"must_not": ["peanuts"]}


async def test_a_fact_without_room_in_the_state_is_corrected_where_it_is(talk: Talk) -> None:
    thread = new_thread()
    await talk.say(SAID[3], thread, after=MINUTE)
    opened, seen = await now(talk, thread)
    for n in range(6):
        await set_fact(opened, seen, "note", f"thing number {n} is a long thing to remember")
        await talk.say(SAID[3], thread, after=MINUTE)
        opened, seen = await now(talk, thread)
    gone = seen.spilled[0]
    assert await correct_fact(opened, seen, id_of(gone), "a thing that matters") is not None
    _, seen = await now(talk, thread)
    assert gone not in seen.spilled
    assert "a thing that matters" in [f["value"] for f in seen.state["facts"]["note"]]


async def test_the_clock_of_whoever_corrects_may_be_behind(talk: Talk) -> None:
    thread = new_thread()
    await talk.say(SAID[0], thread, after=MINUTE, user="ann")
    opened, seen = await now(talk, thread)
    talk.now[0] -= 10 * MINUTE
    await correct_fact(opened, seen, fact_id("must_not", "nuts"), "peanuts")
    opened, seen = await now(talk, thread)
    await correct_fact(opened, seen, fact_id("must_not", "peanuts"), "peanuts and milk")
    await talk.say(SAID[3], thread, after=MINUTE, user="ann")
    assert await values(talk, thread) == {"must_not": ["peanuts and milk"]}
