"""Passages whose facts have changed say so."""

from state.recalled import changed_since
from tests.unit.state.told import fact

FACTS = {"address": [fact("address", "3 Bay St,\nHull", turn=9, was="12 Hill Rd")]}


def test_a_value_that_was_replaced_later_is_told() -> None:
    assert changed_since(4, "I live at 12 hill rd.", FACTS) == "address is now 3 Bay St, Hull [t9]"


def test_what_did_not_change_or_not_later_is_not() -> None:
    assert changed_since(9, "I live at 12 Hill Rd.", FACTS) == ""
    assert changed_since(4, "I live at 112 Hill Rd.", FACTS) == ""
    unchanged = {"address": [fact("address", "12 Hill Rd", turn=9)]}
    assert changed_since(4, "I live at 12 Hill Rd.", unchanged) == ""
