"""Whether a signed-in user may use a thread."""

from typing import cast

from langchain_core.runnables import RunnableConfig

from graph.database import Database
from memory.ownership import owner_by_rows
from state.session import SessionState


async def may_use(database: Database, thread: str, user: str) -> bool:
    """Whether `thread` is `user`'s, or nobody has said anything in it yet.

    A thread without an owner that was talked in, in a terminal or before sign-in, is nobody's.
    """
    state = await _state(database, thread)
    owner = await owner_by_rows(database.store, thread, state)
    return owner == user if owner else not state.get("turn")


async def owns(database: Database, thread: str, user: str) -> bool:
    """Whether `thread` is `user`'s."""
    state = await _state(database, thread)
    return await owner_by_rows(database.store, thread, state) == user


async def _state(database: Database, thread: str) -> SessionState:
    at: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    newest = await database.saver.aget_tuple(at)
    return cast("SessionState", newest.checkpoint["channel_values"] if newest else {})
