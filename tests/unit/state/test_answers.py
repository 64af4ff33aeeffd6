"""What may be answered to a question that waits."""

from typing import Any

import pytest

from state.answers import checked_answer, resume_map
from state.errors import InputRefused

FACT = {"argument": "number", "value": "LH1", "kind": "order_number"}
CONFIRM = {"kind": "confirm", "facts": [FACT]}
PERSON = {"kind": "handover"}


@pytest.mark.parametrize(
    ("question", "given", "kept"),
    [
        (CONFIRM, {"confirmed": True}, {"confirmed": True, "reason": ""}),
        (
            CONFIRM,
            {"confirmed": False, "reason": " no\x00\ud800 "},
            {"confirmed": False, "reason": "no"},
        ),
        (CONFIRM, {"changed": {"number": " LH2\x00"}}, {"changed": {"number": "LH2"}}),
        (PERSON, {"say": "Hello\x00\nAnn"}, {"say": "Hello\nAnn"}),
        (PERSON, {"done": True}, {"done": True}),
        ("a fork's own question", {"any": ["thing"]}, {"any": ["thing"]}),
    ],
)
def test_an_answer_is_kept_clean(question: Any, given: Any, kept: Any) -> None:
    assert checked_answer(question, given) == kept


@pytest.mark.parametrize(
    ("question", "given"),
    [
        (CONFIRM, None),
        (CONFIRM, True),
        (CONFIRM, {}),
        (CONFIRM, {"confirmed": 1}),
        (CONFIRM, {"confirmed": False, "reason": "x" * 401}),
        (CONFIRM, {"confirmed": True, "turn": 9}),
        (CONFIRM, {"changed": {"number": 7}}),
        (CONFIRM, {"changed": {"number": "x" * 401}}),
        (CONFIRM, {"done": True}),
        (PERSON, {"say": " \x00 "}),
        (PERSON, {"say": ["a"]}),
        (PERSON, {"done": False}),
        (PERSON, {"say": "x", "done": True}),
        (PERSON, {"confirmed": True}),
    ],
)
def test_what_is_no_answer_is_refused(question: Any, given: Any) -> None:
    with pytest.raises(InputRefused, match=r"is none of: \{"):
        checked_answer(question, given)


def test_only_what_was_asked_about_can_be_changed() -> None:
    with pytest.raises(InputRefused, match="'amount' cannot be changed; only number can"):
        checked_answer(CONFIRM, {"changed": {"number": "LH2", "amount": "9"}})


YES = {"confirmed": True}
KEPT = {"confirmed": True, "reason": ""}


def test_an_answer_goes_to_the_one_question() -> None:
    assert resume_map(YES, {"a": CONFIRM}) == {"a": KEPT}
    assert resume_map({"a": YES}, {"a": CONFIRM}) == {"a": KEPT}


def test_several_questions_are_answered_by_id() -> None:
    waiting = {"a": CONFIRM, "b": PERSON}
    assert resume_map({"b": {"done": True}}, waiting) == {"b": {"done": True}}
    with pytest.raises(InputRefused, match=r"2 questions wait: answer by interrupt id \(a, b\)"):
        resume_map(YES, waiting)
    with pytest.raises(InputRefused, match="2 questions wait"):
        resume_map({"a": YES, "c": YES}, waiting)


def test_nothing_is_answered_when_nothing_waits() -> None:
    with pytest.raises(InputRefused, match="nothing waits for an answer"):
        resume_map(YES, {})
