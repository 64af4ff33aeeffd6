"""Feeding Chroma behind the replies: what is due, one thread after another, and the back-off."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from langgraph.store.base import BaseStore

from memory import erase
from memory.embeddings import EmbeddingError
from memory.scope import VectorError
from memory.transcript import left_window
from nodes.background import Background
from state.session import RowKey, Trail

if TYPE_CHECKING:
    from memory.indexing import Indexer

log = logging.getLogger(__name__)

_FIRST_BACK_OFF = 5.0
_LONGEST_BACK_OFF = 300.0


@dataclass(frozen=True)
class Due:
    """A thread whose newest rows Chroma lacks."""

    trail: Trail
    store: BaseStore
    through: int | None = None
    """The last turn that is to be searched; None: all of them."""
    oldest: RowKey | None = None
    """Where the window's oldest exchange is, if its thread wrote it."""
    mark: str = ""
    """What another `through`, or another branch, has differently; empty: look in any case."""


_MOST = 10_000
"""Threads whose marks a process remembers."""


@dataclass(kw_only=True)
class Indexing:
    """The indexing of one process. What fails stays due, and no turn hears of it."""

    indexer: "Callable[[], Awaitable[Indexer | None]]"
    """Opened at the first need; None where there is no recall."""
    clock: Callable[[], datetime]
    background: Background
    follow: "Callable[[BaseStore, str, Trail], Awaitable[None]] | None" = None
    """Has what else is kept of the rows of a thread brought to where its window begins."""
    _due: dict[str, Due] = field(default_factory=dict)
    _working: bool = False
    _failures: int = 0
    _retry_at: datetime | None = None
    _told: str = ""
    _done: dict[str, str] = field(default_factory=dict)
    _level: dict[str, RowKey] = field(default_factory=dict)
    """By thread the last row that this process saw written."""

    def start(self, thread: str, due: Due) -> None:
        """Has the rows of `thread` written behind the replies, now or when the back-off is over.

        What this process has written already is not looked for again.
        """
        if due.mark and self._done.get(thread) == due.mark:
            return
        self._due[thread] = due
        waits = self._retry_at is not None and self.clock() < self._retry_at
        if not (self._working or waits):
            self._working = True
            self.background.start(self.run())

    def look_again(self, thread: str) -> None:
        """Has what Chroma holds of `thread` looked at again: it may have lost it."""
        self._done.pop(thread, None)
        self._level.pop(thread, None)

    async def run(self) -> None:
        """Writes all that is due."""
        try:
            indexer = await self.indexer()
            if indexer is None:
                self._due.clear()
                return
            while self._due:
                await self._first(indexer)
        except (VectorError, EmbeddingError) as error:
            self._failed(error)
        else:
            self._went_well()
        finally:
            self._working = False

    async def _first(self, indexer: "Indexer") -> None:
        thread, due = next(iter(self._due.items()))
        for erased in await erase.redo(due.store, indexer.vectors):
            self.look_again(erased)  # of a thread that still is there, all is to be written anew
        trail: Trail | None = due.trail
        if due.through is not None:
            trail = await left_window(due.store, due.trail, due.through, due.oldest)
        if len(self._done) > _MOST:
            self._done.clear()
            self._level.clear()
        if trail is not None:
            await indexer.catch_up(due.store, trail, level=self._level.get(thread))
            self._level[thread] = trail["last"]
            if self.follow is not None:
                await self.follow(due.store, thread, trail)
        self._done[thread] = due.mark
        if self._due.get(thread) is due:
            del self._due[thread]

    def _failed(self, error: VectorError | EmbeddingError) -> None:
        wait = min(_FIRST_BACK_OFF * 2**self._failures, _LONGEST_BACK_OFF)
        self._failures += 1
        self._retry_at = self.clock() + timedelta(seconds=wait)
        if str(error) != self._told:
            self._told = str(error)
            log.warning("old turns are not searched for now, and will be indexed later: %s", error)

    def _went_well(self) -> None:
        if self._told:
            log.info("old turns are indexed again")
        self._failures, self._retry_at, self._told = 0, None, ""
