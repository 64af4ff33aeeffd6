"""The log of facts."""

from langgraph.store.memory import InMemoryStore

from memory.facts import log_events, read_log
from state.fact_check import Rejected
from state.facts import merged
from state.operations import Operation
from tests.unit.state.told import change, fact

AT = "2026-03-04T10:00:00+00:00"


async def test_every_change_and_every_doubt_is_logged_once() -> None:
    store = InMemoryStore()
    events = merged(
        {"address": [fact("address", "Leeds")]},
        [change("address", "Bristol", turn=9), change("address", "bristol", turn=10)],
    ).events
    doubt = Rejected(Operation(kind="note", value="x", quote="y"), 10, "the quote was not said")
    for _ in range(2):
        await log_events(store, "t", at=AT, events=events, rejected=[doubt])
    changed, rejected = await read_log(store, "t")
    assert (changed["event"], changed["value"], changed["before"]) == (
        "changed",
        "Bristol",
        "Leeds",
    )
    assert (changed["turn"], changed["at"], changed["quote"]) == (9, AT, "Bristol")
    assert (rejected["event"], rejected["reason"]) == ("rejected", "the quote was not said")
    assert await read_log(store, "other") == []


async def test_a_find_of_the_net_says_so() -> None:
    store = InMemoryStore()
    made = change("order_number", "LH20481137")
    made["fact"]["found"] = "pattern"
    await log_events(store, "t", at=AT, events=merged({}, [made]).events)
    (row,) = await read_log(store, "t")
    assert row["event"] == "stated by pattern"
