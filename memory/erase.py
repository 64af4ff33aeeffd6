"""Finding and erasing all that the store holds of a thread."""

from langgraph.store.base import BaseStore, PutOp

from memory import names, whole

_PAGE = 200


async def threads(store: BaseStore) -> list[str]:
    """Ids of the threads that the store holds anything of, sorted."""
    spaces = await store.alist_namespaces(prefix=names.THREADS, max_depth=3, limit=whole.ALL)
    return sorted(names.decoded(space[2]) for space in spaces if len(space) > 2)


async def erase_thread(store: BaseStore, thread: str) -> int:
    """Deletes every item of `thread`; how many there were. Safe to repeat."""
    erased = 0
    while items := await store.asearch(names.thread(thread), limit=_PAGE):
        await store.abatch([PutOp(item.namespace, item.key, None) for item in items])
        erased += len(items)
    return erased
