"""Sizes as people write them, and marks that agree with one another."""

import pytest

from state.marks import Mark, Marks, checked, parse_mark

WINDOW = 128_000


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("6000", Mark(6000)),
        (" 6000 ", Mark(6000)),
        ("5%", Mark(6400)),
        ("100 %", Mark(WINDOW)),
        ("16 turns", Mark(16, "turns")),
        ("1 turn", Mark(1, "turns")),
        ("16turns", Mark(16, "turns")),
    ],
)
def test_a_size_in_tokens_in_a_share_or_in_turns(text: str, mark: Mark) -> None:
    assert parse_mark(text, WINDOW) == mark


@pytest.mark.parametrize(
    "text", ["", "0", "0%", "0 turns", "-5", "6k", "6000 tokens", "1.5%", "101%", "turns", "5 % 3"]
)
def test_what_is_no_size_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=repr(text)):
        parse_mark(text, WINDOW)


def test_marks_that_agree() -> None:
    turns = checked(Mark(16, "turns"), Mark(8, "turns"), Mark(12_000))
    assert turns == Marks(high=Mark(16, "turns"), low=Mark(8, "turns"), hard=12_000)
    assert checked(Mark(6000), Mark(3000), Mark(6001)).hard == 6001


@pytest.mark.parametrize(
    ("high", "low", "hard", "why"),
    [
        (Mark(6000), Mark(8, "turns"), Mark(12_000), "the low mark is in turns"),
        (Mark(16, "turns"), Mark(3000), Mark(12_000), "the low mark is in tokens"),
        (Mark(6000), Mark(6000), Mark(12_000), r"low mark \(6000\) is not below"),
        (Mark(6000), Mark(3000), Mark(20, "turns"), "hard limit is in turns"),
        (Mark(6000), Mark(3000), Mark(6000), r"high mark \(6000\) is not below"),
    ],
)
def test_marks_that_contradict_one_another(high: Mark, low: Mark, hard: Mark, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        checked(high, low, hard)
