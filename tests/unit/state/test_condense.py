"""Keeping a summary within its length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.condense import condensed, oldest_happened, within
from state.summary import KINDS, Changes, NewItem, Summary, SummaryItem, item_tokens
from tests.unit.state.talk import item, summary


@st.composite
def summaries(draw: st.DrawFn) -> Summary:
    kinds = draw(st.lists(st.sampled_from(KINDS), max_size=25))
    return summary(
        *(item(n, "A note of some length.", kind=k, turns=[n]) for n, k in enumerate(kinds, 1)),
        through=len(kinds),
    )


budgets = st.integers(0, 300)


@given(summaries(), budgets)
def test_nothing_is_added_or_changed_and_what_went_is_told(before: Summary, budget: int) -> None:
    after, gone = within(before, budget)
    assert [i for i in before["items"] if i not in gone] == after["items"]
    assert {**after, "items": before["items"]} == before


@given(summaries(), budgets)
def test_a_summary_never_takes_more_than_twice_its_budget(before: Summary, budget: int) -> None:
    assert item_tokens(within(before, budget)[0]["items"]) <= 2 * budget


@given(summaries(), budgets)
def test_what_is_decided_or_open_goes_last(before: Summary, budget: int) -> None:
    after, gone = within(before, budget)
    kept = after["items"]
    lasting = [i for i in gone if i["kind"] not in {"happened", "now"}]
    if lasting:
        others = [i for i in before["items"] if i["kind"] != "happened"]
        assert item_tokens(others) > 2 * budget
        assert not any(i["kind"] == "happened" for i in kept)
        assert max(i["id"] for i in lasting) < min((i["id"] for i in kept), default=100)


@given(summaries(), budgets)
def test_what_happened_goes_oldest_first_and_no_more_than_needed(
    before: Summary, budget: int
) -> None:
    after, gone = within(before, budget)
    went = [i for i in gone if i["kind"] == "happened"]
    stayed = [i for i in after["items"] if i["kind"] == "happened"]
    assert all(old["id"] < new["id"] for old in went for new in stayed)
    if went:
        assert item_tokens([*after["items"], went[-1]]) > budget


@given(summaries())
def test_how_things_stood_long_ago_goes(before: Summary) -> None:
    now = [i for i in before["items"] if i["kind"] == "now"]
    after, _ = within(before, 10_000)
    assert [i for i in after["items"] if i["kind"] == "now"] == now[-6:]


OLD = [
    item(1, "User bought lamp 4471 from Orla.", turns=[2]),
    item(2, "The lamp came, cracked.", turns=[4]),
]
NEW = item(3, "User went sailing.", turns=[9])
LAMP = item(4, "User wants no calls.", kind="decided", turns=[3])
BEFORE = summary(*OLD, NEW, LAMP, through=10)


def test_the_older_half_of_what_happened() -> None:
    four = summary(*OLD, LAMP, NEW, item(5, "User came back.", turns=[10]))
    assert oldest_happened(four) == OLD
    assert oldest_happened(summary(NEW)) == []


def items_after(*add: NewItem, close: list[int]) -> list[SummaryItem]:
    return condensed(BEFORE, OLD, Changes(add=list(add), close=close))["items"]


def test_old_items_are_said_in_fewer_words_where_they_stood() -> None:
    shorter = NewItem(kind="happened", text="Lamp 4471 came cracked.", turns=[2, 4])
    assert items_after(shorter, close=[1, 2]) == [
        item(5, "Lamp 4471 came cracked.", turns=[2, 4]),
        LAMP,
        NEW,
    ]


def test_only_the_old_items_may_be_closed_and_only_what_happened_comes_in() -> None:
    other = NewItem(kind="decided", text="Lamp 4471 came.", turns=[2])
    kept = items_after(other, close=[1, 3, 4, 99])
    assert [(i["id"], i["kind"]) for i in kept] == [
        (5, "happened"), (4, "decided"), (2, "happened"), (3, "happened"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["Lamp 4472 came.", "Barbara came; she met Boris.", "..."])
def test_what_the_old_items_do_not_hold_changes_nothing(text: str) -> None:
    invented = NewItem(kind="happened", text=f"There {text}", turns=[2])
    assert condensed(BEFORE, OLD, Changes(add=[invented], close=[1, 2])) == BEFORE or text == "..."


def test_nothing_is_closed_when_nothing_stands_in_its_place() -> None:
    assert condensed(BEFORE, OLD, Changes(close=[1, 2])) == BEFORE
    placeholder = NewItem(kind="happened", text="...", turns=[2])
    assert condensed(BEFORE, OLD, Changes(add=[placeholder], close=[1, 2])) == BEFORE
