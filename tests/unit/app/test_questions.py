"""What a typed line answers, and how a thread stands."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from app.lines import due
from app.questions import Said, answer_to, standing
from state.actions import Confirmation
from state.handover import AGENT, BY


def question(*arguments: tuple[str, str]) -> Confirmation:
    facts: Any = [{"argument": a, "value": "v", "kind": kind} for a, kind in arguments]
    return Confirmation(kind="confirm", call="c", action="act", facts=facts, question="Sure?")


ONE = question(("number", "order_number"))
TWO = question(("number", "order_number"), ("address", "address"))


@pytest.mark.parametrize(
    ("asked", "line", "answer"),
    [
        (ONE, "yes", {"confirmed": True}),
        (ONE, " Yes. ", {"confirmed": True}),
        (TWO, "NO!", {"confirmed": False}),
        (ONE, " LH20481138 ", {"changed": {"number": "LH20481138"}}),
        (TWO, "LH20481138", {"changed": {"number": "LH20481138"}}),
        (ONE, "number = LH20481138", {"changed": {"number": "LH20481138"}}),
        (TWO, "Address: 4 Mill Lane: rear", {"changed": {"address": "4 Mill Lane: rear"}}),
        (TWO, "address =", None),
        (ONE, "amount = 9", None),
        (ONE, "yes, but when?", None),
        (ONE, "Is it LH20481138?", None),
        (TWO, "4 Mill Lane", None),
    ],
)
def test_a_line_is_an_answer_or_a_message(asked: Confirmation, line: str, answer: Any) -> None:
    assert answer_to(asked, line) == answer


def test_how_a_thread_stands() -> None:
    agents = [
        AIMessage("one", id="1", additional_kwargs={BY: AGENT}),
        AIMessage("two", id="2", additional_kwargs={BY: AGENT}),
    ]
    talk = [HumanMessage("a"), agents[0], HumanMessage("b"), AIMessage("bot"), agents[1]]
    found = standing(talk, {"x": "own", "y": {"kind": "handover"}, "z": ONE}, {"call": "c"})
    assert found.said == [Said("1", "one", earlier=True), Said("2", "two", earlier=False)]
    assert found.held
    assert found.question == ("z", ONE)
    assert found.packet is not None
    assert found.packet[0] == "y"


def test_nothing_waits() -> None:
    found = standing([], {}, None)
    assert (found.question, found.packet, found.held, found.said) == (None, None, False, [])


@pytest.mark.parametrize(
    ("pending", "waiting", "person", "broke_off"),
    [
        (False, {}, None, False),
        (True, {}, None, True),
        (False, {}, {"call": "c"}, True),
        (False, {"x": "?"}, {"call": "c"}, False),
    ],
)
def test_a_turn_that_broke_off_is_due(
    waiting: Any, person: Any, *, pending: bool, broke_off: bool
) -> None:
    assert due(standing([], waiting, person), pending=pending) is broke_off
