"""A forgotten value is found in any spelling, and nothing else goes."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.redaction import MARK, Redactor, Wanted, wanted_of
from tests.unit.state.told import fact


def redactor(value: str, kind: str = "note", *, quotes: list[str] | None = None) -> Redactor:
    return Redactor(Wanted(kind=kind, value=value, turns=[3], quotes=quotes or []))


@pytest.mark.parametrize(
    ("kind", "value", "text", "left"),
    [
        ("order_number", "LH20481137", "Order LH20481137, please.", "Order [forgotten], please."),
        ("order_number", "LH20481137", "it's lh 2048 1137!", "it's [forgotten]!"),
        ("order_number", "LH20481137", "L.H.2.0.4.8.1.1.3.7", "[forgotten]"),
        ("order_number", "LH20481137", "LH-2048-1137 and LH20481138", "[forgotten] and LH20481138"),
        ("order_number", "LH20481137", "番号はLH20481137です", "番号は[forgotten]です"),
        ("order_number", "LH20481137", "番号はＬＨ２０４８１１３７です", "番号は[forgotten]です"),
        ("order_number", "LH20481137", "LH204811370", "LH204811370"),
        ("email", "ann.lee@example.org", "mail Ann.Lee@Example.org.", "mail [forgotten]."),
        ("phone", "+49 30 123456", "ring 0049 (30) 12 34-56", "ring [forgotten]"),
        ("customer_name", "Ann", "Anna, Ann and annual", "Anna, [forgotten] and annual"),
        ("customer_name", "Ann Lee", "to ANN  LEE,\nann lee's", "to [forgotten],\n[forgotten]'s"),
        ("customer_name", "Will", "Will will ring, WILL.", "[forgotten] will ring, [forgotten]."),
        ("customer_name", "Jürgen Weiß", "JÜRGEN WEISS, Jürgen Weiß", "[forgotten], [forgotten]"),
        ("customer_name", "ليلى حداد", "اسمي ليلى حداد", "اسمي [forgotten]"),
        ("customer_name", "ليلى", "أنا وليلى", "أنا و[forgotten]"),
        ("order_number", "LH20481137", "رقم الطلبLH20481137", "رقم الطلب[forgotten]"),
        ("must_not", "卵アレルギー", "卵アレルギーがあります", "[forgotten]があります"),
        ("must_not", "peanuts", "no PEANUTS; a peanut", "no [forgotten]; a peanut"),
        ("must_not", "peanut", "peanuts, peanutty", "[forgotten], [forgotten]"),
        ("preference", "mornings for deliveries", "I like deliveries in the morning. Good morning!",
         "I like [forgotten] in the [forgotten]. Good morning!"),
        ("budget", "1,500 EUR", "at most 1500 EUR, not 15000", "at most [forgotten], not 15000"),
        ("note", "has 3 cats", "3 cats? A cat. 3 dogs!", "[forgotten]? A cat. 3 dogs!"),
    ],
)  # fmt: skip
def test_each_spelling_goes_and_what_only_looks_like_it_stays(
    kind: str, value: str, text: str, left: str
) -> None:
    assert redactor(value, kind).hidden(text) == left


def test_where_it_was_stated_its_parts_and_the_quote_go_as_well() -> None:
    said = redactor("allergic to penicillin", "must_not", quotes=["Penicillin gives me a rash"])
    words = "Well, penicillin  gives me a rash. Is that so?"
    assert said.hidden(words) == words
    assert said.hidden(words, near=True) == "Well, [forgotten]. Is that so?"
    assert said.hidden("No allergies then?", near=True) == "No [forgotten] then?"


@pytest.mark.parametrize("value", ["5", "100", "ok", "–"])
def test_what_says_too_little_is_looked_for_only_where_it_was_stated(value: str) -> None:
    short = redactor(value, "budget", quotes=[f"at most {value} please"])
    assert short.hidden(f"That is {value}.") == f"That is {value}."
    assert not short.holds(f"That is {value}.")
    near = short.hidden(f"at most {value} please", near=True)
    assert near == (f"at most {MARK} please" if value != "–" else f"at most {value} please")


def test_a_judged_value_is_hidden_by_its_quote() -> None:
    judged = redactor("frustrated", "mood", quotes=["this is the third time"])
    assert judged.hidden("You are frustrated") == "You are frustrated"
    assert judged.hidden("This is the third time!", near=True) == f"{MARK}!"


def test_it_is_known_again_by_kind_and_by_spelling() -> None:
    one = redactor("Ann Lee", "customer_name")
    assert one.is_it("customer_name", "ann  lee.")
    assert one.is_it("note", "ANN-LEE")
    assert not one.is_it("customer_name", "Ann")
    assert not one.is_it("customer_name", " ")
    assert not redactor("5", "budget").is_it("deadline", "5")
    assert redactor("5", "budget").is_it("budget", "5")


def test_what_is_wanted_names_every_turn_and_quote_that_stated_it_there() -> None:
    stated = [
        fact("note", "tea", turn=4, quote="I like tea"),
        fact("note", "Tea", turn=2, quote=" "),
        fact("note", "tea", turn=0, quote="said elsewhere"),
        fact("note", "coffee", turn=3),
    ]
    wanted = Wanted(kind="note", value="tea", turns=[2, 4], quotes=["I like tea"])
    assert wanted_of(fact("note", "tea", turn=9, quote="from the profile"), stated) == wanted


SIGNS = st.text(string.ascii_letters + string.digits + " .-_,[]é卵ß\n", max_size=60)
VALUES = st.text(string.ascii_letters + string.digits + " .-é卵ß", min_size=1, max_size=12)
KINDS = st.sampled_from(["order_number", "customer_name", "note", "budget", "mood"])


@given(value=VALUES, kind=KINDS, text=SIGNS, near=st.booleans(), quote=SIGNS)
def test_what_is_hidden_stays_hidden_and_nothing_is_added(
    value: str, kind: str, text: str, near: bool, quote: str
) -> None:
    one = redactor(value, kind, quotes=[quote])
    left = one.hidden(text, near=near)
    assert one.hidden(left, near=near) == left
    assert not one.holds(left, near=near)
    rest = iter(text)
    assert all(sign in rest for sign in left.replace(MARK, ""))


@given(
    value=st.from_regex(r"[A-Z]{2}[0-9]{6,10}", fullmatch=True),
    before=SIGNS,
    after=SIGNS,
    gap=st.sampled_from(["", " ", ".", "-", " - "]),
)
def test_an_identifier_is_in_nothing_that_is_left(
    value: str, before: str, after: str, gap: str
) -> None:
    spelt = gap.join([value[:2], value[2:5], value[5:]]) if len(gap) < 3 else value
    left = redactor(value, "order_number").hidden(f"{before} {spelt.lower()} {after}")
    assert value.casefold() not in "".join(c for c in left.casefold() if c.isalnum()).replace(
        "forgotten", " "
    )
