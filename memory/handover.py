"""The packets of threads that wait for a person, one a thread."""

from typing import Any, cast

from langgraph.store.base import BaseStore, GetOp, Item

from memory import names
from state.handover import Packet

_PAGE = 200


async def keep(store: BaseStore, thread: str, packet: Packet) -> None:
    """Puts the packet of `thread` where people look for it, in place of an older one."""
    await store.aput(
        names.handover(thread), names.PACKET, cast("dict[str, Any]", packet), index=False
    )


async def drop(store: BaseStore, thread: str) -> None:
    """Takes the packet away: the bot has the thread again."""
    await store.adelete(names.handover(thread), names.PACKET)


async def waiting(store: BaseStore) -> list[tuple[str, Packet]]:
    """The threads that wait for a person, by id, and their packets."""
    found: list[tuple[str, Packet]] = []
    offset = 0
    while spaces := await store.alist_namespaces(
        prefix=names.THREADS, suffix=(names.HANDOVER,), limit=_PAGE, offset=offset
    ):
        items = await store.abatch([GetOp(space, names.PACKET) for space in spaces])
        found += [
            (names.decoded(i.namespace[2]), cast("Packet", i.value))
            for i in items
            if isinstance(i, Item)
        ]
        offset += _PAGE
    return sorted(found, key=lambda pair: pair[0])
