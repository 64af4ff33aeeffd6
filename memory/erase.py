"""Finding and erasing all that is kept of a thread: items of the store, and vectors."""

from typing import TYPE_CHECKING, NamedTuple

from langgraph.store.base import BaseStore, PutOp

from memory import names, whole
from memory.scope import VectorError

if TYPE_CHECKING:
    from memory.vectors import Vectors

_PAGE = 200


class Erased(NamedTuple):
    """What was erased of a thread."""

    items: int
    waits: str | None
    """Why its vectors could not be deleted yet; they will be, by `redo`. They hold no words."""


async def threads(store: BaseStore) -> list[str]:
    """Ids of the threads that the store holds anything of, sorted."""
    spaces = await store.alist_namespaces(prefix=names.THREADS, max_depth=3, limit=whole.ALL)
    return sorted(names.decoded(space[2]) for space in spaces if len(space) > 2)


async def erase_thread(store: BaseStore, thread: str, vectors: "Vectors | None" = None) -> Erased:
    """Deletes every item of `thread`, then its vectors. Safe to repeat."""
    if vectors is not None:
        await erase_vectors_later(store, thread)
    erased = 0
    while items := await store.asearch(names.thread(thread), limit=_PAGE):
        await store.abatch([PutOp(item.namespace, item.key, None) for item in items])
        erased += len(items)
    if vectors is None:
        return Erased(erased, None)
    try:
        await _erase_vectors(store, thread, vectors)
    except VectorError as error:
        return Erased(erased, str(error))
    return Erased(erased, None)


async def erase_vectors_later(store: BaseStore, thread: str) -> None:
    """Has all vectors of `thread` deleted by `redo`; those of rows that stand are made again."""
    await store.aput(names.ERASED, names.encoded(thread), {"thread": thread}, index=False)


async def redo(store: BaseStore, vectors: "Vectors") -> list[str]:
    """Deletes the vectors of erased threads that still wait for it; which threads those were.

    Raises VectorError.
    """
    waiting = [str(item.value["thread"]) for item in await whole.items(store, names.ERASED)]
    for thread in waiting:
        await _erase_vectors(store, thread, vectors)
    return waiting


async def _erase_vectors(store: BaseStore, thread: str, vectors: "Vectors") -> None:
    await vectors.delete_thread(thread)
    await store.adelete(names.ERASED, names.encoded(thread))
