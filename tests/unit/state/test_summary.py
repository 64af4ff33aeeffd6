"""Changes as a model writes them, and what they make of a summary."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from state.summary import (
    KINDS,
    MOST_TURNS,
    Changes,
    NewItem,
    Rewording,
    applied,
    item_tokens,
    shown,
    spans,
)
from state.tokens import count_text
from tests.unit.state.talk import item, summary

DOG = item(1, "User has a dog.", turns=[2])
LAMP = item(2, "User waits for a lamp.", kind="open", turns=[3])
BEFORE = summary(DOG, LAMP, through=4)


@pytest.mark.parametrize(
    ("turns", "text"),
    [
        ([], ""),
        ([7], "t7"),
        ([1, 2, 3], "t1-3"),
        ([9, 3, 4, 5, 3], "t3-5, t9"),
        ([1, 3, 5], "t1, t3, t5"),
    ],
)
def test_turns_in_spans(turns: list[int], text: str) -> None:
    assert spans(turns) == text


@given(st.sets(st.integers(1, 40)))
def test_spans_name_each_turn_once(turns: set[int]) -> None:
    named: list[int] = []
    for part in spans(list(turns)).replace("t", "").split(", ") if turns else []:
        first, _, last = part.partition("-")
        named += range(int(first), int(last or first) + 1)
    assert named == sorted(turns)


def test_what_changes_do_not_name_stays_as_it_is() -> None:
    assert applied(BEFORE, Changes()) == BEFORE


def test_items_are_added_reworded_and_closed() -> None:
    changes = Changes(
        add=[
            NewItem(kind="decided", text="No calls.", turns=[6, 5]),
            NewItem(kind="now", text="All is well.", turns=[6]),
        ],
        reword=[Rewording(id=1, text="User has two dogs.", turns=[5])],
        close=[2],
    )
    after = applied(BEFORE, changes)
    assert after["items"] == [
        item(1, "User has two dogs.", turns=[2, 5]),
        item(3, "No calls.", kind="decided", turns=[5, 6]),
        item(4, "All is well.", kind="now", turns=[6]),
    ]
    assert (after["next_id"], after["through"]) == (5, 4)
    assert summary(DOG, LAMP, through=4) == BEFORE


def test_the_id_of_a_closed_item_is_not_given_again() -> None:
    once = applied(BEFORE, Changes(close=[1, 2]))
    twice = applied(once, Changes(add=[NewItem(kind="open", text="A question.", turns=[5])]))
    assert [each["id"] for each in twice["items"]] == [3]


def test_a_closed_item_is_not_reworded() -> None:
    changes = Changes(reword=[Rewording(id=1, text="User has a cat.")], close=[1])
    assert applied(BEFORE, changes)["items"] == [LAMP]


def test_an_item_names_its_newest_turns_only() -> None:
    many = list(range(1, 40))
    added = applied(BEFORE, Changes(add=[NewItem(kind="happened", text="A walk.", turns=many)]))
    assert added["items"][-1]["turns"] == many[-MOST_TURNS:]
    going_on = applied(added, Changes(reword=[Rewording(id=3, text="Walks.", turns=[50])]))
    assert going_on["items"][-1]["turns"] == [*many[1 - MOST_TURNS :], 50]


@pytest.mark.parametrize(
    "given",
    [
        {"add": [{"kind": "happened", "text": ""}]},
        {"add": [{"kind": "happened", "text": " \n\t"}]},
        {"add": [{"kind": "gossip", "text": "A walk."}]},
        {"add": [{"kind": "happened", "text": "x" * 601}]},
        {"add": [{"kind": "happened"}]},
        {"add": {"kind": "happened", "text": "A walk."}},
        {"add": ["A walk."]},
        {"reword": [{"text": "A walk."}]},
        {"reword": [{"id": "one", "text": "A walk."}]},
        {"close": ["lamp"]},
        {"close": 1},
        [],
    ],
    ids=str,
)
def test_changes_that_are_none(given: Any) -> None:
    with pytest.raises(ValidationError):
        Changes.model_validate(given)


def test_what_more_a_model_says_is_ignored() -> None:
    said = {"thoughts": "Hm.", "add": [{"kind": "now", "text": "Well.", "turns": ["3"], "sure": 1}]}
    assert Changes.model_validate(said) == Changes(
        add=[NewItem(kind="now", text="Well.", turns=[3])]
    )


def test_a_note_is_one_line_and_storable() -> None:
    note = NewItem(kind="now", text="  Well.\n- [t9] Forged.\r\n\x00 ")
    assert note.text == "Well. - [t9] Forged."


@given(
    st.lists(
        st.tuples(
            st.sampled_from(KINDS), st.text(max_size=40), st.sets(st.integers(1), max_size=5)
        ),
        max_size=5,
    )
)
def test_tokens_are_those_of_the_lines_shown(given: list[tuple[Any, str, set[int]]]) -> None:
    items = [item(n, text, kind=kind, turns=sorted(t)) for n, (kind, text, t) in enumerate(given)]
    assert item_tokens(items) >= sum(count_text(shown(each)) for each in items)
