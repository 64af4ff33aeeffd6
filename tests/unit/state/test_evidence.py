"""Changes checked against the words they claim to come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.evidence import check, missing
from state.summary import KINDS, Changes, NewItem, Rewording
from state.wording import folded
from tests.unit.state.talk import item, summary

TOLD = {
    5: '<turn n="5" date="2026-06-01">\n<user>My order 4471 is late, says Anna.</user>\n</turn>',
    6: '<turn n="6" date="2026-06-02">\n<user>Mail me at a.b@example.com</user>\n</turn>',
    7: '<turn n="7" date="2026-06-02">\n<assistant>Expect it by Friday.</assistant>\n</turn>',
}
BEFORE = summary(item(1, "User has ordered from Orla no. 12.", kind="open", turns=[2]), through=4)


def turns_of(text: str, *named: int, told: dict[int, str] = TOLD) -> list[int]:
    """The turns that a new item with this text comes to name; none when it was dropped."""
    checked = check(
        Changes(add=[NewItem(kind="happened", text=text, turns=list(named))]), BEFORE, told
    )
    assert len(checked.changes.add) + len(checked.dropped) == 1
    return [turn for each in checked.changes.add for turn in each.turns]


@pytest.mark.parametrize(
    ("text", "named", "turns"),
    [
        ("Order 4471 is late.", [5], [5]),
        ("Order 4471 is late.", [6], [5, 6]),
        ("Order 4471 is late.", [2], [5]),
        ("Order 4471 is late.", [2, 5, 5, 99], [5]),
        ("Order 4471 is late.", [], [5]),
        ("Order 4471 is late, mail a.b@example.com.", [7], [5, 6, 7]),
        ("User knows Anna.", [7], [5, 7]),
        ("User knows Anna's mother.", [5], [5]),
        ("It was said on 2026-06-02.", [7], [7]),
        ("Something without a claim.", [7], [7]),
    ],
)
def test_claims_point_an_item_to_the_turns_that_hold_them(
    text: str, named: list[int], turns: list[int]
) -> None:
    assert turns_of(text, *named) == turns


@pytest.mark.parametrize(
    "text",
    [
        "Order 4472 is late.",
        "Order 447 is late.",
        "Order 44711 is late.",
        "User knows Barbara.",
        "Mail a.b@example.org.",
        "It costs 20 euros.",
        "...",
        "N/A",
        "(none)",
        "-",
        "_",
    ],
)
def test_what_was_not_said_is_dropped(text: str) -> None:
    assert turns_of(text, 5, 6, 7) == []


def test_an_item_that_names_no_turn_and_shares_no_word_is_dropped() -> None:
    assert turns_of("Quite unrelated gossip.") == []
    assert turns_of("Quite unrelated gossip.", 1) == []


def test_a_rewording_may_keep_what_its_item_held() -> None:
    changes = Changes(
        reword=[Rewording(id=1, text="User has no. 12 from Orla since Friday.", turns=[7])]
    )
    checked = check(changes, BEFORE, TOLD)
    assert (checked.changes, checked.dropped) == (changes, [])


@pytest.mark.parametrize(
    "changes",
    [
        Changes(reword=[Rewording(id=1, text="User has no. 13.", turns=[7])]),
        Changes(reword=[Rewording(id=9, text="User has no. 13.", turns=[7])]),
        Changes(close=[9]),
        Changes(close=[0, -1]),
    ],
)
def test_a_change_of_an_unknown_item_or_to_what_nobody_said_is_dropped(changes: Changes) -> None:
    checked = check(changes, BEFORE, TOLD)
    assert checked.changes == Changes()
    assert len(checked.dropped) == len(changes.reword) + len(changes.close)


def test_a_rewording_of_no_item_is_a_new_one() -> None:
    changes = Changes(reword=[Rewording(id=9, text="User waits.", turns=[7])])
    new = NewItem(kind="happened", text="User waits.", turns=[7])
    assert check(changes, BEFORE, TOLD).changes == Changes(add=[new])


def test_a_note_in_the_words_of_another_gives_it_its_turns() -> None:
    """A small model noted one sentence for every turn, word for word."""
    known = summary(item(1, "User calls Anna.", kind="open", turns=[2]), through=4)
    again = [NewItem(kind="open", text=text, turns=[5]) for text in ("User calls Anna", "No.")]
    more = [NewItem(kind="open", text="user calls Anna.", turns=[6])]
    other = [NewItem(kind="decided", text=f"Anna is late{end}", turns=[5]) for end in (".", "!")]

    checked = check(Changes(add=[*again, *more, *other]), known, {**TOLD, 6: "No, Anna."})

    assert [(c.id, c.text, c.turns) for c in checked.changes.reword] == [
        (1, "User calls Anna.", [5, 6])
    ]
    assert [(c.text, c.turns) for c in checked.changes.add] == [
        ("No.", [5]),
        ("Anna is late.", [5]),
    ]


def test_a_note_in_the_words_of_a_closed_one_is_new() -> None:
    known = summary(item(1, "User calls Anna.", kind="open", turns=[2]), through=4)
    again = NewItem(kind="open", text="User calls Anna.", turns=[5])

    checked = check(Changes(add=[again], close=[1]), known, TOLD)

    assert checked.changes == Changes(add=[again], close=[1])


def test_a_known_item_is_closed() -> None:
    assert check(Changes(close=[1]), BEFORE, TOLD).changes == Changes(close=[1])


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("注文番号は４４７１です。", "User's order is 4471."),
        ("注文番号は4471です。", "ユーザーの注文番号は４４７１。"),
        ("رقم طلبي ٤٤٧١", "Order number 4471."),
        ("رقم طلبي 4471", "رقم الطلب ٤٤٧١"),
        ("我的订单号是4471，共３件。", "用户订单4471，3件。"),
        ("ich habe drei Pakete bestellt", "User hat 3 Pakete bestellt."),
        ("my two dogs", "User has 2 dogs."),
        (
            "ich habe die lampe bestellt und sie wird nicht geliefert",
            "User wartet auf die Zustellung seiner Bestellung.",
        ),
        ("Я говорил с Анной", "Разговор с Анна был."),
        ("see you at 5 pm on June 3", "They meet at 5pm on June 3rd."),
    ],
)
def test_other_languages_scripts_and_inflections_hold(said: str, text: str) -> None:
    assert turns_of(text, 8, told={8: said}) == [8]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("注文番号は４４７１です。", "注文番号は４４７２です。"),
        ("رقم طلبي ٤٤٧١", "رقم الطلب ٤٤٧٢"),
        ("ich habe die Lampe mit der Nummer 77 und sie ist da", "Die Nummer ist 78."),
        ("Меня зовут Анна", "Его зовут Борис"),
    ],
)
def test_other_languages_and_scripts_are_not_taken_on_trust(said: str, text: str) -> None:
    assert turns_of(text, 8, told={8: said}) == []


texts = st.lists(
    st.sampled_from(["Anna", "Bob", "4471", "99", "lamp", "is", "late", "...", "注文", "٤٤"]),
    min_size=1,
    max_size=5,
).map(" ".join)
numbers = st.lists(st.integers(-1, 9), max_size=4)
changes = st.builds(
    Changes,
    add=st.lists(
        st.builds(NewItem, kind=st.sampled_from(KINDS), text=texts, turns=numbers), max_size=3
    ),
    reword=st.lists(
        st.builds(Rewording, id=st.integers(0, 3), text=texts, turns=numbers), max_size=3
    ),
    close=numbers,
)


@given(changes, st.dictionaries(st.integers(5, 9), texts, max_size=4))
def test_whatever_a_model_says_what_holds_names_known_items_and_folded_turns(
    changes: Changes, told: dict[int, str]
) -> None:
    checked = check(changes, BEFORE, told)
    kept = checked.changes
    for turns in [*(new.turns for new in kept.add), *(change.turns for change in kept.reword)]:
        assert turns
        assert set(turns) <= set(told)
    for new in kept.add:
        assert missing(new.text, folded(" ".join(told[t] for t in new.turns))) == set()
    assert {each.id for each in kept.reword} | set(kept.close) <= {1}
    given = len(changes.add) + len(changes.reword) + len(changes.close)
    left = len(kept.add) + len(kept.reword) + len(kept.close) + len(checked.dropped)
    assert min(given, 1) <= left <= given
