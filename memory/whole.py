"""Reading all of something in the store, also while others write to it."""

from typing import Any

from langgraph.store.base import BaseStore, SearchItem

ALL = 2**31 - 1
"""As many as there are. A search is one statement, and sees one moment; pages of it, which are
ordered by when each item was last written, would miss or double what is written meanwhile."""


async def items(
    store: BaseStore, space: tuple[str, ...], *, filter: dict[str, Any] | None = None
) -> list[SearchItem]:
    """Every item below `space`, as all of them were at one moment, by key."""
    found = await store.asearch(space, filter=filter, limit=ALL)
    return sorted(found, key=lambda item: item.key)
