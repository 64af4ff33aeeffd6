"""A fact set by hand stands against all that was said up to then, not against what follows."""

import pytest

from state.facts import Fact, Facts, merged
from tests.unit.state.told import change, fact

ADDRESS = fact("address", "9 Hill Rd", turn=10, found="hand", was="3 Bay St")
PEANUTS = fact("must_not", "peanuts", turn=10, found="hand", was="nuts")


def after(by_hand: Fact, kind: str, value: str, *, turn: int) -> tuple[list[str], str]:
    """The values that stand, and what happened, when `value` is found in `turn`."""
    facts: Facts = {by_hand["kind"]: [by_hand]}
    result = merged(facts, [change(kind, value, turn=turn)])
    return [f["value"] for f in result.facts[kind]], result.events[-1]["event"]


@pytest.mark.parametrize(
    ("turn", "outcome"),
    [
        (3, (["9 Hill Rd"], "conflict")),
        (10, (["9 Hill Rd"], "conflict")),
        (11, (["3 Bay St"], "changed")),
    ],
)
def test_of_a_kind_that_has_one_value(turn: int, outcome: tuple[list[str], str]) -> None:
    assert after(ADDRESS, "address", "3 Bay St", turn=turn) == outcome


@pytest.mark.parametrize(
    ("value", "turn", "outcome"),
    [
        ("nuts", 3, (["peanuts"], "conflict")),
        ("Nuts", 10, (["peanuts"], "conflict")),
        ("nuts", 11, (["peanuts", "nuts"], "stated")),
        ("milk", 3, (["milk", "peanuts"], "stated")),
        ("peanuts", 3, (["peanuts"], "again")),
    ],
)
def test_of_a_kind_that_collects(value: str, turn: int, outcome: tuple[list[str], str]) -> None:
    assert after(PEANUTS, "must_not", value, turn=turn) == outcome


def test_by_hand_a_value_is_spelt_anew() -> None:
    said = fact("customer_name", "ann lee", turn=2)
    spelt = change("customer_name", "Ann Lee", turn=4, old="ann lee")
    spelt["fact"]["found"] = "hand"
    result = merged({"customer_name": [said]}, [spelt])
    [name] = result.facts["customer_name"]
    assert (name["value"], name["was"]) == ("Ann Lee", "ann lee")
    again = merged(result.facts, [spelt])
    assert again.facts == result.facts, "safe to repeat"
