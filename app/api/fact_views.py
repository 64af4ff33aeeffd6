"""The facts of a conversation as their owner reads them: each with its evidence and history."""

from collections.abc import Iterable, Sequence
from typing import Any

from app.api.models import FactEvent, FactKind, MemoryFact, Profile, ThreadFacts, Where
from graph.correcting import Current
from graph.resources import Opened
from memory import profile
from memory.facts import read_log
from state.catalogue import CATALOGUE, KINDS
from state.fact_budget import flat
from state.fact_ids import id_of
from state.facts import Fact, same
from state.profile import BEFORE, Learnt, as_greeting, standing

_EVENT = tuple(FactEvent.model_fields)


async def thread_facts(opened: Opened, now: Current) -> ThreadFacts:
    """What stands in a conversation."""
    log = await read_log(opened.database.store, now.thread)
    learnt = await profile.read(opened.database.store, now.user) if now.user else []
    shown = [
        viewed(fact, log, where="thread", thread=now.thread)
        if fact["turn"] > BEFORE
        else from_profile(fact, learnt)
        for fact in flat(now.state.get("facts", {}))
    ]
    shown += [viewed(fact, log, where="spilled", thread=now.thread) for fact in now.spilled]
    return ThreadFacts(thread=now.thread, facts=in_order(shown), kinds=kinds())


async def user_profile(opened: Opened, user: str) -> Profile:
    """What every conversation of `user` knows."""
    learnt = await profile.read(opened.database.store, user)
    facts = [fact for each in standing(learnt) if (fact := as_greeting(each))]
    shown = in_order(from_profile(fact, learnt) for fact in facts)
    return Profile(user=user, facts=shown, kinds=[kind for kind in kinds() if kind.lasts])


async def changed(opened: Opened, now: Current, fact: Fact) -> MemoryFact:
    """`fact` as it stands in a conversation after a change."""
    log = await read_log(opened.database.store, now.thread)
    return viewed(fact, log, where="thread", thread=now.thread)


async def in_profile(opened: Opened, user: str, fact: Fact) -> MemoryFact:
    """`fact` as it stands in a profile after a change."""
    return from_profile(fact, await profile.read(opened.database.store, user))


def from_profile(fact: Fact, learnt: Sequence[Learnt]) -> MemoryFact:
    """`fact` of a profile, with what the user's threads said of it."""
    kind, own = KINDS[fact["kind"]], id_of(fact)
    told = sorted(learnt, key=lambda each: each["at"])
    rows = [
        _row(each, said)
        for each in told
        if (said := each["fact"]) is not None
        and (each["id"] == own or (said["kind"] == kind.key and not kind.many))
    ]
    last = next((e["thread"] for e in told[::-1] if e["id"] == own and not e["ends"]), "")
    shown = viewed(fact, [], where="profile", thread=last)
    return shown.model_copy(update={"history": rows})


def _row(learnt: Learnt, fact: Fact) -> FactEvent:
    happened = "ended" if learnt["ends"] else "stated"
    by_hand = " by hand" if fact["found"] == "hand" and not learnt["ends"] else ""
    return FactEvent(
        at=learnt["at"],
        event=happened + by_hand,
        value=fact["value"],
        before=fact["was"],
        turn=fact["turn"],
        by=fact["by"],
        quote=fact["quote"],
    )


def kinds() -> list[FactKind]:
    """The catalogue."""
    return [
        FactKind(kind=k.key, says=k.says, many=k.many, lasts=k.lasts, by=k.by) for k in CATALOGUE
    ]


def in_order(facts: Iterable[MemoryFact]) -> list[MemoryFact]:
    """`facts` in the order of the catalogue, then of their turns."""
    order = {kind.key: place for place, kind in enumerate(CATALOGUE)}
    return sorted(facts, key=lambda fact: (order.get(fact.kind, len(order)), fact.turn))


def viewed(fact: Fact, log: Sequence[dict[str, Any]], *, where: Where, thread: str) -> MemoryFact:
    """`fact`, with what `log` tells of it."""
    kind = KINDS.get(fact["kind"])
    return MemoryFact(
        id=id_of(fact),
        says=kind.says if kind else "",
        lasts=kind is not None and kind.lasts,
        where=where,
        thread=thread,
        history=history(fact, log),
        **fact,
    )


def history(fact: Fact, log: Sequence[dict[str, Any]]) -> list[FactEvent]:
    """What happened to `fact` and to the values before it, oldest first."""
    values = [fact["value"]]
    told: list[FactEvent] = []
    for row in reversed(log):
        if row["kind"] == fact["kind"] and any(same(row["value"], value) for value in values):
            told.append(FactEvent(**{name: row[name] for name in _EVENT}))
            values += [row["before"]] if row["before"] else []
    return told[::-1]
