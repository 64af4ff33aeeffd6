"""The exchanges of a branch that left the window, read from the transcript and kept indexed.

An index is of one process: it grows with each compaction, and is made again after a restart, or
when somebody went back to an earlier turn.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from langgraph.store.base import BaseStore

from memory.branch import read_branch
from memory.recall.documents import document
from memory.recall.lexical import Lexical
from memory.recall.ranking import Ranking
from memory.transcript import Row, owner_of, read_row, turn_of
from state.identity import Owner
from state.session import RowKey, Trail

_MOST = 200_000
"""Documents that one process keeps indexed; the branches searched longest ago go first."""
_NEW = 64
"""Rows that are read one by one, as after a compaction; for more, the thread is read whole."""


@dataclass(kw_only=True)
class Branch:
    """What left the window of one branch, as one owner may see it."""

    lexical: Lexical
    end: RowKey | None = None
    """The row of the last turn."""
    rows: dict[str, RowKey] = field(default_factory=dict)
    """Where each document's row is, by key."""
    forgotten: int = 0
    """How often something of the thread had been forgotten when its rows were read."""
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def threads(self) -> list[str]:
        """The threads that wrote its rows."""
        return list(dict.fromkeys(row["thread"] for row in self.rows.values()))


@dataclass(kw_only=True)
class Branches:
    """The branches that this process searched last."""

    ranking: Ranking
    _kept: OrderedDict[tuple[str, Owner], Branch] = field(default_factory=OrderedDict)
    _before: dict[tuple[str, str], RowKey | None] = field(default_factory=dict)
    """The row before each row of the windows."""

    async def of(
        self,
        store: BaseStore,
        thread: str,
        trail: Trail,
        through: int,
        owner: Owner,
        *,
        forgotten: int = 0,
        oldest: RowKey | None = None,
    ) -> Branch:
        """The branch of `thread` that `trail` ends, up to turn `through`.

        `forgotten` is how often something of it was forgotten: what was read before is read anew.
        `oldest` is where the exchange after `through` is if `thread` wrote it: to know saves reads.
        """
        branch = self._kept.setdefault((thread, owner), self._empty())
        self._kept.move_to_end((thread, owner))
        async with branch.busy:
            if branch.forgotten != forgotten:
                branch.lexical, branch.rows, branch.end = self._empty().lexical, {}, None
                branch.forgotten = forgotten
            end = await self._left(store, trail["last"], through, oldest)
            if end != branch.end:
                await self._brought_to(store, branch, end, owner)
        self._shrink()
        return branch

    async def follow(self, store: BaseStore, thread: str, trail: Trail) -> None:
        """Brings what is kept of `thread` to where `trail` ends, before somebody waits for it."""
        for (kept, owner), branch in list(self._kept.items()):
            if kept == thread:
                async with branch.busy:
                    if trail["last"] != branch.end:
                        await self._brought_to(store, branch, trail["last"], owner)

    def _empty(self) -> Branch:
        return Branch(lexical=Lexical(ranking=self.ranking))

    async def _left(
        self, store: BaseStore, last: RowKey, through: int, oldest: RowKey | None
    ) -> RowKey | None:
        """As `_back_to` from `last`; from `oldest`, which is nearer, if it is there."""
        near = await self._back_to(store, oldest, through) if oldest is not None else None
        return near or await self._back_to(store, last, through)

    async def _back_to(self, store: BaseStore, last: RowKey, through: int) -> RowKey | None:
        """The row of turn `through`, or of the nearest earlier one that there is."""
        at: RowKey | None = last
        while at is not None and turn_of(at) > through:
            place = (at["thread"], at["key"])
            if place not in self._before:
                if (row := await read_row(store, at)) is None:
                    return None
                if len(self._before) > _MOST:
                    self._before.clear()
                self._before[place] = row["before"]
            at = self._before[place]
        return at

    async def _brought_to(
        self, store: BaseStore, branch: Branch, end: RowKey | None, owner: Owner
    ) -> None:
        """`branch` grown to `end`, or made anew when that does not follow what it holds."""
        new = await _since(store, branch.end, end)
        if new is None:
            fresh = self._empty()
            branch.lexical, branch.rows = fresh.lexical, fresh.rows
            new = await read_branch(store, end)
        mine = [(key, row) for key, row in new if _may_see(owner, owner_of(key, row))]
        documents = [document(key["key"], row) for key, row in mine]
        await asyncio.to_thread(branch.lexical.grow, documents)
        branch.rows |= {key["key"]: key for key, _ in mine}
        branch.end = end

    def _shrink(self) -> None:
        size = sum(len(branch.rows) for branch in self._kept.values())
        while size > _MOST and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            size -= len(oldest.rows)


async def _since(
    store: BaseStore, known: RowKey | None, end: RowKey | None
) -> list[tuple[RowKey, Row]] | None:
    """The rows after `known` up to `end`, oldest first; None if that is not just behind it."""
    rows: list[tuple[RowKey, Row]] = []
    at = end
    while at != known:
        if at is None or known is None or len(rows) == _NEW or turn_of(at) <= turn_of(known):
            return None
        row = await read_row(store, at)
        if row is None:
            return None
        rows.append((at, row))
        at = row["before"]
    return rows[::-1]


def _may_see(owner: Owner, whose: Owner) -> bool:
    """Whether `owner` may see a row; a thread that owns itself sees its parents', which do so."""
    return whose == owner or (whose.kind == owner.kind == "thread")
