"""What a message or a note points at comes where it belongs, and only what there is."""

from memory.recall.documents import Document
from memory.recall.pointed import pointed, unscored, why


def said(turn: int) -> Document:
    return Document(key=f"key-{turn}", turn=turn, at="", user=f"words of {turn}", assistant="")


THERE = [said(turn) for turn in (2, 3, 5, *range(7, 20))]
BEST = [unscored(THERE[place]) for place in (9, 8, 7, 6, 5, 4, 3)]


def turns(named: list[int], noted: list[int]) -> list[int]:
    return [each.document.turn for each in pointed(THERE, BEST, named=named, noted=noted)]


def test_named_turns_lead_and_noted_ones_follow_the_best_five() -> None:
    assert turns([], []) == [13, 12, 11, 10, 9, 8, 7]
    assert turns([5, 2], [19]) == [5, 2, 13, 12, 11, 10, 9, 19, 8, 7]


def test_each_is_there_once() -> None:
    assert turns([7], [13, 8]) == [7, 13, 12, 11, 10, 9, 8]


def test_a_turn_that_is_not_there_is_left_out() -> None:
    assert turns([1, 4, 6, 20], [1, 99]) == turns([], [])
    assert pointed([], [], named=[1], noted=[1]) == []


def test_it_says_why() -> None:
    found = unscored(said(3))
    assert why(found, named=[], noted=[]) == ""
    assert why(found, named=[3], noted=[3]) == (
        "the message names the turn; a note of the summary points there"
    )
