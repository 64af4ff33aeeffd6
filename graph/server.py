"""What `langgraph.json` names: the graph without a saver, our checkpointer and our store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore

from graph.environment import settings
from graph.resources import database_source, served_graph
from graph.shared_database import shared_database

graph = served_graph()


@asynccontextmanager
async def checkpointer() -> AsyncIterator[BaseCheckpointSaver[str]]:
    """The saver that the server keeps its threads in."""
    async with shared_database(database_source(settings())) as database:
        yield database.saver


@asynccontextmanager
async def store() -> AsyncIterator[BaseStore]:
    """The store that the server hands to every run: on the checkpointer's pool."""
    async with shared_database(database_source(settings())) as database:
        yield database.store
