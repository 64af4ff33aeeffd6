"""The facts without room in the state, found by their words."""

from collections.abc import Iterable

import pytest
from langgraph.store.base import GetOp, Op, PutOp, Result
from langgraph.store.memory import InMemoryStore

from memory.spilled import find, spill
from state.facts import Fact
from tests.unit.state.told import fact


class CountingStore(InMemoryStore):
    """Counts the characters that are read and written, by key alone."""

    read = 0
    written = 0

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        every = list(ops)
        assert all(isinstance(op, GetOp | PutOp) for op in every)
        found = await super().abatch(every)
        self.read += sum(len(str(item)) for item in found if item is not None)
        self.written += sum(len(str(op.value)) for op in every if isinstance(op, PutOp))
        return found


def note(value: str, turn: int = 1) -> Fact:
    return fact("note", value, turn=turn)


async def values(store: InMemoryStore, words: str, *threads: str, through: int = 9) -> list[str]:
    found = await find(store, threads or ("t",), words, through=through)
    return sorted(each["value"] for each in found)


async def test_a_fact_is_found_by_its_words_alone() -> None:
    store = InMemoryStore()
    await spill(store, "t", [note("the red kite"), note("a blue boat")], turn=2)
    assert await values(store, "Where is my KITE?") == ["the red kite"]
    assert await values(store, "kite, boat") == ["a blue boat", "the red kite"]
    assert await values(store, "kite", "other") == []
    assert await values(store, "") == []


async def test_what_the_state_took_back_stands_where_it_had_not_yet() -> None:
    store = InMemoryStore()
    await spill(store, "t", [note("red kite")], turn=2)
    for _ in range(2):
        await spill(store, "t", [], back=[note("red kite")], turn=5)
    assert await values(store, "kite", through=4) == ["red kite"]
    assert await values(store, "kite", through=5) == []
    await spill(store, "t", [note("red kite")], turn=7)
    assert await values(store, "kite", through=7) == ["red kite"]


async def test_a_branch_does_not_see_what_was_said_after_it_began() -> None:
    store = InMemoryStore()
    await spill(store, "t", [note("red kite", turn=6)], turn=7)
    assert await values(store, "kite", through=5) == []


async def test_a_copy_finds_what_its_parent_has_and_changes_nothing_of_it() -> None:
    store = InMemoryStore()
    await spill(store, "parent", [note("red kite"), note("red boat")], turn=2)
    await spill(store, "copy", [note("red car")], back=[note("red kite")], turn=4)
    assert await values(store, "red", "copy", "parent") == ["red boat", "red car"]
    assert await values(store, "red", "parent") == ["red boat", "red kite"]


@pytest.mark.parametrize("words", ["number 77", "is it the same as before?" * 9])
async def test_what_is_read_and_written_does_not_grow_with_the_facts(words: str) -> None:
    store = CountingStore()
    reads, writes, finds = list[int](), list[int](), list[int]()
    for n in range(1000, 1500):
        store.read = store.written = 0
        await spill(store, "t", [note(f"number {n} is the same as before")], turn=n)
        found = await find(store, ["t"], words, through=n)
        reads.append(store.read)
        writes.append(store.written)
        finds.append(len(found))
    for costs in (reads, writes, finds):
        assert max(costs[100:]) <= max(costs[:100]) * 1.1


async def test_a_number_is_found_among_many_facts_that_share_its_other_words() -> None:
    store = InMemoryStore()
    for n in range(1000, 1300):
        await spill(store, "t", [note(f"the order number {n}")], turn=1)
    assert "the order number 1007" in await values(store, "what of the order number 1007?")
