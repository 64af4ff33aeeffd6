"""Keeping the vectors level with the transcript, from which they can always be made again.

There is no mark that could be wrong: what Chroma holds is the mark. A thread's rows are written to
it oldest first, so all that came before a row that is there is there as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from langgraph.store.base import BaseStore

from memory.embeddings import Embedder
from memory.scope import record_id, space
from memory.transcript import Row, owner_of, read_row, read_rows
from memory.vectors import Record, Vectors
from state.identity import Owner
from state.session import RowKey, Trail

Texts = Callable[[Row], Mapping[str, str]]
"""What of a row is embedded, by leg."""

_FIRST_LOOK = 4
"""Rows that are looked for in Chroma at first: after a turn, only the newest is missing."""
_LOOK = 64
_BATCH = 32
"""Rows that are embedded and written at once."""


@dataclass(frozen=True)
class Words:
    """One leg of one row."""

    owner: Owner
    row: RowKey
    leg: str
    at: str
    text: str

    @property
    def id(self) -> str:
        """Id of its record."""
        return record_id(space(self.owner, self.row["thread"]), self.row["key"], self.leg)


@dataclass(frozen=True, kw_only=True)
class Indexer:
    """Writes the vectors of rows."""

    vectors: Vectors
    embedder: Embedder
    texts: Texts

    async def catch_up(self, store: BaseStore, trail: Trail, *, level: RowKey | None = None) -> int:
        """Writes what Chroma lacks of the branch that `trail` ends; how many rows that were.

        What comes after the row at `level` is written without asking Chroma for it. Safe to repeat,
        and for several at once. Raises VectorError and EmbeddingError; what was written by then
        stays.
        """
        missing = await self._missing(store, trail["last"], level)
        written = 0
        for first in range(0, len(missing), _BATCH):
            keys = missing[first : first + _BATCH]
            written += await self.write(store, await read_rows(store, keys))
        return written

    async def write(self, store: BaseStore, rows: Sequence[tuple[RowKey, Row]]) -> int:
        """Writes the vectors of `rows`; how many rows. Those that are there are written over."""
        words = [each for key, row in rows for each in self.words(key, row)]
        if words:
            made = await self.embedder.each([each.text for each in words])
            records = [
                Record(each.owner, each.row, each.leg, each.at, vector)
                for each, vector in zip(words, made, strict=True)
                if vector is not None
            ]
            await self.vectors.upsert(records)
            if changed := await self._changed(store, rows, records):
                await self.write(store, changed)
        return len(rows)

    def words(self, key: RowKey, row: Row) -> list[Words]:
        """What is embedded of the row at `key`; nothing of a leg that says nothing."""
        whose = owner_of(key, row)
        legs = self.texts(row).items()
        return [Words(whose, key, leg, row["at"], text) for leg, text in legs if text.strip()]

    async def _missing(self, store: BaseStore, last: RowKey, level: RowKey | None) -> list[RowKey]:
        """The rows that Chroma lacks, oldest first."""
        missing: list[RowKey] = []
        look = _FIRST_LOOK if level is None else _LOOK
        while rows := await _back_from(store, last, look, level):
            before = rows[-1][1]["before"]
            if level is not None and before == level:
                return [key for key, _ in reversed(rows)] + missing[::-1]
            ids = [[each.id for each in self.words(key, row)] for key, row in rows]
            there = await self.vectors.present(list(chain.from_iterable(ids)))
            for (key, _), wanted in zip(rows, ids, strict=True):
                if wanted and there.issuperset(wanted):
                    return missing[::-1]
                missing.append(key)
            if before is None:
                break
            look, last = min(4 * look, _LOOK), before
        return missing[::-1]

    async def _changed(
        self, store: BaseStore, rows: Sequence[tuple[RowKey, Row]], records: Sequence[Record]
    ) -> list[tuple[RowKey, Row]]:
        """The rows that are not what they were before they were embedded.

        Deletes the records of those that were erased meanwhile.
        """
        now = await read_rows(store, [key for key, _ in rows])
        kept = {(key["thread"], key["key"]): row for key, row in now}
        places = [(each.row["thread"], each.row["key"]) for each in records]
        lost = [each.id for each, place in zip(records, places, strict=True) if place not in kept]
        await self.vectors.delete(lost)
        before = {(key["thread"], key["key"]): row for key, row in rows}
        return [(key, row) for key, row in now if before[key["thread"], key["key"]] != row]


async def _back_from(
    store: BaseStore, last: RowKey, count: int, level: RowKey | None
) -> list[tuple[RowKey, Row]]:
    """The `count` rows of a branch that end with the one at `last`, newest first.

    Fewer if the one at `level` comes before.
    """
    rows: list[tuple[RowKey, Row]] = []
    key: RowKey | None = last
    while key is not None and key != level and len(rows) < count:
        row = await read_row(store, key)
        if row is None:
            break
        rows.append((key, row))
        key = row["before"]
    return rows
