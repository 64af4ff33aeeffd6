"""What the timing of recall searches: two threads as the product keeps them, and other users'."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from random import Random

import numpy as np
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.store.base import BaseStore

from graph.database import open_database
from graph.migrate import migrate_open
from graph.services import local_service
from memory import names
from memory.chroma import Connection
from memory.collections import Collections
from memory.embeddings import offline
from memory.indexing import Indexer
from memory.recall.documents import indexed
from memory.transcript import BLOCK, read_rows, write
from memory.vectors import Record, Vectors
from state.admission import AT
from state.exchanges import Exchange
from state.identity import Owner
from state.session import RowKey, Trail

ME = Owner(kind="user", id="me")
OTHERS = 100
"""Users beside; each has a thread."""
_SIZE = 256
_PAGE = 500
_BEGAN = datetime(2031, 1, 1, tzinfo=UTC)
_APART = timedelta(minutes=40)
_VOCABULARY = 5000
_SYLLABLES = [a + b for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "an", "er", "il")]


@dataclass(frozen=True, kw_only=True)
class Thread:
    """A thread of ours."""

    id: str
    exchanges: int

    def trail(self, turn: int) -> Trail:
        """What ends with the row of `turn`."""
        block = self._key(turn // BLOCK * BLOCK) if turn >= BLOCK else None
        return Trail(last=self._key(turn), block=block)

    def keys(self) -> list[RowKey]:
        """Its rows, oldest first."""
        return [self._key(turn) for turn in range(1, self.exchanges + 1)]

    def said(self) -> Iterator[tuple[int, Exchange]]:
        """Its exchanges, the same each time, of about 100 words."""
        made = Random(self.id)  # noqa: S311
        for turn in range(1, self.exchanges + 1):
            at = (_BEGAN + turn * _APART).isoformat()
            asked, told = _ids(self.id, turn)
            user = HumanMessage(
                words(made, made.randint(10, 30)), id=asked, additional_kwargs={AT: at}
            )
            yield turn, Exchange((user, AIMessage(words(made, made.randint(50, 110)), id=told)))

    def _key(self, turn: int) -> RowKey:
        return RowKey(thread=self.id, key=names.row_key(turn, _ids(self.id, turn)))


def words(made: Random, count: int) -> str:
    """Words of which, as in speech, some are said again and again and most seldom."""
    said = made.choices(_WORDS, cum_weights=_SEEN, k=count)
    return f"{' '.join(said).capitalize()}."


def _words() -> list[str]:
    made = Random(0)  # noqa: S311
    return ["".join(made.choices(_SYLLABLES, k=made.randint(2, 4))) for _ in range(_VOCABULARY)]


_WORDS = _words()
_SEEN = list(accumulate(1 / rank for rank in range(1, _VOCABULARY + 1)))


def _ids(thread: str, turn: int) -> list[str]:
    return [f"{thread}-{turn}-user", f"{thread}-{turn}-reply"]


@asynccontextmanager
async def open_store(folder: Path) -> AsyncIterator[BaseStore]:
    """The rows in `folder`, in a Postgres of its own."""
    async with (
        local_service("postgres", folder, grace=0) as url,
        open_database(url) as database,
    ):
        await migrate_open(database)
        yield database.store


@asynccontextmanager
async def open_indexer(folder: Path) -> AsyncIterator[Indexer]:
    """The vectors in `folder`, their Chroma and the embedder just started."""
    async with local_service("chroma", folder, grace=0) as url:

        async def endpoint() -> str:
            return url

        connection = Connection(endpoint=endpoint)
        embedder = offline()
        collections = Collections(connection=connection, model=embedder.name, prefix="timing")
        try:
            vectors = Vectors(collections=collections, seconds=60)
            yield Indexer(vectors=vectors, embedder=embedder, texts=indexed)
        finally:
            await connection.close()


async def fill(
    store: BaseStore, indexer: Indexer, threads: Sequence[Thread], *, others: int
) -> int:
    """Writes `threads` of ours and `others` exchanges, unless they are there; the records there.

    Those of the others are vectors of one leg, without words.
    """
    ours = 2 * sum(thread.exchanges for thread in threads)
    count = await indexer.vectors.count()
    if count < ours:
        for thread in threads:
            await _write(store, indexer, thread)
    if count < ours + others // OTHERS * OTHERS:
        for n in range(OTHERS):
            await indexer.vectors.upsert(list(_others(n, others // OTHERS)))
    return await indexer.vectors.count()


async def _write(store: BaseStore, indexer: Indexer, thread: Thread) -> None:
    said, trail = list(thread.said()), None
    keys = thread.keys()
    for first in range(0, len(said), _PAGE):
        page = said[first : first + _PAGE]
        trail = await write(store, thread.id, page, trail, user=ME.id)
        rows = await read_rows(store, keys[first : first + _PAGE])
        await indexer.write(store, rows)


def _others(n: int, exchanges: int) -> Iterator[Record]:
    """Records of a user who has one subject."""
    owner, thread = Owner(kind="user", id=f"other {n}"), f"other-{n}"
    drawn = np.random.default_rng(n)
    near = drawn.normal(size=_SIZE) + 2 * drawn.normal(size=(exchanges, _SIZE))
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    for turn, vector in enumerate(near.tolist(), 1):
        key = names.row_key(turn, _ids(thread, turn))
        yield Record(owner, RowKey(thread=thread, key=key), "exchange", "", vector)
