"""One open database for all who ask on one event loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from graph.database import Database, open_database
from graph.migrate import migrate_open
from graph.services import local_service


class DatabaseMissingError(RuntimeError):
    """LONGHAUL_DATABASE must be set in a container image, whose own files go with the container."""


@dataclass(frozen=True, kw_only=True)
class DatabaseSource:
    """Where the database is."""

    url: str | None
    """`postgresql://...` or `sqlite:///...`; None for the checkout's own Postgres."""
    data: Path = Path(".longhaul")
    """Where the checkout's own Postgres keeps its data."""
    pool_size: int = 10
    """How many connections saver and store may use at once."""
    pooler: bool = False
    """Whether the URL leads to a transaction pooler."""
    container: bool = False
    """Whether this is a container image, where there is no Postgres of a checkout."""


@asynccontextmanager
async def source_database(source: DatabaseSource) -> AsyncIterator[Database]:
    """Open the database, started if it is the checkout's own, with its tables up to date.

    Raises `DatabaseMissingError`, and what `open_database` and `local_service` raise.
    """
    async with AsyncExitStack() as stack:
        url = source.url
        if url is None:
            if source.container:
                raise DatabaseMissingError(DatabaseMissingError.__doc__)
            url = await stack.enter_async_context(local_service("postgres", source.data))
        opened = open_database(url, pool_size=source.pool_size, pooler=source.pooler)
        database = await stack.enter_async_context(opened)
        await migrate_open(database)
        yield database


@asynccontextmanager
async def shared_database(source: DatabaseSource) -> AsyncIterator[Database]:
    """Yield the database that others on this event loop have open, or open it.

    It closes when the last of them leaves.
    """
    shares = _shares.setdefault(asyncio.get_running_loop(), {})
    share = shares.setdefault(source, _Share())
    share.users += 1
    try:
        async with share.opening:
            if share.database is None:
                share.database = await share.stack.enter_async_context(source_database(source))
        yield share.database
    finally:
        share.users -= 1
        if share.users == 0:
            del shares[source]
            await share.stack.aclose()


@dataclass
class _Share:
    users: int = 0
    database: Database | None = None
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)


_shares: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[DatabaseSource, _Share]] = (
    WeakKeyDictionary()
)
