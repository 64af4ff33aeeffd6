"""The checkpoints of one thread, beneath LangGraph: counted, read, and rewritten in place."""

from typing import Any

from graph.database import Database
from graph.forgetting import postgres_rows, sqlite_rows
from graph.forgetting.change import Change, Done
from graph.storage.retry import retried, uninterrupted
from graph.storage.sqlite_saver import SqliteSaver


async def count(database: Database, thread: str) -> int:
    """How many rows there are of `thread`, in all tables of the saver."""
    if database.pool is not None:
        return await retried(postgres_rows.count, database.pool, thread)
    return await uninterrupted(retried(sqlite_rows.count, _sqlite(database), thread))


async def newest(database: Database, thread: str) -> dict[str, Any] | None:
    """The fields of the newest checkpoint of `thread`; None when there is none."""
    found = await database.saver.aget_tuple({"configurable": {"thread_id": thread}})
    return None if found is None else {**found.checkpoint["channel_values"]}


async def rewrite(database: Database, thread: str, change: Change) -> Done:
    """Leaves `thread` its newest checkpoint only, changed in place: all or nothing.

    Its id stays, so what waits for an answer goes on waiting. It names no run any more: to delete
    the run that wrote it is not to delete it.
    """
    if database.pool is not None:
        serde = database.saver.serde
        return await retried(postgres_rows.rewrite, database.pool, serde, thread, change)
    return await uninterrupted(retried(sqlite_rows.rewrite, _sqlite(database), thread, change))


def _sqlite(database: Database) -> SqliteSaver:
    if not isinstance(database.saver, SqliteSaver):
        raise TypeError(f"a SQLite saver was expected, not {database.saver!r}")
    return database.saver
