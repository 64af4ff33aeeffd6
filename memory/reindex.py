"""Making the vectors anew from the transcript, and checking that each of them can be found."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, cast

from langgraph.store.base import BaseStore

from memory import erase, names, whole
from memory.collections import Kept
from memory.indexing import Indexer
from memory.scope import ModelChangedError
from memory.transcript import Row, read_rows
from memory.vector_check import Stored, stored, unfound
from memory.vectors import BATCH
from state.session import RowKey

_PROBE = "hello"
_CHECKED = 100
"""Records that are looked for in one request."""


@dataclass(frozen=True)
class Step:
    """How far a reindex is."""

    doing: Literal["indexed", "checked", "repaired", "rebuilding", "done"]
    done: int
    """Threads or records, as `doing` says."""
    of: int
    thread: str = ""
    rows: int = 0
    """Rows of `thread` that were written."""
    lost: int = 0
    """Records that are there, and that no search finds."""


@dataclass(frozen=True, kw_only=True)
class Reindex:
    """Reindexes every thread. Stopped, it goes on where it was."""

    indexer: Indexer
    store: BaseStore
    anew: bool = False
    """Whether to fill a new collection even if the one in use is of this model."""

    async def run(self) -> AsyncGenerator[Step, None]:
        """Writes what is missing, checks all, and repairs it. Raises VectorError, EmbeddingError.

        Under a new embedding model a new collection is filled; the one before stays in use, by
        those who still have its model, until the new one is whole.
        """
        await erase.redo(self.store, self.indexer.vectors)
        into = await self._next() if self.anew or await self._changed() else None
        async for step in self._filled(into):
            yield step
        lost = 0
        async for step in self._checked(into):
            lost = step.lost
            yield step
        if lost:
            yield Step("rebuilding", 0, lost, lost=lost)
            into = await self._next()
            async for step in self._filled(into):
                yield step
            async for step in self._checked(into):
                lost = step.lost
                yield step
        if into is not None:
            await self.indexer.vectors.collections.put_in_use(into)
            async for _ in self._filled(None):  # what was said meanwhile
                pass
        count = await self.indexer.vectors.count()
        yield Step("done", count, count, lost=lost)

    async def _changed(self) -> bool:
        """Whether what is in use was made by another model, or by this one in another size."""
        try:
            await self.indexer.vectors.check_model(await self._size())
        except ModelChangedError:
            return True
        return False

    async def _size(self) -> int:
        return len(await self.indexer.embedder.query(_PROBE))

    async def _next(self) -> Kept:
        return await self.indexer.vectors.collections.make_next(await self._size())

    async def _filled(self, into: Kept | None) -> AsyncIterator[Step]:
        indexer = self._writing(into)
        threads = await erase.threads(self.store)
        for number, thread in enumerate(threads, 1):
            rows = await self._fill(indexer, thread)
            yield Step("indexed", number, len(threads), thread=thread, rows=rows)

    async def _fill(self, indexer: Indexer, thread: str) -> int:
        """Writes the rows of `thread`, of all its branches, that are not there; how many."""
        written = 0
        items = await whole.items(self.store, names.transcript(thread))
        for first in range(0, len(items), BATCH):
            rows = [
                (RowKey(thread=thread, key=item.key), cast("Row", item.value))
                for item in items[first : first + BATCH]
            ]
            ids = [[each.id for each in indexer.words(key, row)] for key, row in rows]
            there = await indexer.vectors.present(list(chain.from_iterable(ids)))
            lacking = [
                row for row, wanted in zip(rows, ids, strict=True) if not there.issuperset(wanted)
            ]
            written += await indexer.write(self.store, lacking)
        return written

    async def _checked(self, into: Kept | None) -> AsyncIterator[Step]:
        """Looks for every record; writes anew what is not found, deletes what has no row."""
        indexer = self._writing(into)
        ids = await indexer.vectors.ids()
        lost = 0
        for first in range(0, len(ids), _CHECKED):
            records = await stored(indexer.vectors, ids[first : first + _CHECKED])
            records = await self._with_row(indexer, records)
            missed = await unfound(indexer.vectors, records)
            if missed:
                await self._rewrite(indexer, missed)
                again = await stored(indexer.vectors, [each.id for each in missed])
                still = len(await unfound(indexer.vectors, again))
                lost += still
                yield Step("repaired", len(missed) - still, len(missed), lost=lost)
            yield Step("checked", min(first + _CHECKED, len(ids)), len(ids), lost=lost)

    async def _with_row(self, indexer: Indexer, records: Sequence[Stored]) -> list[Stored]:
        """Those of `records` whose row is still there; the others are deleted."""
        rows = await read_rows(self.store, [each.row for each in records])
        there = {(key["thread"], key["key"]) for key, _ in rows}
        kept = [each for each in records if (each.row["thread"], each.row["key"]) in there]
        names_kept = {each.id for each in kept}
        gone = [each.id for each in records if each.id not in names_kept]
        await indexer.vectors.delete(gone)
        return kept

    async def _rewrite(self, indexer: Indexer, missed: Sequence[Stored]) -> None:
        """Deletes records and writes their rows anew, which puts them into the index again."""
        await indexer.vectors.delete([each.id for each in missed])
        await indexer.write(self.store, await read_rows(self.store, [each.row for each in missed]))

    def _writing(self, into: Kept | None) -> Indexer:
        vectors = replace(self.indexer.vectors, into=into)
        return replace(self.indexer, vectors=vectors)
