"""Forgetting a thread: its checkpoints, its part of the store, its vectors, its runs."""

import asyncio
from uuid import uuid4

from graph.forgetting import checkpoints
from graph.forgetting.learnt import forget_learnt
from graph.forgetting.means import Means
from graph.forgetting.receipt import Account, Receipt
from graph.forgetting.server import ServerRecords
from graph.forgetting.trail import originals
from graph.locks import thread_lock
from memory import names, posts, whole
from memory.erase import erase_thread
from memory.forgettings import Intent, begin, begin_epoch, begun, end
from memory.ownership import owner_of_thread, threads_of
from memory.scope import VectorError

ROUNDS = 5
"""How often something is forgotten again when work that was under way has brought it back."""
PAUSE_SECONDS = 0.5
"""In which work that looked just before whether it may leave its result has left it."""


async def forget_thread(means: Means, thread: str) -> Receipt:
    """Deletes all of `thread`, and what only it told its user's other threads.

    Waits for a turn of a terminal; stops the runs of a server. Safe to repeat: of a thread that is
    gone the receipt says that nothing was removed.
    """
    user = await owner_of_thread(means.database.store, thread)
    others = await threads_of(means.database.store, user) if user else []
    copies = [
        other
        for other in others
        if other != thread and thread in await originals(means.database, other)
    ]
    account = await delete_thread(means, thread, user, others_stay=True)
    account.left = [
        f"thread {each}: a copy of this one, with a memory of its own" for each in copies
    ]
    return account.receipt(means.now)


async def delete_thread(means: Means, thread: str, user: str, *, others_stay: bool) -> Account:
    """Deletes all of `thread` of `user`, and of what it told the others unless they go as well."""
    store = means.database.store
    intent = Intent(
        what="thread",
        id=thread,
        thread=thread,
        user=user,
        server=means.server is not None,
        wanted={},
    )
    if (before := await begun(store, intent)) is not None:
        intent["user"] = user or before["user"]
        intent["server"] |= before["server"]
    await begin(store, intent)
    account = Account(what="thread", id=thread, threads=[thread])
    async with thread_lock(means.database, thread):
        for again in range(ROUNDS):
            await asyncio.sleep(PAUSE_SECONDS if again else 0)
            await _forget(means, thread, account)
            if intent["user"]:
                await _disown(means, thread, intent["user"], account, others_stay=others_stay)
            account.found = await _look(means, thread)
            if account.clean:
                break
    if account.clean and means.may_end(intent):
        await end(store, intent)
    return account


async def _disown(
    means: Means, thread: str, user: str, account: Account, *, others_stay: bool
) -> None:
    if others_stay:
        account.removed["profile"] += await forget_learnt(means, user, thread)
    await means.database.store.adelete(names.user_threads(user), names.encoded(thread))


async def _forget(means: Means, thread: str, account: Account) -> None:
    store, server = means.database.store, ServerRecords(means.server)
    desk = await posts.look(store, thread)
    await begin_epoch(store, thread, uuid4().hex)
    await server.stop(thread)
    account.removed["checkpoints"] += await checkpoints.count(means.database, thread)
    account.removed["server"] += await server.delete(thread)
    await means.database.saver.adelete_thread(thread)
    for item in await whole.items(store, names.thread(thread)):
        account.removed[item.namespace[len(names.THREADS) + 1]] += 1
    vectors = means.indexer.vectors if means.indexer else None
    if vectors is not None and not account.waits:
        try:
            account.removed["vectors"] += await vectors.held_of(thread=thread)
        except VectorError as error:
            account.waits = [f"vectors of thread {thread}: {error}"]
    if desk.busy(means.clock()):
        await asyncio.sleep(PAUSE_SECONDS)
    await erase_thread(store, thread, vectors)


async def _look(means: Means, thread: str) -> dict[str, int]:
    """What there still is of `thread`, by store."""
    found = {
        "checkpoints": await checkpoints.count(means.database, thread),
        "store": len(await whole.items(means.database.store, names.thread(thread))),
    }
    if means.indexer is not None:
        try:
            found["vectors"] = await means.indexer.vectors.held_of(thread=thread)
        except VectorError:
            return found  # they wait, as the receipt says
    server = ServerRecords(means.server)
    if server.knows(thread):
        found["server"] = await server.holding(thread, lambda _: True)
    return found
