"""Whose a thread is: written down at its first turn, and never changed."""

from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, PutOp

from memory import names, whole
from state.session import SessionState


def is_new(thread: str, state: SessionState) -> bool:
    """Whether `thread`, with this `state`, may have no owner yet: it begins, or it is a copy."""
    trail = state.get("transcript")
    return not state.get("turn") or (trail is not None and trail["last"]["thread"] != thread)


async def claim(store: BaseStore, thread: str, user: str, state: SessionState) -> None:
    """Writes that `thread` is `user`'s, if it is new or a copy of one of theirs.

    What somebody else began stays theirs; what nobody in particular began stays nobody's.
    """
    if await owner_of_thread(store, thread):
        return
    if state.get("turn") and await owner_by_rows(store, thread, state) != user:
        return
    owner = PutOp(names.owner(thread), names.OWNER, {"user": user}, index=False)
    of_user = PutOp(names.user_threads(user), names.encoded(thread), {"thread": thread}, False)
    await store.abatch([owner, of_user])


async def owner_of_thread(store: BaseStore, thread: str) -> str:
    """The user whose `thread` is; empty when nobody in particular talked in it."""
    item = await store.aget(names.owner(thread), names.OWNER)
    return str(item.value["user"]) if item else ""


async def owner_by_rows(store: BaseStore, thread: str, state: SessionState) -> str:
    """As `owner_of_thread`; a copy that was not talked in yet is its original's owner's."""
    trail = state.get("transcript")
    asked = [thread, *([trail["last"]["thread"]] if trail else [])]
    found = await store.abatch([GetOp(names.owner(each), names.OWNER) for each in asked])
    return next((str(item.value["user"]) for item in found if isinstance(item, Item)), "")


async def threads_of(store: BaseStore, user: str) -> list[str]:
    """The threads of `user`, by id."""
    items: list[Any] = await whole.items(store, names.user_threads(user))
    return sorted(str(item.value["thread"]) for item in items)
