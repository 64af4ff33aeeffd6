"""Labelled messages: the files that ship, their form, and what is counted."""

from pathlib import Path

import pytest

from evals.suites import corrections, gate
from evals.suites.detection import (
    ALL,
    Labelled,
    Material,
    MaterialError,
    Message,
    Seen,
    Tally,
    detected,
    read_material,
)

WANTED = Labelled("English", Message(says="You forgot my name."), wanted=True)
ALSO = Labelled("German", Message(says="Das sagte ich schon."), wanted=True)
OTHER = Labelled("German", Message(says="Danke!"), wanted=False)


@pytest.mark.parametrize(("path", "least"), [(gate.MATERIAL, 14), (corrections.MATERIAL, 10)])
def test_what_ships_is_in_many_languages_and_has_as_much_of_both(path: Path, least: int) -> None:
    messages = read_material(path).messages
    assert len({each.language for each in messages}) >= least
    assert len(messages) > 120
    wanted = sum(each.wanted for each in messages)
    assert 0.4 < wanted / len(messages) < 0.6


def test_what_was_missed_and_what_was_seen_for_nothing_is_counted_by_language() -> None:
    seen = [Seen(yes=True), Seen(yes=False), Seen(yes=True, why="a name")]
    found = detected([WANTED, ALSO, OTHER], seen)
    assert found.tallies[ALL] == Tally(right=1, false=1, missed=1)
    assert found.tallies["German"] == Tally(false=1, missed=1)
    assert found.figures == {"precision": 0.5, "recall": 0.5}
    assert found.faults == [
        "missed  German: Das sagte ich schon.",
        "false  German: Danke! (a name)",
    ]
    assert found.table("seen").row_count == 3


def test_the_gate_reads_a_message_under_the_words_that_it_answers() -> None:
    names = Message(says="Then take Juno!", after="You could call it Ember, or Juno.")
    under, alone = (
        gate.score(Material([Labelled("English", each, wanted=False)], window=("Hello.",))).faults
        for each in (names, Message(says=names.says))
    )
    assert under == []
    assert alone == ["false  English: Then take Juno! (not in the window: 'jun')"]


def test_the_detector_of_corrections_is_scored() -> None:
    told = corrections.result(corrections.score(read_material(corrections.MATERIAL)))
    assert (told.suite, told.model) == ("corrections", "rules")
    assert set(told.figures) == {"precision", "recall"}
    assert told.faults


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[English]\nyes = ['a']", "English no: Field required"),
        ("[English]\nyes = []\nno = ['a']", "English yes: Tuple should have at least 1 item"),
        ("[English]\nyes = ['a']\nno = ['a', 'b']", "'a' is there twice"),
        ("[English]\nyes = [{ says = '' }]\nno = ['a']", "String should have at least 1 character"),
        ("[English", "Expected ']'"),
    ],
)
def test_a_file_that_is_wrong_is_refused_and_told_why(
    tmp_path: Path, text: str, fault: str
) -> None:
    file = tmp_path / "odd.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(MaterialError, match=r"^odd\.toml: ") as told:
        read_material(file)
    assert fault in str(told.value)
