"""The facts of a conversation as their owner reads them: each with its evidence and history."""

from collections.abc import Iterable, Sequence
from typing import Any

from app.api.models import FactEvent, FactKind, MemoryFact, ThreadFacts, Where
from graph.resources import Opened
from memory.facts import read_log
from memory.spilled import standing
from state.catalogue import CATALOGUE, KINDS
from state.fact_budget import flat
from state.fact_ids import id_of
from state.facts import Fact, same
from state.session import SessionState

_EVENT = tuple(FactEvent.model_fields)


async def thread_facts(opened: Opened, thread: str, state: SessionState) -> ThreadFacts:
    """What stands in `thread`: in its state, and what had no room there."""
    store = opened.database.store
    log = await read_log(store, thread)
    through = state.get("extracted_through", 0)
    spilled = await standing(store, state.get("spilled_in", []), through=through)
    here = flat(state.get("facts", {}))
    shown = [viewed(fact, log, where="thread", thread=thread) for fact in here]
    beside = [fact for fact in spilled if fact not in here]
    shown += [viewed(fact, log, where="spilled", thread=thread) for fact in beside]
    return ThreadFacts(thread=thread, facts=in_order(shown), kinds=kinds())


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
