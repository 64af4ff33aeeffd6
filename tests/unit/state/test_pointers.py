"""Which turns a message points at."""

import pytest

from state.pointers import MOST, named_turns, noted_turns
from tests.unit.state.talk import item, summary


@pytest.mark.parametrize(
    ("message", "turns"),
    [
        ("What did you call it around turn 140?", [139, 140, 141]),
        ("see message #1", [1, 2]),
        ("turn 200 and turn 3", [2, 3, 4, 199, 200]),
        ("turn 9999999", []),
        ("Nachricht Nr. 12", [11, 12, 13]),
        ("第12回", [11, 12, 13]),
        ("How did our first evening end?", [1, 2, 3]),
        ("Was haben wir am Anfang gesagt?", [1, 2, 3]),
        ("It is my turn", []),
        ("first of all, thanks", []),
    ],
)
def test_a_message_names_turns(message: str, turns: list[int]) -> None:
    assert named_turns(message, 200) == turns


def test_no_more_turns_are_named_than_are_followed() -> None:
    many = " ".join(f"turn {n}" for n in range(10, 100, 5))
    assert len(named_turns(many, 200)) == MOST


NOTES = summary(
    item(1, "User named the ship of the story.", turns=[140]),
    item(2, "User asked about the weather in the story.", turns=[7, 8]),
    item(3, "Assistant will write to Halvorsen.", turns=[12]),
    item(4, "Invoice 4471 is paid.", turns=[20]),
    through=200,
)


@pytest.mark.parametrize(
    ("message", "turns"),
    [
        ("What was the ship in the story named?", [140]),
        ("Did you hear from Halvorsen?", [12]),
        ("What about 4471", [20]),
        ("The weather is fine", []),
        ("Hello", []),
        ("", []),
    ],
)
def test_a_note_that_matches_gives_its_turns(message: str, turns: list[int]) -> None:
    assert noted_turns(message, NOTES)[: len(turns) or None] == turns


def test_the_note_that_shares_the_rarer_words_comes_first() -> None:
    assert noted_turns("In the story, who asked about the weather?", NOTES)[:2] == [7, 8]
