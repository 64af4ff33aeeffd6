"""Postgres's advisory locks, polled for, on a connection of their own."""

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import psycopg
from psycopg import AsyncClientCursor, AsyncConnection

from graph.storage.retry import DatabaseUnavailableError, retried
from graph.storage.url import PostgresUrl

_POLL_SECONDS = 0.1
_WATCH_SECONDS = 1.0
_CONNECT_SECONDS = 10

_log = logging.getLogger(__name__)


@asynccontextmanager
async def advisory_lock(
    url: PostgresUrl, name: str, *, pooler: bool, on_wait: Callable[[], None] | None = None
) -> AsyncIterator[None]:
    """Hold the lock of this name; `on_wait` is called once if somebody else has it first.

    It is asked for again and again, not waited for: a statement that waits has a snapshot, which
    CREATE INDEX CONCURRENTLY waits for in turn.

    A lock lives as long as its connection, so a crash frees it. Where a transaction pooler stands
    between, the connection is not ours to keep: there the lock belongs to a transaction that stays
    open, which pins one of the pooler's connections until the lock is released.

    A lock that the database lost (it was restarted) is taken again in the background.
    """
    holder = _Holder(url, name, pooler=pooler)
    try:
        await holder.acquire(on_wait)
        watch = asyncio.create_task(holder.keep())
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.wait([watch])
    finally:
        await holder.release()


class _Holder:
    def __init__(self, url: PostgresUrl, name: str, *, pooler: bool) -> None:
        self._url = url
        digest = hashlib.sha256(f"longhaul:{name}".encode()).digest()
        self._key = int.from_bytes(digest[:8], signed=True)
        self._pooler = pooler
        self._connection: AsyncConnection | None = None

    async def acquire(self, on_wait: Callable[[], None] | None) -> None:
        """Return once the lock is ours."""
        while not await retried(self._try):
            if on_wait is not None:
                on_wait()
                on_wait = None
            await asyncio.sleep(_POLL_SECONDS)

    async def keep(self) -> None:
        """Take the lock again whenever the connection that held it is gone."""
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            try:
                await self._connected().execute("SELECT 1")
            except psycopg.OperationalError as error:
                _log.warning("an advisory lock was lost, taking it again: %s", error)
                await self._reacquire()

    async def _reacquire(self) -> None:
        try:
            await self.acquire(None)
        except DatabaseUnavailableError as error:
            _log.warning("an advisory lock stays lost for now: %s", error)

    async def release(self) -> None:
        """Give the lock back, with its connection.

        The server would free it, too, but some time after the connection was closed.
        """
        if self._connection is not None:
            with suppress(psycopg.Error):
                await self._give_back(self._connection)
            await self._connection.close()

    async def _give_back(self, connection: AsyncConnection) -> None:
        if self._pooler:
            await connection.rollback()
        else:
            await connection.execute("SELECT pg_advisory_unlock_all()")

    def _connected(self) -> AsyncConnection:
        if self._connection is None:
            raise psycopg.OperationalError("not connected")
        return self._connection

    async def _try(self) -> bool:
        connection = self._connection
        if connection is None or connection.closed:
            connection = self._connection = await AsyncConnection.connect(
                self._url.url,
                autocommit=not self._pooler,
                # Merges parameters itself: what the server merges stays open, with a snapshot,
                # until the next statement of an open transaction.
                cursor_factory=AsyncClientCursor,
                prepare_threshold=None,
                connect_timeout=_CONNECT_SECONDS,
            )
        function = "pg_try_advisory_xact_lock" if self._pooler else "pg_try_advisory_lock"
        cursor = await connection.execute(f"SELECT {function}(%s)", (self._key,))
        row = await cursor.fetchone()
        held = row is not None and bool(row[0])
        if self._pooler and not held:
            await connection.rollback()
        return held
