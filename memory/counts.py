"""The counters of every thread in the store: an item a thread, as its state has them."""

from collections.abc import Sequence
from typing import Any, cast

from langgraph.store.base import BaseStore, GetOp, Item

from memory import names
from state.counts import Counts

_BATCH = 200


async def keep(store: BaseStore, counts: Counts) -> None:
    """Writes the counters of a thread over its earlier ones. Safe to repeat."""
    space = names.counts(counts["thread"])
    await store.aput(space, names.COUNTS, cast("dict[str, Any]", counts), index=False)


async def read(store: BaseStore, threads: Sequence[str]) -> list[Counts]:
    """The counters of those of `threads` that have any."""
    found: list[Counts] = []
    for at in range(0, len(threads), _BATCH):
        keys = [GetOp(names.counts(each), names.COUNTS) for each in threads[at : at + _BATCH]]
        items = await store.abatch(keys)
        found += [cast("Counts", item.value) for item in items if isinstance(item, Item)]
    return found
