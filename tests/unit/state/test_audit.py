"""What has no second chance: found when it is missing, pinned as it stands, in bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.audit import Find, audit, pin_line, pinned
from state.summary import EMPTY, Pin
from state.tokens import count_text
from tests.unit.state.talk import item, summary


def found(said: str) -> list[str]:
    """The values that are missing from an empty summary."""
    return [find.value for find in audit({3: said}, EMPTY)]


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("My order is 4471.", ["4471"]),
        ("Parcel LH20481137, shade 77-B12!", ["LH20481137", "77-B12"]),
        ("Write to anna.berg+x@example.co.uk.", ["anna.berg+x@example.co.uk"]),
        ("Call +49 (170) 123-4567 today", ["+49 (170) 123-4567"]),
        ("It was $1,200.50 or 20 EUR or 15€", ["$1,200.50", "20 EUR", "15€"]),
        ("On 2026-06-04, or 4.6.2026.", ["2026-06-04", "4.6.2026"]),
        ("Ref f47ac10b-58cc-4372-a567-0e02b2c3d479", ["f47ac10b-58cc-4372-a567-0e02b2c3d479"]),
        ('The password hint is "blue heron".', ["blue heron"]),
        ("„Der alte Mann“ und nicht das andere ist es", ["Der alte Mann"]),
        ("I'm Anna Berg from Oslo, and I'll wait.", ["Anna", "Berg", "Oslo"]),
        ("My dog is called Biscuit!", ["Biscuit"]),
        ("注文番号は４４７１、田中より", ["4471"]),
        ("メールはanna@example.jpです", ["anna@example.jp"]),
        ("合計1200円です", ["1200円"]),
        ("رقم الطلب ٤٤٧١ وشكرا", ["4471"]),
        ("Меня зовут Анна", ["Анна"]),
        ("Das ist die Nummer 4471 und nicht die andere", ["4471"]),
    ],
)
def test_what_is_found(said: str, values: list[str]) -> None:
    assert found(said) == values


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Hello! How are you today? Fine, thanks.",
        "We are two, in room 12.",
        "Ich habe die Lampe mit dem Schirm von der Firma bestellt.",
        "I'm sure that I'll be there, and I've time.",
        "I WANT MY PARCEL",
        "She said \"\" and ''.",
        "1 2 3",
    ],
)
def test_what_is_not_found(said: str) -> None:
    assert found(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("My order is 4471.", "User's order is 4471."),
        ("My order is ４４７１.", "User's order is 4471."),
        ("My order is 4471.", "注文番号は４４７１。"),
        ("Parcel LH20481137", "user asks about lh20481137"),
        ("I saw Annas lamp at Orla's.", "User was with Anna, at Orla."),
    ],
)
def test_what_the_summary_holds_is_not_missing(said: str, kept: str) -> None:
    assert audit({3: said}, summary(item(1, kept))) == []
    pins = [Pin(value="x", turn=1, words=kept)]
    assert audit({3: said}, {**EMPTY, "pins": pins}) == []


def test_a_longer_number_in_the_summary_does_not_hold_a_shorter_one() -> None:
    assert [f.value for f in audit({3: "Order 447."}, summary(item(1, "Order 4471.")))] == ["447"]


def test_a_value_is_found_once_in_the_first_turn_that_has_it() -> None:
    finds = audit({3: "Order 4471", 4: "4471 again, and 5582"}, EMPTY)
    assert [(f.value, f.turn) for f in finds] == [("4471", 3), ("5582", 4)]


def test_the_words_around_a_value_are_whole_and_as_they_were_said() -> None:
    said = "x" * 50 + " the shade with\nthe number ４４７１ is cracked again " + "y" * 60
    [find] = audit({3: said}, EMPTY)
    assert find.words == "the shade with the number ４４７１ is cracked again"


def test_a_list_yields_no_more_than_can_be_kept() -> None:
    assert len(found("\n".join(str(10_000 + n) for n in range(3000)))) == 24


@pytest.mark.parametrize(
    "said",
    ["a" * 200_000, "a-" * 100_000, "1" * 200_000, "a.b@" * 50_000, "1 " * 100_000,
     "4471 " * 40_000, "$1." * 60_000, '"' * 200_000, "Ab " * 60_000],
    ids=lambda said: said[:6],
)  # fmt: skip
def test_a_pasted_file_is_read_in_one_pass(said: str) -> None:
    assert len(found(said)) <= 24


@given(st.dictionaries(st.integers(1, 9), st.text(max_size=200), max_size=4))
def test_what_is_found_was_said(said: dict[int, str]) -> None:
    for find in audit(said, EMPTY):
        assert " ".join(find.words.split()) == find.words
        assert find.words in " ".join(said[find.turn].split())


finds = st.lists(
    st.builds(
        lambda n, turn: Find(str(n), turn, f"the number {n} it was"),
        st.integers(1000, 9999),
        st.integers(1, 6),
    ),
    max_size=40,
)


@given(finds, st.integers(0, 200))
def test_pins_are_bounded_and_only_what_was_found(finds: list[Find], budget: int) -> None:
    pins = pinned(EMPTY, finds, budget=budget)["pins"]
    assert sum(count_text(pin_line(pin)) + 1 for pin in pins) <= budget
    assert all(Find(**pin) in finds for pin in pins)
    assert len({pin["value"] for pin in pins}) == len(pins)


@given(finds)
def test_with_room_everything_found_is_pinned_and_missing_no_more(finds: list[Find]) -> None:
    kept = pinned(EMPTY, finds, budget=10_000)
    assert audit({find.turn: find.words for find in finds}, kept) == []
    assert pinned(kept, finds, budget=10_000) == kept


def test_one_long_list_pushes_nothing_else_out() -> None:
    old = pinned(EMPTY, [Find("4471", 1, "order 4471"), Find("5582", 2, "code 5582")], budget=100)
    table = [Find(str(n), 9, f"row {n}") for n in range(1000, 1040)]
    turns = [pin["turn"] for pin in pinned(old, table, budget=100)["pins"]]
    assert turns[:2] == [1, 2]
    assert 0 < turns.count(9) < 40
