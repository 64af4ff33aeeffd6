"""A branch of the transcript read whole, across the threads that wrote its rows."""

from typing import cast

from langgraph.store.base import BaseStore

from memory import names, whole
from memory.transcript import Row
from state.session import RowKey


async def read_branch(store: BaseStore, end: RowKey | None) -> list[tuple[RowKey, Row]]:
    """The rows of a branch up to `end`, oldest first; each thread that wrote some is read once."""
    rows: list[tuple[RowKey, Row]] = []
    read: dict[str, dict[str, Row]] = {}
    at = end
    while at is not None:
        thread = at["thread"]
        if thread not in read:
            items = await whole.items(store, names.transcript(thread))
            read[thread] = {item.key: cast("Row", item.value) for item in items}
        row = read[thread].get(at["key"])
        if row is None:
            break
        rows.append((at, row))
        at = row["before"]
    return rows[::-1]
