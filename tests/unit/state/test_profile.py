"""What stands of a profile, whatever order its threads wrote in."""

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.fact_ids import fact_id
from state.facts import Fact
from state.profile import BEFORE, Learnt, Met, met, outdated, standing, unsaid
from tests.unit.state.told import fact


def learnt(
    kind: str, value: str, hour: int, *, thread: str = "t", ends: bool = False, **more: Any
) -> Learnt:
    at = f"2026-03-{1 + hour // 24:02d}T{hour % 24:02d}:00:00+00:00"
    own = fact_id(kind, value)
    return Learnt(id=own, ends=ends, at=at, thread=thread, fact=fact(kind, value, **more))


def values(said: list[Learnt]) -> list[str]:
    return [each["fact"]["value"] for each in said if each["fact"] is not None]


A = learnt("address", "Hull", 1, thread="a")
B = learnt("address", "Leeds", 2, thread="b")
NUTS, MILK = learnt("must_not", "nuts", 1, thread="a"), learnt("must_not", "milk", 2, thread="b")
NO_NUTS = learnt("must_not", "nuts", 3, thread="b", ends=True)
NUTS_AGAIN = learnt("must_not", "nuts", 4, thread="a")
BLANK = Learnt(id=NUTS["id"], ends=True, at=NO_NUTS["at"], thread="", fact=None)


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ([A, B], ["Leeds"]),
        ([NUTS, MILK], ["nuts", "milk"]),
        ([NUTS, MILK, NO_NUTS], ["milk"]),
        ([NUTS, MILK, NO_NUTS, NUTS_AGAIN], ["milk", "nuts"]),
        ([NUTS, BLANK], []),
        ([NUTS, BLANK, NUTS_AGAIN], ["nuts"]),
        ([A, learnt("address", "Leeds", 1, thread="b")], ["Leeds"]),
        ([{**A, "fact": fact("customer_name", "x") | {"kind": "gone"}}], []),
    ],
)
def test_the_newest_word_counts_in_whatever_order_they_came(
    said: list[Learnt], stands: list[str]
) -> None:
    for each in permutations(said):
        assert values(standing(each)) == stands


moments = st.builds(
    learnt,
    st.sampled_from(["must_not", "address"]),
    st.sampled_from(["x", "y", "z"]),
    st.integers(0, 40),
    thread=st.sampled_from("abc"),
    ends=st.booleans(),
)


@given(st.lists(moments, max_size=12, unique_by=lambda m: (m["id"], m["thread"], m["ends"])))
def test_nothing_that_stands_is_outdated(said: list[Learnt]) -> None:
    needless = outdated(said)
    assert values(standing([e for e in said if e not in needless])) == values(standing(said))


def test_an_edit_makes_unsaid_what_its_thread_said_from_that_turn_on() -> None:
    said = [
        learnt("must_not", "nuts", 1, thread="a", turn=4),
        learnt("must_not", "milk", 1, thread="a", turn=5),
        learnt("must_not", "eggs", 1, thread="b", turn=6),
        learnt("must_not", "fish", 1, thread="a", turn=7, found="hand"),
    ]
    assert values(unsaid(said, "a", 5)) == ["milk"]


def meet(*own: Fact, pinned: tuple[Fact, ...] = (), said: list[Learnt], budget: int = 600) -> Met:
    def by_kind(facts: tuple[Fact, ...]) -> dict[str, list[Fact]]:
        return {
            kind: [f for f in facts if f["kind"] == kind] for kind in {f["kind"] for f in facts}
        }

    return met(by_kind(own), by_kind(pinned), said, budget=budget, message="")


def seen(facts: dict[str, list[Fact]]) -> dict[str, list[tuple[str, int]]]:
    return {kind: [(f["value"], f["turn"]) for f in each] for kind, each in facts.items()}


def test_what_stands_elsewhere_comes_in_as_from_before() -> None:
    result = meet(fact("budget", "50", turn=3), said=[B, NUTS])
    assert seen(result.facts) == {
        "address": [("Leeds", BEFORE)],
        "budget": [("50", 3)],
        "must_not": [("nuts", BEFORE)],
    }
    assert result.events == []


def test_what_this_thread_said_itself_stays_as_it_said_it() -> None:
    result = meet(fact("must_not", "nuts", turn=3), fact("note", "x", turn=1), said=[NUTS])
    assert seen(result.facts) == {"must_not": [("nuts", 3)], "note": [("x", 1)]}


def test_a_later_value_from_elsewhere_replaces_this_threads_own_and_is_told_of() -> None:
    own = fact("address", "Hull", turn=3)
    result = meet(own, pinned=(own,), said=[A, B])
    [address] = result.facts["address"]
    assert (address["value"], address["was"]) == ("Leeds", "Hull")
    assert [(e["event"], e["before"]) for e in result.events] == [("changed elsewhere", own)]
    assert result.pinned == {"address": [own]}, "the system message stays as it is until folded"


def test_what_ended_elsewhere_leaves_the_system_message_at_once() -> None:
    own = fact("must_not", "nuts", turn=3)
    result = meet(own, pinned=(own,), said=[NUTS, NO_NUTS])
    assert (result.facts, result.pinned) == ({}, {})
    assert [e["event"] for e in result.events] == ["ended elsewhere"]


def test_what_came_from_a_profile_goes_with_it() -> None:
    old = fact("must_not", "nuts", turn=BEFORE)
    result = meet(old, fact("note", "x", turn=2), pinned=(old,), said=[])
    assert seen(result.facts) == {"note": [("x", 2)]}
    assert (result.pinned, result.events) == ({}, [])


def test_beyond_the_budget_own_facts_stay_and_others_come_when_they_matter() -> None:
    many = [learnt("email", f"someone{n}@example.org", n) for n in range(30)]
    own = {"email": [fact("email", "me@example.org", turn=2)]}
    result = met(own, {}, many, budget=60, message="is it someone3@example.org?")
    shown = [f["value"] for f in result.facts["email"]]
    assert "me@example.org" in shown
    assert "someone3@example.org" in shown
    assert len(shown) < 12
