"""The form of a conversation's file, and what is said of one that is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evals.run.conversation import FOLDER, ConversationError, Value, parsed, read, shipped
from tests.unit.evals.run.samples import data, sample

Edit = Callable[[dict[str, Any]], object]


def test_each_shipped_conversation_is_sound_and_named_as_its_file() -> None:
    found = shipped()
    assert [each.name for each in found] == ["companion", "moves", "parcel", "party", "typo"]
    assert shipped(["party"]) == [each for each in found if each.name == "party"]
    sorts = {planted.sort for each in found for planted in each.facts.values()}
    assert sorts == {
        "fact",
        "negation",
        "promise",
        "invention",
        "instruction",
        "detail",
        "injection",
    }


def test_the_turns_stand_where_the_story_says() -> None:
    parcel, party = shipped(["parcel", "party"])
    turn_of = dict(zip(parcel.places, parcel.turns, strict=True))
    assert [says.fact for says in turn_of[2].says] == ["order"]
    assert "waiver" in [says.fact for says in turn_of[9].says]
    # Its words are the 31st message of the conversation.
    assert turn_of[16].probe is not None
    assert turn_of[16].probe.fact == "name"
    turn_of = dict(zip(party.places, party.turns, strict=True))
    assert [says.fact for says in turn_of[2].says] == ["allergy"]
    assert "snacks" in turn_of[40].user


def test_a_turn_without_a_number_is_the_next() -> None:
    assert sample().places == [1, 2, 4, 8, 9, 10, 11, 12, 13, 14, 15]


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda d: d.update(start="2026-03-02T09:00:00"), "start: Input should have timezone info"),
        (lambda d: d["turn"][0].update(usr="x"), "turn 1 usr: Extra inputs are not permitted"),
        (lambda d: d["turn"][0].update(bot=""), "turn 1: it needs either the bot's words or"),
        (lambda d: d["turn"][3].update(bot="Here."), "turn 4: it needs either the bot's words or"),
        (lambda d: d["turn"][3].update(at=3), "turn 4: at = 3 does not come after turn 4"),
        (
            lambda d: d["turn"][0]["says"][0].update(value="9 Elm Row"),
            "turn 1: address '9 Elm Row' is not in the user's words",
        ),
        (lambda d: d["turn"][0]["says"][0].update(pattern="("), "turn 1: pattern '(': missing )"),
        (lambda d: d["turn"][0]["says"][0].update(fact="x"), "turn 1: it says 'x', which is no"),
        (lambda d: d["turn"][0]["says"][0].update(value=""), "turn 1: address is taken back"),
        (lambda d: d["turn"][3].update(user="Is it 2 Oak Row?"), "gives the answer away"),
        (lambda d: d["turn"][3]["probe"].update(fact="ships"), "asks for 'ships', which no"),
        (lambda d: d["turn"][3]["probe"].update(holds="["), "holds '['"),
        (lambda d: d["facts"]["address"].update(kind="adress"), "facts address: kind 'adress'"),
        (lambda d: d["facts"]["address"].update(kind="promise"), "is stated by the assistant"),
        (lambda d: d["facts"]["order"].update(near=["o"]), "facts order: near 'o' is no fact"),
        (lambda d: d["facts"]["order"].update(sort="rumour"), "facts order sort: Input should be"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(edit: Edit, told: str) -> None:
    wrong = data()
    edit(wrong)
    with pytest.raises(ConversationError) as error:
        parsed(wrong)
    assert told in str(error.value)


def test_all_that_is_wrong_is_said_at_once() -> None:
    wrong = data()
    wrong["turn"][0]["bot"] = ""
    wrong["turn"][3]["at"] = 1
    with pytest.raises(ConversationError, match=r"turn 1: .*; turn 4: "):
        parsed(wrong)


def test_a_file_that_is_no_toml_is_named_with_the_line(tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text("name = \n", encoding="utf-8")
    with pytest.raises(ConversationError, match=r"odd\.toml: .*line 1"):
        read(file)


def test_a_name_that_is_not_shipped_is_told_the_others() -> None:
    with pytest.raises(ConversationError, match="'prty' is none of companion, moves, "):
        shipped(["prty"])


def test_a_file_elsewhere_is_held_as_well_unless_it_is_called_as_another(tmp_path: Path) -> None:
    party = (FOLDER / "party.toml").read_text(encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(party.replace('name = "party"', 'name = "mine"'), encoding="utf-8")
    assert [each.name for each in shipped(["typo", str(file)])] == ["typo", "mine"]
    file.write_text(party, encoding="utf-8")
    with pytest.raises(ConversationError, match="two conversations are called 'party'"):
        shipped(["party", str(file)])
    with pytest.raises(ConversationError, match=r"none\.toml: No such file"):
        shipped([str(tmp_path / "none.toml")])


def test_a_value_stands_by_itself_or_by_its_pattern() -> None:
    number, meal = Value(value="27"), Value(value="tacos", pattern="tacos?")
    assert number.stands_in("we are 27 now")
    assert not number.stands_in("we are 127 now, or 270")
    assert meal.stands_in("One Taco each")
    assert not meal.stands_in("barbecue")
