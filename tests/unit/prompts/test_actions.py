"""What the customer is asked, and what the model is told came of it."""

from typing import cast

import pytest
from langchain_core.tools import BaseTool

from graph.toolbox import toolbox
from prompts.actions import confirm_question, corrected, declined
from state.actions import Action, Asked, Correction
from tests.project import ROOT

ACTING = [tool for tool in toolbox() if issubclass(tool.get_input_schema(), Action)]


def asked(**values: str) -> list[Asked]:
    return [
        Asked(argument=name, value=value, kind="note", turn=None, said="", quote="")
        for name, value in values.items()
    ]


@pytest.mark.parametrize(
    ("action", "facts", "question"),
    [
        ("refund_parcel", asked(number="LH1"), "Shall I refund parcel LH1?"),
        (
            "change_delivery_address",
            asked(number="LH1", address="4 {Mill} Lane"),
            "Shall I have parcel LH1 brought to this address instead: 4 {Mill} Lane?",
        ),
        ("one without", asked(a="1", b="2"), "Before I do this, is it right? a: 1, b: 2"),
    ],
)
def test_the_question(action: str, facts: list[Asked], question: str) -> None:
    assert confirm_question(action, facts) == question


def test_the_shipped_actions_have_questions_of_their_own() -> None:
    assert [tool.name for tool in ACTING] == ["refund_parcel", "change_delivery_address"]
    own = {path.stem for path in (ROOT / "prompts" / "questions").iterdir()}
    assert own == {tool.name for tool in ACTING} | {"any"}


@pytest.mark.parametrize("tool", ACTING, ids=lambda tool: tool.name)
def test_the_model_is_not_offered_the_key(tool: BaseTool) -> None:
    schema = cast("type[Action]", tool.get_input_schema())
    assert set(tool.tool_call_schema.model_fields) == set(schema.depends_on)  # type: ignore[union-attr]


def test_the_results() -> None:
    assert declined("") == "Not carried out: the customer said no."
    assert declined("Too late.") == "Not carried out: the customer said no. They said: Too late."
    told = corrected("refund_parcel", [Correction(kind="note", value="b", old="a")])
    assert told == (
        "Not carried out: the customer corrects it: not 'a' but 'b'. "
        "Call refund_parcel again with that."
    )
