"""How long checkpoints and idle threads are kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from graph.database import Database
from graph.locks import thread_lock
from graph.storage.postgres_saver import PostgresSaver
from memory.erase import erase_thread

if TYPE_CHECKING:
    from memory.vectors import Vectors


class NotSupportedError(RuntimeError):
    """The database cannot do this; the text says what can."""


@dataclass(frozen=True)
class Kept:
    """What a retention run did."""

    pruned: int
    """Threads whose older checkpoints went."""
    erased: list[str]
    """Threads that are gone."""
    waiting: dict[str, str]
    """Those of them whose vectors could not be deleted yet, and why; that is done later."""


async def retain(
    database: Database,
    *,
    keep_turns: int,
    idle_days: int,
    now: datetime,
    vectors: "Vectors | None" = None,
) -> Kept:
    """Prunes threads with more than `keep_turns` turns of checkpoints; erases the idle ones.

    0 switches either off. An interrupt that waits survives. Raises NotSupportedError on SQLite.
    """
    saver = database.saver
    if not isinstance(saver, PostgresSaver):
        raise NotSupportedError("SQLite has no retention: LONGHAUL_DATABASE must be a Postgres")
    erased: list[str] = []
    waiting: dict[str, str] = {}
    if idle_days:
        for thread in await saver.idle_since(now - timedelta(days=idle_days)):
            async with thread_lock(database, thread):
                await saver.adelete_thread(thread)
                done = await erase_thread(database.store, thread, vectors)
            erased.append(thread)
            if done.waits is not None:
                waiting[thread] = done.waits
    long = await saver.longer_than(keep_turns) if keep_turns else []
    for thread in long:
        async with thread_lock(database, thread):
            await saver.aprune([thread])
    return Kept(pruned=len(long), erased=erased, waiting=waiting)
