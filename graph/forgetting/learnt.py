"""What a user's other conversations know from one that is forgotten, and from nowhere else."""

from typing import Any, cast

from graph.forgetting import checkpoints
from graph.forgetting.change import Change
from graph.forgetting.means import Means
from graph.locks import thread_lock
from memory import names, profile
from memory.ownership import threads_of
from memory.redacting import redact
from state.facts import Fact
from state.profile import BEFORE, Learnt
from state.redaction import Redactor, wanted_of
from state.session import SessionState
from state.unlearning import state_unlearnt, unlearnt


async def forget_learnt(means: Means, user: str, thread: str) -> int:
    """Takes what `thread` told out of the profile of `user`, and out of the facts of the others.

    How many things it told. Safe to repeat.
    """
    store = means.database.store
    learnt = await profile.read(store, user)
    told = [each for each in learnt if each["thread"] == thread]
    others = [each for each in learnt if each["thread"] != thread]
    stands = {each["id"] for each in others if not each["ends"]}
    gone = [each["fact"] for each in told if each["fact"] and each["id"] not in stands]
    if gone:
        for other in await threads_of(store, user):
            if other != thread:
                await _forget_in(means, other, gone)
        await profile.learn(store, user, [_without(each, gone) for each in others])
    await profile.unlearn(store, user, told)
    return len(told)


async def _forget_in(means: Means, thread: str, gone: list[Fact]) -> None:
    """Leaves one checkpoint that does not know them, of a thread that does."""

    def without(values: dict[str, Any]) -> dict[str, Any]:
        return cast("dict[str, Any]", state_unlearnt(cast("SessionState", values), gone))

    async with thread_lock(means.database, thread):
        values = await checkpoints.newest(means.database, thread)
        if values is not None and without(values) != values:
            change = Change(values=without, write=lambda written: written)
            await checkpoints.rewrite(means.database, thread, change)
    for fact in gone:
        redactor = Redactor(wanted_of(fact))
        await redact(means.database.store, names.fact_log(thread), redactor)


def _without(learnt: Learnt, gone: list[Fact]) -> Learnt:
    """What another thread said, without a value that this one replaced, or that it only ended."""
    fact = learnt["fact"]
    if fact is None:
        return learnt
    ended = learnt["ends"] and unlearnt({**fact, "turn": BEFORE}, gone) is None
    return {**learnt, "fact": None if ended else unlearnt({**fact}, gone)}
