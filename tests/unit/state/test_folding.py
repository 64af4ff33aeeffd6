"""A finished compaction, and the windows that it fits."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from state.exchanges import Exchange, group
from state.folding import Post, apply, fits
from state.messages import merge_messages
from state.session import SessionState
from state.usage import ModelUsage
from state.window import staying
from tests.unit.state.talk import exchange, item, summary, talks, window
from tests.unit.state.told import fact

BEFORE = 4
"""Turns that an earlier compaction folded."""
FACTS = {"customer_name": [fact("customer_name", "Ann", turn=5)]}


def state_of(talk: list[Exchange]) -> SessionState:
    return SessionState(
        messages=window(talk),
        summary=summary(item(1, "User has a dog."), through=BEFORE),
        memory_version=2,
        archived_through=BEFORE + len(talk),
        extracted_through=BEFORE + len(talk),
    )


def post_of(talk: list[Exchange], count: int) -> Post:
    return Post(
        version=2,
        ids=[str(m.id) for each in talk[:count] for m in each.messages],
        summary=summary(item(1, "User has a dog."), through=BEFORE + count),
    )


folds = talks(first=BEFORE + 1).flatmap(
    lambda talk: st.tuples(st.just(talk), st.integers(0, len(talk)))
)


@given(folds)
def test_the_oldest_exchanges_fit_unless_they_must_stay(
    fold: tuple[list[Exchange], int],
) -> None:
    talk, count = fold
    assert fits(state_of(talk), post_of(talk, count)) == (0 < count <= len(talk) - staying(talk))


ONE = ModelUsage(requests=1, input_tokens=5, cached_tokens=0, output_tokens=1)


@given(folds)
def test_what_is_applied_leaves_whole_exchanges_and_the_new_summary(
    fold: tuple[list[Exchange], int],
) -> None:
    talk, count = fold
    post = post_of(talk, count)
    if not fits(state_of(talk), post):
        return
    update = apply(
        {**post, "usage": {"s": ONE}}, {**state_of(talk), "facts": FACTS, "usage": {"s": ONE}}
    )
    left = merge_messages(window(talk), update["messages"])
    assert left == window(talk[count:])
    assert group(left) == talk[count:]
    assert update["summary"] == post["summary"]
    assert update["memory_version"] == 3
    assert update["pinned"] == FACTS
    assert update["usage"]["s"]["requests"] == 2


@given(folds)
def test_what_was_applied_fits_no_more(fold: tuple[list[Exchange], int]) -> None:
    talk, count = fold
    state, post = state_of(talk), post_of(talk, count)
    if not fits(state, post):
        return
    update = apply(post, state)
    left = merge_messages(state["messages"], update["messages"])
    again = cast("SessionState", {**state, **update, "messages": left})
    assert not fits(again, post)


TALK = [exchange(n, tools=n % 2) for n in range(5, 10)]
FOLD = post_of(TALK, 2)


def ids(*numbers: int) -> list[str]:
    return [
        str(m.id)
        for each in TALK
        if each.messages[0].id in {f"u{n}" for n in numbers}
        for m in each.messages
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"version": 1},
        {"version": 3},
        {"ids": []},
        {"ids": ids(6, 7)},
        {"ids": ids(5, 7)},
        {"ids": ids(5, 6)[:-1]},
        {"ids": ids(5, 6)[1:]},
        {"ids": ids(5, 6)[::-1]},
        {"ids": [*ids(5, 6), "u7"]},
        {"ids": [*ids(5), "other", *ids(6)[1:]]},
        {"ids": ids(5, 6, 7)},
        {"ids": ids(5, 6, 7, 8, 9)},
        {"summary": summary(through=BEFORE + 1)},
        {"summary": summary(through=BEFORE + 3)},
        {"summary": summary(through=2)},
    ],
    ids=str,
)
def test_other_exchanges_another_version_or_another_reach_do_not_fit(
    wrong: dict[str, object],
) -> None:
    assert fits(state_of(TALK), FOLD)
    assert not fits(state_of(TALK), cast("Post", {**FOLD, **wrong}))


def test_what_this_branch_did_not_archive_does_not_leave() -> None:
    state = state_of(TALK)
    assert fits({**state, "archived_through": BEFORE + 2}, FOLD)
    assert not fits({**state, "archived_through": BEFORE + 1}, FOLD)


def test_the_window_of_a_new_message_keeps_the_exchange_before_it() -> None:
    edited = [*TALK[:-1], Exchange((HumanMessage("Other words", id="u9"),))]
    post = post_of(TALK, 4)
    assert fits(state_of(TALK), post)
    assert not fits(state_of(edited), post)


def test_an_empty_thread_fits_nothing() -> None:
    assert not fits(SessionState(messages=[]), FOLD)
    assert not fits(SessionState(), FOLD)
