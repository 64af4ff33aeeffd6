"""Passages whose facts have changed say so."""

from state.recalled import changed_since, of_use
from tests.unit.prompts.test_recalled import passage, recalled
from tests.unit.state.told import fact

FACTS = {"address": [fact("address", "3 Bay St,\nHull", turn=9, was="12 Hill Rd")]}


def test_a_value_that_was_replaced_later_is_told() -> None:
    assert changed_since(4, "I live at 12 hill rd.", FACTS) == "address is now 3 Bay St, Hull [t9]"


def test_what_did_not_change_or_not_later_is_not() -> None:
    assert changed_since(9, "I live at 12 Hill Rd.", FACTS) == ""
    assert changed_since(4, "I live at 112 Hill Rd.", FACTS) == ""
    unchanged = {"address": [fact("address", "12 Hill Rd", turn=9)]}
    assert changed_since(4, "I live at 12 Hill Rd.", unchanged) == ""


def test_of_a_search_for_one_value_only_what_holds_it_is_shown() -> None:
    found = recalled(passage("Order 4471 came."), passage("The soup was warm."))
    assert of_use(found) == found
    shown = of_use({**found, "sought": "4471"})
    assert [p["user"] for p in shown["passages"]] == ["Order 4471 came."]


def test_a_value_that_nobody_said_before_was_just_told() -> None:
    found = recalled(passage("Order 44710 came."))
    told = of_use({**found, "sought": "4471", "reason": "not in the window: '4471'"})
    assert (told["searched"], told["passages"]) == (False, [])
    assert told["reason"] == "not in the window: '4471', nor earlier"
