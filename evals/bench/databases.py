"""A fresh database for each contestant, and what it has written there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import uuid4

from psycopg import AsyncConnection, sql


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much there is, in bytes."""

    database: int
    """`pg_database_size`: tables, indexes and large values, as they lie on the disk."""
    log: int
    """How far the server's write-ahead log has come: what was written, kept or not."""

    def __sub__(self, other: "Size") -> "Size":
        return Size(database=self.database - other.database, log=self.log - other.log)


@asynccontextmanager
async def fresh_database(server: str) -> AsyncIterator[str]:
    """The URL of an empty database on the Postgres at `server`; it is dropped at the end."""
    name = f"bench_{uuid4().hex}"
    quoted = sql.Identifier(name)
    await _administer(server, sql.SQL("CREATE DATABASE {}").format(quoted))
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        await _administer(server, sql.SQL("DROP DATABASE {} WITH (FORCE)").format(quoted))


async def size_of(database: str) -> Size:
    """How large the database is now, and how far the log has come."""
    async with await AsyncConnection.connect(database, autocommit=True) as connection:
        cursor = await connection.execute(
            "SELECT pg_database_size(current_database()), pg_current_wal_insert_lsn() - '0/0'"
        )
        row = await cursor.fetchone()
    if row is None:
        raise RuntimeError("Postgres did not say how large a database is")
    return Size(database=int(row[0]), log=int(row[1]))


async def kept_in_store(database: str) -> str:
    """Everything in the LangGraph store, as text; empty where there is none."""
    async with await AsyncConnection.connect(database, autocommit=True) as connection:
        cursor = await connection.execute("SELECT to_regclass('store')")
        if await cursor.fetchone() == (None,):
            return ""
        cursor = await connection.execute("SELECT string_agg(value::text, E'\\n') FROM store")
        row = await cursor.fetchone()
    return str(row[0] or "") if row else ""


async def _administer(server: str, statement: sql.Composed) -> None:
    async with await AsyncConnection.connect(server, autocommit=True) as connection:
        await connection.execute(statement)
