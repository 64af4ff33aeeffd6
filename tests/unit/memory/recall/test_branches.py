"""What left the window is read from the transcript once, as it grows."""

from collections.abc import Iterable

from langgraph.store.base import GetOp, Op, Result
from langgraph.store.memory import InMemoryStore

from memory import names, whole
from memory.recall.branches import Branches
from memory.recall.ranking import DEFAULT
from memory.transcript import key_of, write
from state.exchanges import Exchange
from state.identity import Owner
from state.session import RowKey, Trail
from tests.unit.state.talk import exchange

ME = Owner(kind="thread", id="t")


class CountingStore(InMemoryStore):
    """Counts the items that are read."""

    read = 0

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        every = list(ops)
        self.read += sum(isinstance(op, GetOp) for op in every)
        return await super().abatch(every)


def said(first: int, last: int) -> list[tuple[int, Exchange]]:
    return [(turn, exchange(turn)) for turn in range(first, last + 1)]


def where(turn: int, thread: str = "t") -> RowKey:
    return key_of(thread, turn, said(turn, turn)[0][1])


async def talk(store: InMemoryStore, first: int, last: int, trail: Trail | None = None) -> Trail:
    trail = await write(store, "t", said(first, last), trail)
    assert trail is not None
    return trail


async def test_rows_of_the_window_are_not_read_when_its_oldest_is_known() -> None:
    store, branches = CountingStore(), Branches(ranking=DEFAULT)
    trail = await talk(store, 1, 40)

    branch = await branches.of(store, "t", trail, 20, ME, oldest=where(21))
    assert branch.end == where(20)
    assert list(branch.rows) == [where(turn)["key"] for turn in range(1, 21)]
    store.read = 0
    trail = await talk(store, 41, 42, trail)
    assert await branches.of(store, "t", trail, 20, ME, oldest=where(21)) is branch
    assert store.read == 0


async def test_a_copy_finds_its_parents_rows_though_it_wrote_no_oldest_one() -> None:
    store, branches = CountingStore(), Branches(ranking=DEFAULT)
    trail = await talk(store, 1, 40)
    branch = await branches.of(store, "copy", trail, 20, ME, oldest=where(21, "copy"))
    assert branch.end == where(20)


async def test_what_is_kept_follows_and_the_next_search_reads_nothing() -> None:
    store, branches = CountingStore(), Branches(ranking=DEFAULT)
    trail = await talk(store, 1, 40)
    await branches.follow(store, "t", Trail(last=where(10), block=None))
    assert store.read == 0  # nobody searched yet
    branch = await branches.of(store, "t", trail, 10, ME, oldest=where(11))

    await branches.follow(store, "t", Trail(last=where(20), block=None))
    assert len(branch.rows) == 20
    store.read = 0
    await branches.of(store, "t", trail, 20, ME, oldest=where(21))
    assert store.read == 1


async def test_after_a_forgetting_every_row_is_read_anew() -> None:
    store, branches = InMemoryStore(), Branches(ranking=DEFAULT)
    trail = await talk(store, 1, 40)
    branch = await branches.of(store, "t", trail, 20, ME)
    for item in await whole.items(store, names.transcript("t")):
        messages = [{**item.value["messages"][0], "content": "[forgotten]"}]
        await store.aput(item.namespace, item.key, {**item.value, "messages": messages})

    assert {d.user for d in branch.lexical.documents} == {"word word word "}
    branch = await branches.of(store, "t", trail, 20, ME, forgotten=1)
    assert [d.user for d in branch.lexical.documents] == ["[forgotten]"] * 20
    assert len(branch.rows) == 20
