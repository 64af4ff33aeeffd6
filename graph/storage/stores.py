"""LangGraph's stores, each operation by itself.

Upstream, operations that are due at the same moment go to the database as one batch, so that one
refused value fails the operations of everybody else in it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import aiosqlite
from langgraph.store.base import (
    NOT_PROVIDED,
    BaseStore,
    Item,
    NamespacePath,
    NotProvided,
    Op,
    Result,
    SearchItem,
)
from langgraph.store.base.batch import AsyncBatchedBaseStore
from langgraph.store.postgres.aio import AsyncPostgresStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg_pool import AsyncConnectionPool

from graph.storage.retry import retried, uninterrupted


class _Unbatched(AsyncBatchedBaseStore):
    """Sends an operation when it is asked for, as `BaseStore` does."""

    async def aget(
        self, namespace: tuple[str, ...], key: str, *, refresh_ttl: bool | None = None
    ) -> Item | None:
        """Read an item."""
        return await BaseStore.aget(self, namespace, key, refresh_ttl=refresh_ttl)

    async def asearch(
        self,
        namespace_prefix: tuple[str, ...],
        /,
        *,
        query: str | None = None,
        filter: dict[str, Any] | None = None,
        limit: int = 10,
        offset: int = 0,
        refresh_ttl: bool | None = None,
    ) -> list[SearchItem]:
        """Find items below a namespace."""
        return await BaseStore.asearch(
            self,
            namespace_prefix,
            query=query,
            filter=filter,
            limit=limit,
            offset=offset,
            refresh_ttl=refresh_ttl,
        )

    async def aput(
        self,
        namespace: tuple[str, ...],
        key: str,
        value: Mapping[str, Any],
        index: Literal[False] | list[str] | None = None,
        *,
        ttl: float | NotProvided | None = NOT_PROVIDED,
    ) -> None:
        """Write an item."""
        await BaseStore.aput(self, namespace, key, value, index, ttl=ttl)

    async def adelete(self, namespace: tuple[str, ...], key: str) -> None:
        """Delete an item."""
        await BaseStore.adelete(self, namespace, key)

    async def alist_namespaces(
        self,
        *,
        prefix: NamespacePath | None = None,
        suffix: NamespacePath | None = None,
        max_depth: int | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[tuple[str, ...]]:
        """List namespaces."""
        return await BaseStore.alist_namespaces(
            self, prefix=prefix, suffix=suffix, max_depth=max_depth, limit=limit, offset=offset
        )

    def end_batching(self) -> None:
        """End the background task that upstream starts for its batches."""
        if self._task is not None:
            self._task.cancel()


class PostgresStore(_Unbatched, AsyncPostgresStore):
    """Items in Postgres; operations survive a restart of the database."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[DictRow]]) -> None:
        super().__init__(pool)

    async def is_set_up(self) -> bool:
        """Say whether `setup` has nothing left to do."""
        async with self._cursor() as cursor:
            await cursor.execute("SELECT to_regclass('store_migrations') AS found")
            row = await cursor.fetchone()
            if row is None or row["found"] is None:
                return False
            await cursor.execute("SELECT max(v) AS version FROM store_migrations")
            row = await cursor.fetchone()
        return row is not None and row["version"] == len(self.MIGRATIONS) - 1

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in one transaction."""
        return await retried(super().abatch, list(ops))


class SqliteStore(_Unbatched, AsyncSqliteStore):
    """Items in a SQLite file; a cancelled caller never leaves it inside a transaction."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        super().__init__(connection)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in one transaction."""
        return await uninterrupted(retried(super().abatch, list(ops)))
