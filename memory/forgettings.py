"""What is being forgotten, until it is; and when something of a thread was last forgotten."""

from typing import Any, Literal, cast

from langgraph.store.base import BaseStore
from typing_extensions import TypedDict

from memory import names, whole
from state.redaction import Wanted


class Intent(TypedDict):
    """One forgetting that has begun: who dies in the middle leaves it to be done again."""

    what: Literal["fact", "thread", "user"]
    id: str
    """Of the fact, the thread or the user."""
    thread: str
    """Where the fact is forgotten; empty for a user, and for a fact of a profile."""
    user: str
    """Whose profile is to go, or to forget the fact; empty for nobody's."""
    server: bool
    """Whether the records of a server are to go, too."""
    wanted: dict[str, Wanted]
    """By thread, what is looked for: the fact itself may be gone already."""


def key_of(intent: Intent) -> str:
    """Key of its item: the same forgetting has the same."""
    parts = [intent["what"], intent["thread"], intent["id"]]
    if intent["what"] == "fact" and not intent["thread"]:
        parts.append(intent["user"])
    return ".".join(names.encoded(part) for part in parts)


async def begin(store: BaseStore, intent: Intent) -> None:
    """Notes that it has begun."""
    item = cast("dict[str, Any]", intent)
    await store.aput(names.FORGETTING, key_of(intent), item, index=False)


async def end(store: BaseStore, intent: Intent) -> None:
    """Notes that it is done: nothing of it is kept."""
    await store.adelete(names.FORGETTING, key_of(intent))


async def begun(store: BaseStore, intent: Intent) -> Intent | None:
    """The same forgetting, if it has begun already and is not done."""
    item = await store.aget(names.FORGETTING, key_of(intent))
    return cast("Intent", item.value) if item else None


async def unfinished(store: BaseStore) -> list[Intent]:
    """What has begun and is not done."""
    return [cast("Intent", item.value) for item in await whole.items(store, names.FORGETTING)]


async def epoch(store: BaseStore, thread: str) -> str:
    """Which forgetting of `thread` was the last; empty for none."""
    item = await store.aget(names.EPOCHS, names.encoded(thread))
    return str(item.value["epoch"]) if item else ""


async def begin_epoch(store: BaseStore, thread: str, epoch: str) -> None:
    """From now on nobody may leave what was made of `thread` before."""
    value = {"thread": thread, "epoch": epoch}
    await store.aput(names.EPOCHS, names.encoded(thread), value, index=False)
