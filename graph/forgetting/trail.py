"""The rows of a thread's transcript that other threads wrote: those that it is a copy of."""

from typing import cast

from langgraph.store.base import BaseStore

from graph.database import Database
from graph.forgetting import checkpoints
from memory import names, whole
from memory.branch import read_branch
from memory.transcript import Row, turn_of
from state.session import RowKey, SessionState


async def originals(database: Database, thread: str) -> list[str]:
    """The threads that `thread` is a copy of, by id."""
    state = cast("SessionState", await checkpoints.newest(database, thread) or {})
    rows = await rows_of_parents(database.store, thread, state)
    return sorted({*(row["thread"] for row in rows), *state.get("spilled_in", [])} - {thread})


async def rows_of_parents(store: BaseStore, thread: str, state: SessionState) -> list[RowKey]:
    """The rows before the first that `thread` wrote itself, on its branch."""
    rows = await read_branch(store, await _border(store, thread, state))
    return [key for key, _ in rows]


async def _border(store: BaseStore, thread: str, state: SessionState) -> RowKey | None:
    """The newest row of its branch that another thread wrote."""
    trail = state.get("transcript")
    if trail is None or trail["last"]["thread"] != thread:
        return trail["last"] if trail else None
    items = await whole.items(store, names.transcript(thread))
    crossings = [row["before"] for row in (cast("Row", item.value) for item in items)]
    borders = [key for key in crossings if key is not None and key["thread"] != thread]
    return max(borders, key=turn_of, default=None)
