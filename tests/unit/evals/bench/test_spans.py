"""Which turns are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.bench.spans import BLOCK, spans


@given(st.integers(12, 3000))
def test_the_blocks_are_all_turns_in_order_and_none_crosses_an_end(turns: int) -> None:
    found = spans(turns)

    assert [turn for block in found.blocks for turn in block] == list(range(1, turns + 1))
    assert all(1 <= len(block) <= BLOCK for block in found.blocks)
    for end in (found.first, found.last):
        assert len(end) == found.edge
        inside = [turn for b in found.blocks if b.start in end for turn in b]
        assert inside == list(end)


@given(st.integers(12, 3000))
def test_the_ends_do_not_overlap_and_follow_the_warm_up(turns: int) -> None:
    found = spans(turns)

    assert found.warm_up < found.first.start < found.first.stop <= found.last.start
    assert found.last.stop == turns + 1


def test_the_ends_of_a_long_conversation() -> None:
    found = spans(2000)

    assert (found.first, found.last) == (range(251, 301), range(1951, 2001))


@given(st.integers(12, 3000))
def test_a_young_conversation_ends_with_the_first_end(turns: int) -> None:
    whole = spans(turns)

    assert whole.young.first == whole.young.last == whole.first
    assert [b for b in whole.blocks if b.start < whole.first.stop] == whole.young.blocks


def test_too_few_turns_are_refused() -> None:
    with pytest.raises(ValueError, match="11 turns"):
        spans(11)
