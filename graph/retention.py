"""How long checkpoints and idle threads are kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from graph.database import Database
from graph.locks import thread_lock
from graph.storage.postgres_saver import PostgresSaver
from memory.erase import erase_thread


class NotSupportedError(RuntimeError):
    """The database cannot do this; the text says what can."""


@dataclass(frozen=True)
class Kept:
    """What a retention run did."""

    pruned: int
    """Threads whose older checkpoints went."""
    erased: list[str]
    """Threads that are gone."""


async def retain(database: Database, *, keep_turns: int, idle_days: int, now: datetime) -> Kept:
    """Prunes threads with more than `keep_turns` turns of checkpoints; erases the idle ones.

    0 switches either off. An interrupt that waits survives. Raises NotSupportedError on SQLite.
    """
    saver = database.saver
    if not isinstance(saver, PostgresSaver):
        raise NotSupportedError("SQLite has no retention: LONGHAUL_DATABASE must be a Postgres")
    erased = []
    if idle_days:
        for thread in await saver.idle_since(now - timedelta(days=idle_days)):
            async with thread_lock(database, thread):
                await saver.adelete_thread(thread)
                await erase_thread(database.store, thread)
            erased.append(thread)
    long = await saver.longer_than(keep_turns) if keep_turns else []
    for thread in long:
        async with thread_lock(database, thread):
            await saver.aprune([thread])
    return Kept(pruned=len(long), erased=erased)
