import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.terms import asked, terms


def shared(one: str, other: str) -> set[str]:
    return set(terms(one)) & set(terms(other))


def test_an_identifier_is_kept_whole_and_in_parts() -> None:
    found = terms("Order AB-1234.")
    assert {"=ab-1234", "=ab", "=1234", "=order"} <= set(found)
    assert shared("order ab 1234", "AB-1234") >= {"=ab", "=1234"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("painted", "painting"),
        ("Straßen", "STRASSE"),
        ("adopción", "adopciones"),
        ("собаку", "собака"),
        ("ｃａｆｅ", "Cafe"),
        ("我的狗叫小白", "小白"),
        ("犬の名前は", "名前"),
        ("สุนัขของฉัน", "สุนัข"),
    ],
)
def test_forms_of_a_word_share_terms_in_any_script(one: str, other: str) -> None:
    assert shared(one, other)


def test_unlike_words_share_none() -> None:
    assert not shared("painting", "window")
    assert not shared("我的狗", "天气")


def test_a_question_is_asked_by_its_telling_words() -> None:
    assert "=name" in asked("What was the name?")
    assert "=what" not in asked("What was the name?")
    assert asked("Wer war das?") == asked("wer war das")
    assert "=who" in asked("Who is it?")


@given(st.text())
def test_any_text_has_terms_that_it_repeats(text: str) -> None:
    assert terms(text) == terms(text)
    assert set(asked(text)) <= set(terms(text))
    assert len(asked(text)) == len(set(asked(text)))
    assert any(sign.isalnum() for sign in text) <= bool(terms(text))
