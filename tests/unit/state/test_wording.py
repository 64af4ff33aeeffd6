"""Names, numbers and identifiers, in several scripts."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.wording import folded, holds, is_german, names, plain, spelled, values


@given(st.text())
def test_plain_text_keeps_every_place(text: str) -> None:
    assert len(plain(text)) == len(text)
    assert plain(plain(text)) == plain(text)


@given(st.text())
def test_plain_digits_are_ascii_and_mean_the_same(text: str) -> None:
    for before, after in zip(text, plain(text), strict=True):
        if (digit := unicodedata.decimal(before, None)) is not None:
            assert after == str(digit)


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_plain(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Order 4471, please.", {"4471"}),
        ("LH20481137 and 77-B.", {"lh20481137", "77-b"}),
        (
            "Mail anna.berg+x@example.co.uk, or call +49 170 1234567.",
            {"anna.berg+x@example.co.uk", "49", "170", "1234567"},
        ),
        ("At 10:30 on 2026-06-04, 5pm, the 3rd.", {"10:30", "2026-06-04", "5", "3"}),
        ("EUR 1.200,50 or $20", {"1.200,50", "20"}),
        ("No number here.", set()),
        ("注文番号は4471です。", {"4471"}),
        ("注文番号は４４７１です。", {"4471"}),
        ("ＡＢ１２の件", {"ab12"}),
        ("رقم الطلب ٤٤٧١ وشكرا", {"4471"}),
        ("मेरा नंबर ४४७१ है", {"4471"}),
        ("メールはanna@example.jpです", {"anna@example.jp"}),
        ("Заказ №4471-А", {"4471"}),
    ],
)
def test_values(text: str, found: set[str]) -> None:
    assert values(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I'm Anna Berg from Oslo.", {"anna", "berg", "oslo"}),
        ("We saw Anna's lamp at the O'Neills’ house.", {"anna", "o'neills"}),
        ("Thanks! Then I'll wait, and I'm fine.", set()),
        ("My dog is called Biscuit; The cat is not.", {"biscuit"}),
        ("User asked the Assistant. That is OK.", set()),
        ("Меня зовут Анна, я из Осло.", {"анна", "осло"}),
        ("J'habite à Évreux avec Zoé.", {"évreux", "zoé"}),
        ("HELLO I WANT MY PARCEL", set()),
        ("Ich habe die Lampe mit dem Schirm von Orla bestellt.", set()),
        ("名前は田中です", set()),
        ("اسمي فاطمة", set()),
    ],
)
def test_names(text: str, found: set[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("Ich habe die Lampe gestern bestellt, aber der Schirm ist gesprungen.", True),
        ("Wann kommt mein Paket?", True),
        ("I ordered the lamp yesterday but the shade is cracked.", False),
        ("He said: Guten Tag, and then he talked about the weather for a while.", False),
        ("Ik heb de lamp gisteren besteld.", False),
        ("", False),
    ],
)
def test_what_reads_as_german(text: str, german: bool) -> None:
    assert is_german(text) == german


@pytest.mark.parametrize(
    ("source", "claim", "held"),
    [
        ("order 4471 came", "4471", True),
        ("order 44710 came", "4471", False),
        ("order 14471 came", "4471", False),
        ("lh20481137", "20481137", True),
        ("at 10:30am", "10:30", True),
        ("annas lamp", "anna", True),
        ("joanna", "anna", False),
        ("番号4471です", "4471", True),
        ("a (b) [c] 4.71", "4.71", True),
        ("a 4x71", "4.71", False),
        ("", "4", False),
    ],
)
def test_what_stands_by_itself(source: str, claim: str, held: bool) -> None:
    assert holds(source, claim) == held


@given(st.text(), st.sampled_from(["4471", "anna", "77-b", "a@b.co", "$5", "анна"]), st.text())
def test_a_claim_between_other_words_is_held(before: str, claim: str, after: str) -> None:
    assert holds(f"{folded(before)} {claim} {folded(after)}", claim)


def test_small_numbers_in_words() -> None:
    assert spelled("two dogs and drei katzen, cuatro more") == {"2", "3", "4"}
    assert spelled("someone often") == set()


@pytest.mark.parametrize("text", ["a" * 200_000, "a-" * 100_000, "1" * 200_000, "a.b@" * 50_000])
def test_a_pasted_file_is_read_in_one_pass(text: str) -> None:
    assert values(text) is not None
    assert names(text) == set()
