"""The sample data's ledger: which actions are done, an item each, so that none is done twice."""

from typing import Any

from langgraph.store.base import BaseStore

from memory import names


async def record(
    store: BaseStore, thread: str, key: str, *, action: str, args: dict[str, Any], result: str
) -> None:
    """Does an action of the sample data: this item is all that it changes."""
    entry = {"action": action, "args": args, "result": result}
    await store.aput(names.ledger(thread), key, entry, index=False)


async def result_of(store: BaseStore, thread: str, key: str) -> str | None:
    """What came of the action, if it is done."""
    item = await store.aget(names.ledger(thread), key)
    return str(item.value["result"]) if item else None
