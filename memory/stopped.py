"""A reply that was stopped: what was read of it waits in the store for the next turn."""

from collections.abc import Sequence
from typing import cast

from langgraph.store.base import BaseStore
from typing_extensions import TypedDict

from memory import names


class Stopped(TypedDict):
    """The words that were streamed, and what they answered."""

    id: str
    after: str
    """Id of the message that the reply followed."""
    text: str
    run: str
    """Id of the run that wrote them; empty outside a server."""


async def keep(store: BaseStore, thread: str, stopped: Stopped) -> None:
    """Keeps what was read; a later stop in the same thread takes its place."""
    await store.aput(names.desk(thread), names.STOPPED, {**stopped}, index=False)


async def kept(store: BaseStore, thread: str) -> Stopped | None:
    """What was read of the reply that was stopped last."""
    item = await store.aget(names.desk(thread), names.STOPPED)
    return cast("Stopped", item.value) if item else None


async def forget(store: BaseStore, thread: str, runs: Sequence[str]) -> None:
    """Drops what was read of a reply that one of `runs` wrote: they are rolled back."""
    stopped = await kept(store, thread)
    if stopped is not None and stopped.get("run") in runs:
        await store.adelete(names.desk(thread), names.STOPPED)
