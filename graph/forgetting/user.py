"""Forgetting a user: every thread of theirs, and their profile."""

from graph.forgetting.means import Means
from graph.forgetting.receipt import Account, Receipt
from graph.forgetting.server import ServerRecords
from graph.forgetting.thread import delete_thread
from memory import names, whole
from memory.forgettings import Intent, begin, begun, end
from memory.ownership import owner_of_thread, threads_of
from memory.scope import VectorError

OWNER = "owner"
"""Key of a thread's metadata on the server: the user whose it is."""


async def forget_user(means: Means, user: str) -> Receipt:
    """Deletes every thread of `user`, and what outlives them. Safe to repeat."""
    store = means.database.store
    intent = Intent(
        what="user",
        id=user,
        thread="",
        user=user,
        server=means.server is not None,
        wanted={},
    )
    if (before := await begun(store, intent)) is not None:
        intent["server"] |= before["server"]
    await begin(store, intent)
    account = Account(what="user", id=user)
    mine, mixed = await threads_of_user(means, user)
    for thread in mine:
        account.add(await delete_thread(means, thread, user, others_stay=False))
    account.left = [f"thread {each}: words of this user in a thread of another" for each in mixed]
    profile = await whole.items(store, names.user(user))
    for item in profile:
        account.removed[item.namespace[len(names.USERS) + 1]] += 1
        await store.adelete(item.namespace, item.key)
    account.found["profile"] = len(await whole.items(store, names.user(user)))
    mine, _ = await threads_of_user(means, user)
    account.found["threads"] = len(mine)
    if means.indexer is not None:
        try:
            await means.indexer.vectors.delete_user(user)
            account.found["vectors"] = await means.indexer.vectors.held_of(user=user)
        except VectorError as error:
            account.waits.append(f"vectors of user {user}: {error}")
    if account.clean and means.may_end(intent):
        await end(store, intent)
    return account.receipt(means.now)


async def threads_of_user(means: Means, user: str) -> tuple[list[str], list[str]]:
    """The threads of `user`, and those of others that hold words of theirs.

    As they were claimed, as the transcript's rows say, and as the server has them.
    """
    store = means.database.store
    claimed = await threads_of(store, user)
    rows = await whole.items(store, names.THREADS, filter={"user": user})
    of_server = await ServerRecords(means.server).threads_of(user, OWNER)
    every = {*claimed, *of_server, *(_thread(row.namespace) for row in rows)}
    owners = {each: await owner_of_thread(store, each) for each in sorted(every)}
    mine = [each for each, owner in owners.items() if owner in ("", user)]
    return mine, [each for each in owners if each not in mine]


def _thread(namespace: tuple[str, ...]) -> str:
    return names.decoded(namespace[len(names.THREADS)])
