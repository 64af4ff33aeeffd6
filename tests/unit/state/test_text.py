"""Cleaning what comes in."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.text import MAX_DEPTH, MAX_ID, clean, clean_json, storable_id, too_deep

any_text = st.text(st.characters(codec=None))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
    max_leaves=10,
)


@given(any_text)
def test_clean_text_can_be_stored_and_is_stable(text: str) -> None:
    cleaned = clean(text)
    assert "\x00" not in cleaned
    cleaned.encode()
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_text_that_can_be_stored_is_left_alone(text: str) -> None:
    assert clean(text) == text


@given(values)
def test_clean_json_can_be_stored(value: Any) -> None:
    text = json.dumps(clean_json(value), ensure_ascii=False)
    text.encode()
    assert r"\u0000" not in text.replace(r"\\", "")


def test_two_halves_of_a_character_become_it() -> None:
    assert clean("\ud83d\ude00 \ude00\ud83d\x00") == "\U0001f600 "


def test_clean_json_keeps_what_is_no_text() -> None:
    value = {"a": [1, 2.5, None, True, ("x\x00",)]}
    assert clean_json(value) == {"a": [1, 2.5, None, True, ["x"]]}


def nested(levels: int, wrap: Any) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = wrap(value)
    return value


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: {"k": v}, lambda v: (v, 1)])
def test_how_deep_is_too_deep(wrap: Any) -> None:
    assert not too_deep(nested(MAX_DEPTH, wrap))
    assert too_deep(nested(MAX_DEPTH + 1, wrap))
    assert too_deep(nested(50_000, wrap))
    clean_json(nested(MAX_DEPTH, wrap))


@pytest.mark.parametrize("id", ["a", "user@example.org", "a b", "\u00e9", "x" * MAX_ID])
def test_an_id_that_can_be_stored(id: str) -> None:
    assert storable_id(id)


@pytest.mark.parametrize("id", ["", "a\x00", "a\n", "\ud800", "\u200b", "x" * (MAX_ID + 1)])
def test_an_id_that_cannot(id: str) -> None:
    assert not storable_id(id)


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        (2**63 - 1, 2**63 - 1),
        (9_400_111_202_555_842_332_669, "9400111202555842332669"),
        (-(2**64), "-18446744073709551616"),
        (float("nan"), None),
        (float("inf"), None),
    ],
)
def test_a_number_that_no_store_holds_becomes_text_or_nothing(number: Any, kept: Any) -> None:
    assert clean_json({"n": [number]}) == {"n": [kept]}
