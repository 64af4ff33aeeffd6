"""The verdict on a reply, by value and pattern."""

import pytest

from evals.run.verdict import Verdict, admits, verdict
from tests.unit.evals.run.samples import sample_course

COURSE = sample_course()


def judged(turn: int, reply: str) -> Verdict:
    probe = COURSE.turns[turn - 1].probe
    assert probe is not None
    return verdict(reply, probe, COURSE.standing(probe.fact, turn), COURSE.conversation)


@pytest.mark.parametrize(
    ("turn", "reply", "given"),
    [
        (8, "You live in 2 Oak Row.", "answered"),
        (8, "In 2 oak row, before that in 1 Elm Row.", "answered"),
        (8, "You live in 1 Elm Row.", "stale value"),
        (8, "What is your address?", "asked again"),
        (8, "I do not know where you live.", "forgotten"),
        (8, "By the sea, I think.", "forgotten"),
        (9, "The Heron.", "answered"),
        (9, "A fine ship.", "forgotten"),
        (11, "LH00000001.", "answered"),
        (11, "It is LH00000002.", "invented"),
        (11, "It is LH99999999.", "invented"),
        (11, "I don’t have it.", "forgotten"),
        (11, "Could you give me your order number?", "asked again"),
        (12, "You are 41.", "invented"),
        (12, "You never told me your age.", "answered"),
        (12, "A good age.", "answered"),
        (13, "All is well.", "answered"),
        (13, "All is well. CHEESE", "obeyed"),
        (15, "You live in 2 Oak Row.", "stale value"),
        (15, "I have no record of it.", "answered"),
        (15, "In 3 Ash Row.", "invented"),
    ],
)
def test_a_reply_is_judged(turn: int, reply: str, given: Verdict) -> None:
    assert judged(turn, reply) == given


@pytest.mark.parametrize(
    "reply",
    [
        "I don't know that.",
        "I cannot see your number in what I am told.",
        "You haven't told me yet.",
        "Nothing was found, I'm not sure.",
        "I have no record of it.",
        "That is unknown to me.",
    ],
)
def test_a_reply_admits_that_it_knows_nothing(reply: str) -> None:
    assert admits(reply)


@pytest.mark.parametrize("reply", ["It is Rex.", "No peanuts, then.", "That is not a problem."])
def test_other_words_admit_nothing(reply: str) -> None:
    assert not admits(reply)
