"""What a process opens to run the graph: a database, and the server of its models."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import lru_cache
from typing import NamedTuple

from graph.build import Parts, build_graph
from graph.database import Database
from graph.environment import settings
from graph.guarded import GuardedGraph
from graph.models import Models
from graph.services import local_service
from graph.settings import Settings
from graph.shared_database import DatabaseSource, source_database
from graph.toolbox import toolbox

OPENAI = "https://api.openai.com/v1"

SETTLING_SECONDS = 30.0
"""How long a process that ends waits for the work behind its replies; the rest is due again."""


class ModelServer:
    """Where the models are. The stand-in, if it is to answer, starts at the first question."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._url: str | None = None

    async def url(self) -> str:
        """The base URL. Raises ServiceError when the stand-in does not come up."""
        async with self._opening:
            if self._url is None:
                settings = self._settings()
                self._url = settings.openai_base_url or OPENAI
                if settings.stand_in:
                    started = local_service("standin", settings.data)
                    self._url = await self._stack.enter_async_context(started)
            return self._url

    async def close(self) -> None:
        """Leave the stand-in; it stops some seconds after its last client."""
        await self._stack.aclose()


def parts(settings: Callable[[], Settings], server: ModelServer, *, served: bool = False) -> Parts:
    """The parts of the shipped graph."""
    return Parts(
        settings=settings,
        served=served,
        models=Models(settings=settings, endpoint=server.url, tools=toolbox()),
    )


@lru_cache(maxsize=1)
def served_parts() -> Parts:
    """The parts that the server's runs and its routes share, in this process."""
    return parts(settings, ModelServer(settings), served=True)


@lru_cache(maxsize=1)
def served_graph() -> GuardedGraph:
    """The graph that the server runs: without a saver, for the server brings its own."""
    return build_graph(served_parts())


def opened_in_server(database: Database) -> "Opened":
    """What the server's own routes work with: its graph, on `database`."""
    on = {"checkpointer": database.saver, "store": database.store}
    return Opened(served_graph().copy(on), database, served_parts())


def database_source(settings: Settings) -> DatabaseSource:
    """The database that the settings name; without a name the checkout's own Postgres."""
    return DatabaseSource(
        url=settings.database,
        data=settings.data,
        pool_size=settings.pool_size,
        pooler=settings.transaction_pooler,
        container=settings.container,
    )


class Opened(NamedTuple):
    """What a process of its own works with."""

    graph: GuardedGraph
    database: Database
    parts: Parts


@asynccontextmanager
async def open_graph(settings: Settings) -> AsyncIterator[Opened]:
    """The graph on the configured database, for a process of its own such as the terminal."""
    server = ModelServer(lambda: settings)
    async with source_database(database_source(settings)) as database:
        built = parts(lambda: settings, server)
        try:
            graph = build_graph(built, checkpointer=database.saver, store=database.store)
            yield Opened(graph, database, built)
            await built.background.settled(SETTLING_SECONDS)
        finally:
            await built.models.close()
            await built.index.close()
            await server.close()
