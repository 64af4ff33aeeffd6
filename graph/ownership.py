"""Whether a signed-in user may use a thread."""

from typing import cast

from langchain_core.runnables import RunnableConfig

from graph.database import Database
from memory.ownership import owner_by_rows, owner_of_thread
from state.session import SessionState


async def may_use(database: Database, thread: str, user: str) -> bool:
    """Whether `thread` is `user`'s, or nobody has said anything in it yet.

    A thread without an owner that was talked in, in a terminal or before sign-in, is nobody's.
    """
    owner, state = await _owner(database, thread)
    return owner == user if owner else not state.get("turn")


async def owns(database: Database, thread: str, user: str) -> bool:
    """Whether `thread` is `user`'s."""
    owner, _ = await _owner(database, thread)
    return owner == user


async def _owner(database: Database, thread: str) -> tuple[str, SessionState]:
    """Whose `thread` is, empty for nobody's; its state is read where it takes that to tell."""
    if owner := await owner_of_thread(database.store, thread):
        return owner, SessionState()
    state = await _state(database, thread)
    return await owner_by_rows(database.store, thread, state), state


async def _state(database: Database, thread: str) -> SessionState:
    at: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    newest = await database.saver.aget_tuple(at)
    return cast("SessionState", newest.checkpoint["channel_values"] if newest else {})
