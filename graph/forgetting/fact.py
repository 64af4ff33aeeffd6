"""Forgetting one fact, in every thread that may hold it."""

from typing import cast

from graph.forgetting import checkpoints
from graph.forgetting.fact_in_thread import FactInThread
from graph.forgetting.means import FactUnknownError, Means
from graph.forgetting.receipt import Account, Receipt
from graph.forgetting.trail import originals
from graph.forgetting.user import threads_of_user
from graph.locks import thread_lock
from memory import names, whole
from memory.forgettings import Intent, begin, begun, end
from memory.ownership import owner_by_rows
from memory.redacting import facts_in, redact
from state.catalogue import KINDS
from state.fact_ids import id_of
from state.facts import Fact
from state.forgetting import facts_stated
from state.redaction import MARK, Redactor, Wanted, wanted_of
from state.session import SessionState


async def forget_fact(means: Means, thread: str, fact: str, *, user: str = "") -> Receipt:
    """Forgets the fact with the id `fact` (see `state.fact_ids`), as `thread` knows it.

    Without a `thread` it is a fact that the profile of `user` knows, wherever it is from.
    It goes from the thread, from those that it is a copy of and from the profile of `user` (whose
    the thread is, if none is given); of a kind that outlives the session, from all threads of
    theirs. Waits for a reply that is being written. Safe to repeat.

    Raises FactUnknownError, and ForgettingRefusedError before anything was changed.
    """
    store = means.database.store
    intent = Intent(
        what="fact",
        id=fact,
        thread=thread,
        user=user,
        server=means.server is not None,
        wanted={},
    )
    before = await begun(store, intent)
    if before is None:
        intent["user"] = user or await owner_by_rows(store, thread, await _state(means, thread))
        intent["wanted"] = await _wanted(means, intent)
        for each, wanted in _in_threads(intent):
            await FactInThread(means, each, Redactor(wanted)).check_refused()
        await begin(store, intent)
    else:
        intent = before
    account = Account(what="fact", id=fact)
    for each, wanted in _in_threads(intent):
        async with thread_lock(means.database, each):
            await FactInThread(means, each, Redactor(wanted)).forget(account)
    await _forget_in_profile(means, intent, account)
    if account.clean and means.may_end(intent):
        await end(store, intent)
    return account.receipt(means.now)


def _in_threads(intent: Intent) -> list[tuple[str, Wanted]]:
    return [(thread, wanted) for thread, wanted in intent["wanted"].items() if thread]


async def _forget_in_profile(means: Means, intent: Intent, account: Account) -> None:
    if not intent["user"]:
        return
    store, space = means.database.store, names.user(intent["user"])
    redactor = Redactor(intent["wanted"][intent["thread"]])
    account.removed += (await redact(store, space, redactor)).places
    account.found["profile"] = (await redact(store, space, redactor, look=True)).count


async def _wanted(means: Means, intent: Intent) -> dict[str, Wanted]:
    """By thread what is to be forgotten there, the one that was asked first. Raises."""
    thread, user, store = intent["thread"], intent["user"], means.database.store
    here = await _facts(means, thread)
    learnt = await whole.items(store, names.profile(user)) if user else []
    known = [*here, *(fact for item in learnt for fact in facts_in(item.value))]
    told = (fact for fact in known if MARK not in fact["value"])
    stated = next((fact for fact in told if id_of(fact) == intent["id"]), None)
    if stated is None:
        who = f"thread {thread!r}" if thread else f"the profile of {user!r}"
        raise FactUnknownError(f"{who} knows no fact {intent['id']!r}")
    wanted = {thread: wanted_of(stated, here)}
    for other in await _others(means, thread, user, stated["kind"]):
        found = wanted_of(stated, await _facts(means, other))
        if await FactInThread(means, other, Redactor(found)).is_held():
            wanted[other] = found
    return wanted


async def _others(means: Means, thread: str, user: str, kind: str) -> list[str]:
    """The threads that may know a fact of that kind from `thread`, or it from them.

    Those that it is a copy of, and of the user's those that are a copy of it; all of them when the
    kind outlives the session.
    """
    parents = await originals(means.database, thread) if thread else []
    mine, _ = await threads_of_user(means, user) if user else ([], [])
    known = KINDS.get(kind)
    if known is None or not known.lasts:
        mine = [each for each in mine if thread in await originals(means.database, each)]
    return [each for each in dict.fromkeys([*parents, *mine]) if each != thread]


async def _facts(means: Means, thread: str) -> list[Fact]:
    """Every fact that anything of `thread` states, or stated once."""
    items = await whole.items(means.database.store, names.thread(thread))
    stated = facts_stated(await _state(means, thread))
    return [*stated, *(fact for item in items for fact in facts_in(item.value))]


async def _state(means: Means, thread: str) -> SessionState:
    return cast("SessionState", await checkpoints.newest(means.database, thread) or {})
