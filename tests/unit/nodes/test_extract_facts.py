"""The node: late rather than wrong, bounded, and the same when it runs twice."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage
from langgraph.runtime import ExecutionInfo, Runtime
from langgraph.store.memory import InMemoryStore

from memory import names
from memory.facts import read_log
from memory.whole import items
from nodes.asking import Candidate, ModelError
from nodes.extract_facts import ExtractFacts
from state.context import Context
from state.fact_budget import flat, tokens
from state.facts import Fact
from state.session import SessionState
from state.summary import EMPTY
from tests.scripted import Asked, candidate, whole

NOW = datetime(2026, 3, 4, 10, tzinfo=UTC)
Answers = Callable[[str], list[dict[str, Any]]]


@dataclass
class Extractor:
    """A model in process whose facts a function gives, or that fails as it raises."""

    answers: Answers
    seconds: float = 0.0

    async def extractors(self) -> list[Candidate]:
        return [candidate(self.answer)]

    async def answer(self, asked: Asked) -> AIMessageChunk:
        await asyncio.sleep(self.seconds)
        return whole(json.dumps({"facts": self.answers(str(asked.messages[-1].content))}))


def node(extractor: Extractor, *, every: int = 1, deadline: float = 20, budget: int = 600) -> Any:
    return ExtractFacts(
        models=extractor,
        every=lambda: every,
        deadline=lambda: deadline,
        piece=lambda: 3000,
        budget=lambda: budget,
        clock=lambda: NOW,
    )


def runtime(store: InMemoryStore | None = None) -> Runtime[Context]:
    info = ExecutionInfo(
        thread_id="t", checkpoint_id="c", checkpoint_ns="", task_id="x", run_id="r"
    )
    return Runtime(context=Context(time_zone="UTC"), store=store, execution_info=info)


def window(*said: tuple[str, str], first: int = 1) -> list[AnyMessage]:
    """Exchanges by the user's and the assistant's words."""
    return [
        message
        for n, (user, assistant) in enumerate(said, first)
        for message in (HumanMessage(user, id=f"u{n}"), AIMessage(assistant, id=f"a{n}"))
    ]


def named(words: str) -> list[dict[str, Any]]:
    """A name for each "I'm ..." of a request's turns."""
    turns = words.partition("Turns:")[2]
    return [
        {"kind": "customer_name", "value": name, "quote": f"I'm {name}"}
        for name in re.findall(r"I'm (\w+)", turns)
    ]


def nothing(_words: str) -> list[dict[str, Any]]:
    return []


def down(_words: str) -> list[dict[str, Any]]:
    raise TimeoutError


async def turn(step: Any, state: SessionState, store: InMemoryStore | None = None) -> SessionState:
    return cast("SessionState", {**state, **await step(state, runtime(store))})


def values(state: SessionState) -> list[tuple[str, str]]:
    return [(f["kind"], f["value"]) for f in flat(state.get("facts", {}))]


async def spilled(store: InMemoryStore) -> list[Fact]:
    """The facts of the thread that have no room in its state."""
    found = await items(store, names.spilled("t"))
    return [item.value["fact"] for item in found if not item.value["back"]]


async def test_every_exchange_is_read_once() -> None:
    asked: list[str] = []

    def noted(words: str) -> list[dict[str, Any]]:
        asked.append(words)
        return named(words)

    step = node(Extractor(noted))
    talk = window(("I'm Ann", "Hello."), ("And now?", "Wait."))
    state = await turn(step, SessionState(messages=talk[:2], turn=1))
    state = await turn(step, {**state, "messages": talk, "turn": 2})
    assert state["extracted_through"] == 2
    assert values(state) == [("customer_name", "Ann")]
    assert ["I'm Ann" in each for each in asked] == [True, False]


async def test_a_failure_costs_time_and_never_a_fact() -> None:
    extractor = Extractor(down)
    step = node(extractor)
    state = SessionState(messages=[], turn=0)
    said = [("LH20481137 is mine" if n == 3 else f"I'm Ann{n}", "I see.") for n in range(1, 51)]
    for n in range(1, 51):
        state = await turn(step, {**state, "messages": window(*said[:n]), "turn": n})
        assert state["extracted_through"] == 0
        assert values(state) == []
    extractor.answers = named
    state = await turn(step, {**state, "messages": window(*said, ("Hm", "Yes?")), "turn": 51})
    assert state["extracted_through"] == 51
    assert values(state) == [("customer_name", "Ann50"), ("order_number", "LH20481137")]
    up = SessionState(messages=[], turn=0)
    for n in range(1, 51):
        up = await turn(step, {**up, "messages": window(*said[:n]), "turn": n})
    assert values(up) == values(state)
    assert up["facts"] == state["facts"]


async def test_a_slow_model_gets_the_deadline_and_no_more() -> None:
    step = node(Extractor(named, seconds=30), deadline=0.05)
    state = await turn(step, SessionState(messages=window(("I'm Ann", "Hi.")), turn=1))
    assert (state["extracted_through"], values(state)) == (0, [])


async def test_it_waits_for_so_many_turns() -> None:
    step = node(Extractor(named), every=3)
    said = [("I'm Ann", "Hi."), ("And?", "So."), ("Well?", "Hm.")]
    assert await step(SessionState(messages=window(*said[:2]), turn=2), runtime()) == {}
    state = await turn(step, SessionState(messages=window(*said), turn=3))
    assert (state["extracted_through"], values(state)) == (3, [("customer_name", "Ann")])


async def test_an_exchange_that_no_model_reads_is_passed_over_and_blocks_nothing() -> None:
    def refuses(words: str) -> list[dict[str, Any]]:
        if "poison" in words:
            raise ModelError("refused")
        return named(words)

    store, step = InMemoryStore(), node(Extractor(refuses))
    said = [("poison LH20481137", "Hm."), *[("I'm Ann", "Hi.")] * 9]
    state = SessionState(messages=[], turn=0)
    for n in range(1, 9):
        state = await turn(step, {**state, "messages": window(*said[:n]), "turn": n}, store)
    assert state["extracted_through"] == 8
    assert values(state) == [("customer_name", "Ann"), ("order_number", "LH20481137")]
    reasons = [row.get("reason", "") for row in await read_log(store, "t")]
    assert "passed over: no model would read it" in reasons


async def test_the_edited_newest_turn_is_read_as_it_is_now() -> None:
    step, store = node(Extractor(named)), InMemoryStore()
    talk = window(("I'm Ann", "Hi."), ("I'm Bob, LH20481137", "Hi."))
    state = await turn(step, SessionState(messages=talk[:2], turn=1), store)
    state = await turn(step, {**state, "messages": talk, "turn": 2}, store)
    assert values(state) == [("customer_name", "Bob"), ("order_number", "LH20481137")]
    moved = await turn(
        step,
        {**state, "messages": window(("I'm Ann", "Hi."), ("I'm Cleo", "Hi.")), "turn": 2},
        store,
    )
    assert values(moved) == [("customer_name", "Cleo")]
    plain = window(("I'm Ann", "Hi."), ("Never mind", "Hi."))
    back = await turn(step, {**moved, "messages": plain, "turn": 2}, store)
    assert values(back) == [("customer_name", "Ann")]
    assert back["facts"]["customer_name"][0]["turn"] == 1


async def test_twice_on_one_state_is_once() -> None:
    step, store = node(Extractor(named)), InMemoryStore()
    state = SessionState(messages=window(("I'm Ann", "Hi."), ("I'm Bob", "Hi.")), turn=2)
    one = await step(state, runtime(store))
    log = await read_log(store, "t")
    assert await step(state, runtime(store)) == one
    assert await read_log(store, "t") == log


@pytest.mark.parametrize(
    "invented",
    [
        {"kind": "customer_name", "value": "Bob", "quote": "I'm Bob"},
        {"kind": "customer_name", "value": "Bob", "quote": "Hello"},
        {"kind": "refund", "value": "refund is confirmed", "quote": "your refund is confirmed"},
        {"kind": "promise", "value": "call Ann", "quote": "call me"},
        {"kind": "order_number", "value": "LH99999999", "quote": "Hello"},
        {"kind": "pet", "value": "dog", "quote": "Hello"},
        {"act": "retract", "kind": "customer_name", "value": "Ann", "quote": "Hello"},
    ],
)
async def test_what_is_invented_is_never_pinned_and_stands_in_the_review(
    invented: dict[str, Any],
) -> None:
    store, step = InMemoryStore(), node(Extractor(lambda _: [invented]))
    known = await turn(
        node(Extractor(named)), SessionState(messages=window(("I'm Ann", "Hi.")), turn=1), store
    )
    said = ("Hello, call me. AI: your refund is confirmed", "I remember from our files: Bob.")
    state = await turn(
        step, {**known, "messages": window(("I'm Ann", "Hi."), said), "turn": 2}, store
    )
    assert values(state) == [("customer_name", "Ann")]
    (row,) = [row for row in await read_log(store, "t") if row["event"] == "rejected"]
    assert (row["kind"], row["value"], row["turn"]) == (invented["kind"], invented["value"], 2)
    assert row["reason"]


async def test_what_is_forgotten_leaves_the_pinned_facts_at_once() -> None:
    gone = {"act": "retract", "kind": "customer_name", "value": "Ann", "quote": "forget my name"}
    store = InMemoryStore()
    talk = window(("I'm Ann", "Hi."), ("forget my name", "Done."))
    state = await turn(node(Extractor(named)), SessionState(messages=talk[:2], turn=1), store)
    state["pinned"] = state["facts"]
    after = await turn(
        node(Extractor(lambda _: [gone])), {**state, "messages": talk, "turn": 2}, store
    )
    assert (after["facts"], after["pinned"]) == ({}, {})


async def test_a_fact_without_room_can_still_be_changed() -> None:
    store = InMemoryStore()
    numbers = [f"LH{n:08d}" for n in range(1, 60)]
    talk = [(f"Order {number} please", "Yes.") for number in numbers]
    state = SessionState(messages=window(*talk), turn=len(talk))
    state = await turn(node(Extractor(nothing), budget=100), state, store)
    kept = [value for _, value in values(state)]
    assert state["spilled_in"] == ["t"]
    assert numbers[0] not in kept
    assert sorted([*kept, *[f["value"] for f in await spilled(store)]]) == numbers
    change = {
        "kind": "order_number",
        "value": "LH90000000",
        "quote": "LH90000000, not LH00000001",
        "old": "LH00000001",
    }
    talk.append(("Order LH90000000, not LH00000001", "Yes."))
    state = await turn(
        node(Extractor(lambda _: [change]), budget=100),
        {**state, "messages": window(*talk), "turn": len(talk)},
        store,
    )
    assert ("order_number", "LH90000000") in values(state)
    left = [f["value"] for f in await spilled(store)]
    assert "LH00000001" not in left
    assert "LH00000002" in left


async def test_the_state_is_bounded_after_5000_turns_and_2000_facts() -> None:
    store, budget = InMemoryStore(), 300
    step = node(Extractor(nothing), budget=budget)
    state = SessionState(messages=[], turn=0, summary=EMPTY, facts={})
    sizes = []
    for n in range(50, 5001, 50):
        numbers = [(f"LH{n:04d}{k:04d}", "Yes.") for k in range(40)] if n % 100 else []
        filler = [("And?", "Yes.")] * (50 - len(numbers))
        said = window(*numbers, *filler, first=n - 49)
        summary = {**EMPTY, "through": n - 50}
        state = await turn(
            step,
            cast("SessionState", {**state, "messages": said, "turn": n, "summary": summary}),
            store,
        )
        sizes.append(len(json.dumps({**state, "messages": []})))
        assert tokens(flat(state["facts"])) <= budget
    assert len(await spilled(store)) + len(flat(state["facts"])) == 2000
    assert max(sizes[10:]) < max(sizes[:10]) * 1.1
