"""The exchanges with known answers, and the scores of an extractor."""

import json
from pathlib import Path

import pytest

from evals.facts.__main__ import read, table
from evals.facts.cases import Case, read_cases, tells
from evals.facts.score import scored
from state.catalogue import KINDS
from state.operations import Operation, Operations
from tests.unit.state.told import fact

ANSWERS = json.loads(Path(__file__).with_name("small_model.json").read_text(encoding="utf-8"))
"""What a model of 1.5 billion parameters really said of each exchange."""


def test_every_exchange_has_an_id_of_its_own_and_kinds_that_there_are() -> None:
    cases = read_cases()
    assert len(cases) >= 40
    assert len({case.id for case in cases}) == len(cases)
    told = [t for c in cases for t in (*c.known, *c.facts, *c.gone, *c.maybe)]
    assert {kind for kind, _ in told} <= set(KINDS)
    assert all(set(case.gone) <= set(case.known) for case in cases)


def test_an_identifier_is_told_exactly_and_other_words_among_others() -> None:
    assert tells(("order_number", "LH1"), fact("order_number", "LH1"))
    assert not tells(("order_number", "LH1"), fact("order_number", "LH12"))
    assert tells(("must_not", "Peanuts"), fact("must_not", "allergic to peanuts"))
    assert not tells(("must_not", "peanuts"), fact("note", "peanuts"))


def test_what_stands_is_counted_stage_by_stage() -> None:
    case = Case(
        id="one",
        user="I'm Ann, it is LH20481137",
        assistant="Hello.",
        facts=(("customer_name", "Ann"), ("order_number", "LH20481137")),
    )
    invented = Operation(kind="address", value="Leeds", quote="I live in Leeds")
    named = Operation(kind="customer_name", value="Ann", quote="I'm Ann")
    said, checked, netted = scored([(case, Operations(facts=[named, invented]))]).values()
    assert (said.precision, said.recall, said.identifier_recall) == (0.5, 0.5, 0.0)
    assert (checked.precision, checked.recall, checked.identifier_recall) == (1.0, 0.5, 0.0)
    assert (netted.precision, netted.recall, netted.identifier_recall) == (1.0, 1.0, 1.0)
    assert said.wrong == ["one: address Leeds"]
    assert said.missed == ["one: order_number LH20481137"]


def test_the_right_answers_score_in_full() -> None:
    def right(case: Case) -> Operations:
        return Operations(
            facts=[
                Operation(kind=kind, value=value, quote=value, old=_old(case, kind))
                for kind, value in case.facts
            ]
        )

    said = scored((case, right(case)) for case in read_cases())["as the model said"]
    assert said.missed == []


def _old(case: Case, kind: str) -> str:
    return next((value for gone, value in case.gone if gone == kind), "")


def test_of_a_small_model_no_identifier_is_lost_and_the_check_takes_out_what_it_invented() -> None:
    cases = [case for case in read_cases() if case.id in ANSWERS]
    scores = scored((case, read(case, ANSWERS)) for case in cases)
    said, checked, netted = scores.values()
    assert netted.identifier_recall == 1.0
    assert said.precision < checked.precision <= netted.precision
    assert netted.recall >= checked.recall
    assert table(scores).row_count == 3


@pytest.mark.parametrize("answer", [None, {}, {"facts": []}])
def test_a_model_that_failed_said_nothing(answer: object) -> None:
    case = read_cases()[0]
    assert read(case, {case.id: answer}).facts == []
