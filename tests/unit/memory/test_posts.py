"""What lies on a thread's desk, and who may work at it."""

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import Op
from langgraph.store.memory import InMemoryStore

from memory import posts
from state.folding import Post
from state.summary import EMPTY

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
SECONDS = 30.0
LATER = NOW + timedelta(seconds=SECONDS)
RESULT = Post(version=0, ids=["u1", "a1"], summary={**EMPTY, "through": 1})
FAILURES = posts.Failures(
    first_id="u1", count=1, refused=1, size=2, retry_at=LATER.isoformat(), cause="Because."
)


async def take(store: InMemoryStore, holder: str, now: datetime = NOW) -> bool:
    seen = await posts.look(store, "t")
    return await posts.take_lease(store, "t", holder, seen, now=now, seconds=SECONDS)


async def test_one_holder_at_a_time_until_it_gives_up() -> None:
    store = InMemoryStore()
    assert await take(store, "a")
    assert (await posts.look(store, "t")).busy(NOW)
    assert not await take(store, "b")
    await posts.release(store, "t", "a")
    assert not (await posts.look(store, "t")).busy(NOW)
    assert await take(store, "b")


async def test_a_dead_holder_is_believed_for_a_while_and_swept_away() -> None:
    store = InMemoryStore()
    assert await take(store, "dead")
    assert not await take(store, "b", LATER - timedelta(seconds=1))
    assert await take(store, "c", LATER)
    assert set((await posts.look(store, "t")).leases) == {"c"}


async def test_a_living_holder_says_so() -> None:
    store = InMemoryStore()
    assert await take(store, "a")
    await posts.renew_lease(store, "t", "a", now=LATER, seconds=SECONDS)
    assert not await take(store, "b", LATER)


@pytest.mark.parametrize("leave", [posts.post, posts.post_failure])
async def test_a_desk_that_changed_since_it_was_seen_is_left(leave: Any) -> None:
    store = InMemoryStore()
    seen = await posts.look(store, "t")
    await leave(store, "t", RESULT if leave is posts.post else FAILURES)
    assert not await posts.take_lease(store, "t", "b", seen, now=NOW, seconds=SECONDS)
    assert await take(store, "b")


async def test_threads_have_desks_of_their_own() -> None:
    store = InMemoryStore()
    assert await take(store, "a")
    await posts.post(store, "t", RESULT)
    desk = await posts.look(store, "t2")
    assert (desk.leases, desk.result, desk.failures) == ({}, None, None)


async def test_a_result_forgets_the_failures_and_a_later_one_takes_its_place() -> None:
    store = InMemoryStore()
    await posts.post_failure(store, "t", FAILURES)
    assert (await posts.look(store, "t")).failures == FAILURES
    await posts.post(store, "t", RESULT)
    desk = await posts.look(store, "t")
    assert (desk.result, desk.failures) == (RESULT, None)
    await posts.post(store, "t", {**RESULT, "version": 1})
    assert (await posts.look(store, "t")).result == {**RESULT, "version": 1}


async def test_failures_count_for_the_window_that_they_are_of() -> None:
    store = InMemoryStore()
    await posts.post_failure(store, "t", FAILURES)
    desk = await posts.look(store, "t")
    assert desk.failures_of("u1") == FAILURES
    assert desk.must_wait("u1", NOW)
    assert not desk.must_wait("u1", LATER)
    assert desk.failures_of("u2") is None
    assert not desk.must_wait("u2", NOW)


class Interleaved(InMemoryStore):
    """Lets others run before each of its operations, as often as it is told."""

    def __init__(self, pauses: Iterable[int]) -> None:
        super().__init__()
        self._pauses = iter(pauses)

    async def abatch(self, ops: Iterable[Op]) -> list[Any]:
        for _ in range(next(self._pauses, 0)):
            await asyncio.sleep(0)
        return await super().abatch(ops)


@given(st.lists(st.integers(0, 4), max_size=24), st.integers(2, 4))
async def test_of_all_that_come_at_once_one_at_most_is_at_work(
    pauses: list[int], holders: int
) -> None:
    store = Interleaved(pauses)
    taken = await asyncio.gather(*(take(store, str(n)) for n in range(holders)))
    assert sum(taken) <= 1
