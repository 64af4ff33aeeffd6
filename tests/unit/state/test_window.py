"""The plan of what leaves the window."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.exchanges import Exchange
from state.marks import Mark, Marks
from state.window import size, staying, to_fold
from tests.unit.state.talk import exchange, talks

MARKS = Marks(high=Mark(120), low=Mark(60), hard=1000)
IN_TURNS = Marks(high=Mark(4, "turns"), low=Mark(2, "turns"), hard=1000)
marks = st.sampled_from([MARKS, IN_TURNS])
ALL = 1000


@given(talks(), marks, st.integers(-1, 10))
def test_only_what_is_archived_leaves_and_the_previous_exchange_stays(
    talk: list[Exchange], marks: Marks, archived: int
) -> None:
    count = to_fold(talk, marks, safe=archived)
    assert 0 <= count <= max(0, archived)
    if count:
        kept = talk[count:]
        assert kept[-1].answered or len(kept) >= 2


@given(talks(), marks)
def test_above_the_high_mark_the_fewest_leave_that_bring_it_to_the_low_mark(
    talk: list[Exchange], marks: Marks
) -> None:
    count = to_fold(talk, marks, safe=ALL)
    if size(talk, marks.high) <= marks.high.amount:
        assert count == 0
        return
    most = len(talk) - staying(talk)
    assert count == max(most, 0) or size(talk[count:], marks.low) <= marks.low.amount
    if count:
        assert size(talk[count - 1 :], marks.low) > marks.low.amount


@given(talks(), marks)
def test_above_the_high_mark_something_leaves_if_anything_may(
    talk: list[Exchange], marks: Marks
) -> None:
    if size(talk, marks.high) > marks.high.amount and len(talk) > staying(talk):
        assert to_fold(talk, marks, safe=ALL) > 0


@given(talks(), marks)
def test_the_same_window_is_never_folded_twice(talk: list[Exchange], marks: Marks) -> None:
    left = talk[to_fold(talk, marks, safe=ALL) :]
    if len(left) > staying(left):
        assert to_fold(left, marks, safe=ALL) == 0 or left == talk


@pytest.mark.parametrize(("turns", "expected"), [(0, 0), (1, 0), (4, 0), (5, 3), (6, 4), (100, 98)])
def test_marks_in_turns(turns: int, expected: int) -> None:
    talk = [exchange(n) for n in range(1, turns + 1)]
    assert to_fold(talk, IN_TURNS, safe=ALL) == expected


def test_one_huge_exchange_stays_and_pushes_the_others_out() -> None:
    talk = [exchange(1), exchange(2), exchange(3, words=5000)]
    assert to_fold(talk, MARKS, safe=ALL) == 2
    assert to_fold([exchange(1, words=5000)], MARKS, safe=ALL) == 0
    assert to_fold([exchange(1, words=5000), exchange(2)], MARKS, safe=ALL) == 1


def test_while_a_reply_is_awaited_the_exchange_before_it_stays_too() -> None:
    talk = [exchange(1), exchange(2, words=5000), exchange(3, answered=False)]
    assert to_fold(talk, MARKS, safe=ALL) == 1
