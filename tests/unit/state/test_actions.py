"""What an action asks to confirm, and how a corrected value becomes a fact."""

from collections.abc import Mapping
from typing import ClassVar

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from state.actions import (
    CORRECTED,
    Action,
    Asked,
    Correction,
    as_confirmation,
    confirmable,
    corrections,
    corrections_in,
    set_by_hand,
    to_confirm,
)
from state.exchanges import Exchange
from state.facts import Fact, merged


class Move(Action):
    depends_on: ClassVar[Mapping[str, str]] = {
        "number": "order_number",
        "address": "address",
        "why": "note",
    }
    number: str
    address: str
    why: str


MOVE = Move(key="k", number="LH00000001", address="4 Mill Lane", why="They moved.")


def fact(kind: str, value: str, turn: int = 3) -> Fact:
    return Fact(
        kind=kind,
        value=value,
        turn=turn,
        said="2026-11-30",
        about="",
        quote=f"it is {value}",
        by="user",
        was="",
        found="model",
    )


def test_the_catalogue_says_what_is_confirmed() -> None:
    asked = to_confirm(MOVE, {})
    assert [(a["argument"], a["kind"]) for a in asked] == [
        ("number", "order_number"),
        ("address", "address"),
    ]


def test_it_is_said_where_a_fact_holds_the_value() -> None:
    facts = {"address": [fact("address", "1 Old Road", 1), fact("address", "4 mill lane")]}
    number, address = to_confirm(MOVE, facts)
    assert (number["turn"], number["said"], number["quote"]) == (None, "", "")
    assert (address["turn"], address["quote"]) == (3, "it is 4 mill lane")
    assert address["value"] == "4 Mill Lane"


def test_only_facts_that_are_confirmed_go_with_a_call() -> None:
    facts = {"note": [fact("note", "x")], "address": [fact("address", "y")], "gone": []}
    assert list(confirmable(facts)) == ["address"]


def test_only_a_question_of_ours_is_a_confirmation() -> None:
    assert as_confirmation("sure?") is None
    assert as_confirmation({"kind": "handover"}) is None
    assert as_confirmation({"kind": "confirm"}) is not None


def asked(value: str) -> Asked:
    return Asked(argument="number", value=value, kind="order_number", turn=None, said="", quote="")


def test_a_correction_names_what_it_puts_right() -> None:
    [right] = corrections([asked("LH00000001")], {"number": "LH00000002"})
    assert right == Correction(kind="order_number", value="LH00000002", old="LH00000001")


RIGHT = Correction(kind="order_number", value="LH00000002", old="LH00000001")


def test_corrections_are_read_from_the_results_of_an_exchange() -> None:
    result = ToolMessage("x", tool_call_id="c", additional_kwargs={CORRECTED: [RIGHT]})
    plain = ToolMessage("x", tool_call_id="d")
    exchange = Exchange((HumanMessage("Hi"), AIMessage(""), result, plain))
    assert corrections_in(exchange) == [RIGHT]


def test_a_correction_takes_the_place_of_the_old_value_and_is_theirs() -> None:
    facts = {"order_number": [fact("order_number", "LH00000001")]}
    [change] = set_by_hand([RIGHT], facts, turn=4, said="2026-12-01")
    [now] = merged(facts, [change]).facts["order_number"]
    assert (now["value"], now["was"]) == ("LH00000002", "LH00000001")
    assert (now["by"], now["found"], now["turn"], now["said"]) == ("user", "hand", 4, "2026-12-01")


def test_an_exchange_that_is_read_again_ends_the_same() -> None:
    once = {"order_number": [fact("order_number", "LH00000001", 4)]}
    facts = merged(once, set_by_hand([RIGHT], once, turn=4, said="")).facts
    again = {"order_number": [*facts["order_number"], fact("order_number", "LH00000001", 4)]}
    ended = merged(again, set_by_hand([RIGHT], again, turn=4, said="")).facts
    assert [f["value"] for f in ended["order_number"]] == ["LH00000002"]
    assert set_by_hand([RIGHT], ended, turn=4, said="") == []


def test_a_card_number_is_no_correction_to_keep() -> None:
    card = Correction(kind="order_number", value="4111 1111 1111 1111", old="LH00000001")
    assert set_by_hand([card], {}, turn=4, said="") == []
