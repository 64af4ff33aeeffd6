"""Ids as people and clients choose them, in namespaces that they can neither break nor widen."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from memory import names
from state.text import storable_id

SPACES = [names.images, names.transcript, names.desk, names.leases, names.log]
HOSTILE = [
    "a",
    "ab",
    "a.b",
    "a/b",
    "a%2Eb",
    "a%",
    "%",
    "*",
    "a_b",
    "a@b.c",
    "longhaul",
    "..",
    "ä",
    "A",
]

printable = st.characters(exclude_categories=["C", "Z"])
ids = st.text(printable, min_size=1, max_size=30).filter(storable_id) | st.sampled_from(HOSTILE)


@given(ids)
def test_an_id_is_one_label_and_can_be_read_back(id: str) -> None:
    label = names.encoded(id)
    assert label
    assert not set(label) & set("./*")
    assert label.isascii()
    assert names.decoded(label) == id


@given(ids, ids)
def test_two_ids_share_no_namespace(one: str, other: str) -> None:
    for space in SPACES:
        assert (space(one) == space(other)) == (one == other)


@given(ids)
def test_all_that_belongs_to_a_thread_lies_under_it_and_apart(id: str) -> None:
    spaces = sorted(space(id) for space in SPACES)
    assert all(space[:3] == names.thread(id) and len(space) == 4 for space in spaces)
    assert all(one != other for one, other in pairwise(spaces))


@pytest.mark.parametrize("space", SPACES)
def test_the_store_takes_every_namespace_and_mixes_none(
    space: Callable[[str], tuple[str, ...]],
) -> None:
    store = InMemoryStore()
    store.batch([PutOp(space(each), "key", {"id": each}) for each in HOSTILE])
    for each in HOSTILE:
        [found, listed] = store.batch([GetOp(space(each), "key"), SearchOp(names.thread(each))])
        assert getattr(found, "value", None) == {"id": each}
        assert [item.value for item in listed or ()] == [{"id": each}]  # type: ignore[union-attr]
    prefix = MatchCondition("prefix", names.THREADS)
    [spaces] = store.batch([ListNamespacesOp((prefix,), limit=100)])
    assert spaces == sorted(space(each) for each in HOSTILE)


@given(st.integers(1, 10**8 - 1), st.lists(ids, min_size=1), st.lists(ids, min_size=1))
def test_a_rows_key_tells_its_turn_and_its_messages_apart(
    turn: int, one: list[str], other: list[str]
) -> None:
    key = names.row_key(turn, one)
    assert int(key.partition("-")[0]) == turn
    assert (key == names.row_key(turn, other)) == (one == other)
    assert key < names.row_key(turn + 1, other) or turn + 1 == 10**8
