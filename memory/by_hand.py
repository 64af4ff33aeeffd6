"""What somebody set by hand in a thread: it waits in the store until the thread's next turn.

So no run that is at work can undo it, and a fork from before it takes it over as well.
"""

from typing import cast

from langgraph.store.base import BaseStore
from typing_extensions import TypedDict

from memory import names, whole
from state.fact_ids import id_of
from state.facts import Change


class ByHand(TypedDict):
    """One change."""

    at: str
    """When: ISO 8601, UTC."""
    change: Change


async def write(store: BaseStore, thread: str, by_hand: ByHand) -> None:
    """Leaves a change for the next turn of `thread`."""
    key = f"{by_hand['at']}-{id_of(by_hand['change']['fact'])}"
    await store.aput(names.by_hand(thread), key, {**by_hand}, index=False)


async def read(store: BaseStore, thread: str) -> list[ByHand]:
    """All of them, the oldest first."""
    found = await whole.items(store, names.by_hand(thread))
    return [cast("ByHand", item.value) for item in found]
