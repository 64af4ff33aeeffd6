"""Open the database: one saver, one store, and for Postgres one pool for both."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

import aiosqlite
import psycopg
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from graph.file_lock import locked_file
from graph.storage.postgres_saver import PostgresSaver
from graph.storage.retry import DatabaseUnavailableError, is_transient_refusal, retrying
from graph.storage.sqlite_saver import SqliteSaver
from graph.storage.stores import PostgresStore, SqliteStore
from graph.storage.url import PostgresUrl, SqliteUrl, parse_database_url
from memory.stopped import forget

Pool = AsyncConnectionPool[AsyncConnection[DictRow]]

_CONNECT_SECONDS = 10
_CHECKOUT_SECONDS = 30.0
_SQLITE_BUSY_SECONDS = 30.0
_FRESH_SECONDS = 0.5
"""How long a connection that answered is taken to be alive; operations are retried in any case."""


@dataclass(frozen=True, kw_only=True)
class Database:
    """An open database."""

    url: PostgresUrl | SqliteUrl
    saver: PostgresSaver | SqliteSaver
    store: PostgresStore | SqliteStore
    pool: Pool | None
    """The connections that saver and store share; None for SQLite."""
    pooler: bool
    """Whether a transaction pooler such as pgbouncer stands between."""


@asynccontextmanager
async def open_database(
    url: str, *, pool_size: int = 10, pooler: bool = False
) -> AsyncIterator[Database]:
    """Open the database that a URL names; its tables are made by `graph.migrate`.

    Args:
        url: `postgresql://...` or `sqlite:///...`.
        pool_size: How many connections saver and store may use at once.
        pooler: Whether the URL leads to a pooler that gives out connections by transaction; then
            nothing is prepared on a connection, since the next transaction gets another.

    Raises `DatabaseUrlError` for any other URL and `DatabaseUnavailableError` if nobody answers.

    """
    match parse_database_url(url):
        case PostgresUrl() as postgres:
            async with _open_postgres(postgres, pool_size, pooler=pooler) as database:
                yield database
        case SqliteUrl() as sqlite:
            async with _open_sqlite(sqlite) as database:
                yield database


@asynccontextmanager
async def _open_postgres(
    url: PostgresUrl, pool_size: int, *, pooler: bool
) -> AsyncIterator[Database]:
    checked: WeakKeyDictionary[AsyncConnection[DictRow], float] = WeakKeyDictionary()

    async def check(connection: AsyncConnection[DictRow]) -> None:
        # A turn takes a connection a dozen times; one round trip each would be a third of it.
        if time.monotonic() - checked.get(connection, 0.0) < _FRESH_SECONDS:
            return
        try:
            await pool.check_connection(connection)
        except psycopg.OperationalError:
            # After a restart all are broken, and the pool alone would find them out one by one,
            # waiting longer after each.
            await pool.check()
            raise
        checked[connection] = time.monotonic()

    await _check_reachable(url)
    pool: Pool = AsyncConnectionPool(
        url.url,
        kwargs={
            "autocommit": True,
            "row_factory": dict_row,
            "prepare_threshold": None if pooler else 5,
            "connect_timeout": _CONNECT_SECONDS,
        },
        min_size=min(2, pool_size),
        max_size=pool_size,
        check=check,
        timeout=_CHECKOUT_SECONDS,
        reconnect_timeout=_CONNECT_SECONDS,
        open=False,
        name="longhaul",
    )
    async with pool:
        store = PostgresStore(pool)
        saver = PostgresSaver(pool, rolled_back=partial(forget, store))
        try:
            yield Database(url=url, saver=saver, store=store, pool=pool, pooler=pooler)
        finally:
            store.end_batching()


async def _check_reachable(url: PostgresUrl) -> None:
    """Connect once: a pool only says that it got no connection, not why."""
    attempts = retrying(_CONNECT_SECONDS, is_transient_refusal)
    try:
        await attempts(_connect_once, url)
    except psycopg.OperationalError as error:
        raise DatabaseUnavailableError(f"LONGHAUL_DATABASE={url!r}: {error}") from error


async def _connect_once(url: PostgresUrl) -> None:
    connection = await AsyncConnection.connect(url.url, connect_timeout=_CONNECT_SECONDS)
    await connection.close()


async def _check_writable(url: SqliteUrl) -> None:
    """Make the folder and open the file once. Raises DatabaseUnavailableError."""
    try:
        await asyncio.to_thread(url.path.parent.mkdir, parents=True, exist_ok=True)
        async with aiosqlite.connect(url.path, timeout=_SQLITE_BUSY_SECONDS):
            pass
    except (OSError, sqlite3.OperationalError) as error:
        raise DatabaseUnavailableError(f"LONGHAUL_DATABASE={url!r}: {error}") from error


@asynccontextmanager
async def _open_sqlite(url: SqliteUrl) -> AsyncIterator[Database]:
    await _check_writable(url)
    async with (
        aiosqlite.connect(url.path, timeout=_SQLITE_BUSY_SECONDS) as checkpoints,
        aiosqlite.connect(url.path, timeout=_SQLITE_BUSY_SECONDS, isolation_level=None) as items,
    ):
        for connection in (checkpoints, items):
            # What is deleted is written over: else what is forgotten stays in the file.
            await connection.execute("PRAGMA secure_delete = ON")
        store = SqliteStore(items)
        saver = SqliteSaver(checkpoints, rolled_back=partial(forget, store))
        async with locked_file(url.path.with_name(f"{url.path.name}.setup")):
            await saver.setup()
            await store.setup()
        try:
            yield Database(url=url, saver=saver, store=store, pool=None, pooler=False)
        finally:
            store.end_batching()
