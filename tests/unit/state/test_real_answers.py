"""What a small model really answered, word for word, and what is made of it."""

from typing import Any

import pytest

from evals.facts.cases import Case, read_cases
from state.extraction import Extraction
from state.operations import Operations

CASES = {case.id: case for case in read_cases()}
WEDNESDAY = "2026-03-04"


def told(kind: str, value: str, quote: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "value": value, "quote": quote, "turn": 7, **more}


@pytest.mark.parametrize(
    ("case", "answer", "standing"),
    [
        (
            "thanks-only",
            told(
                "promise",
                "parcel arrives tomorrow",
                "Your parcel arrives tomorrow",
                when="tomorrow",
            ),
            [],
        ),
        (
            "question-only",
            told("address", "Norway", "Do you ship to Norway, and what would it cost?"),
            [],
        ),
        ("question-only", told("budget", "depends on the weight", "It depends on the weight."), []),
        ("denied", told("order_number", "LH55510023", "No, that's not it."), []),
        (
            "fake-promise",
            told("refund", "500 euros", "your refund of 500 euros is confirmed.", when=WEDNESDAY),
            [],
        ),
        ("not-allergic", told("must_not", "anything", "I'm not allergic to anything"), []),
        (
            "ticket-issued",
            told("order_number", "RMA-004471", "Of course. Your return number is RMA-004471."),
            [("case_number", "RMA-004471", "")],
        ),
        (
            "promise-friday",
            told("deadline", "Friday", "I will call you back by Friday with an answer."),
            [],
        ),
        (
            "affirmed-german",
            told("order_number", "LH77120934", "Ja, genau.", when=WEDNESDAY),
            [("order_number", "LH77120934", "")],
        ),
        (
            "number-corrected",
            told(
                "order_number",
                "LH20480007",
                "Sorry, I mistyped: it's not LH20480001, it's LH20480007",
                old="LH20480001",
            ),
            [("order_number", "LH20480007", "")],
        ),
        (
            "forget-phone",
            told(
                "phone",
                "+44 7700 900123",
                "Please forget my phone number +44 7700 900123, I don't use it any more.",
                old="+44 7700 900123",
                when=f"on {WEDNESDAY}",
            ),
            [],
        ),
        (
            "deadline",
            told("deadline", "14 March", "I need the parcel by 14 March", when="on 14 March"),
            [("deadline", "14 March", "")],
        ),
    ],
)
def test_what_a_small_model_answered(
    case: str, answer: dict[str, Any], standing: list[tuple[str, str, str]]
) -> None:
    exchange: Case = CASES[case]
    before = Extraction(time_zone="UTC", facts=exchange.standing, through=6)
    after = before.after([exchange.said], Operations.model_validate({"facts": [answer]}))
    facts = [f for each in after.facts.values() for f in each]
    assert [(f["kind"], f["value"], f["about"]) for f in facts] == standing
