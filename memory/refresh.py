"""The facts of a thread as they are now: with what was set by hand, and learnt elsewhere."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from langgraph.store.base import BaseStore, Op, SearchItem, SearchOp

from memory import names, whole
from memory.by_hand import ByHand
from memory.profile import learnt_in
from state.fact_ids import id_of
from state.facts import Event, Facts, merged, ordered
from state.identity import Owner
from state.profile import Learnt, met, unsaid
from state.session import SessionState


@dataclass(kw_only=True)
class Fresh:
    """What became of the facts of a thread."""

    facts: Facts
    pinned: Facts
    by_hand_through: str
    """Time of the last change by hand that is in them."""
    events: list[Event] = field(default_factory=list)
    """What other conversations changed."""
    learnt: list[Learnt] = field(default_factory=list)
    """The profile that they met."""
    unsaid: list[Learnt] = field(default_factory=list)
    """What of the profile an edit of this thread has made unsaid: to be taken out of it."""


async def refreshed(
    store: BaseStore,
    thread: str,
    owner: Owner,
    state: SessionState,
    *,
    turn: int,
    budget: int,
    message: str,
) -> Fresh:
    """The facts of `state` at the beginning of `turn`, in which `owner` said `message`.

    Reads in one round trip; writes nothing.
    """
    ops: list[Op] = [SearchOp(names.by_hand(thread), limit=whole.ALL)]
    if owner.kind == "user":
        ops.append(SearchOp(names.profile(owner.id), limit=whole.ALL))
    found = [cast("list[SearchItem]", each) for each in await store.abatch(ops)]
    by_hand = sorted((cast("ByHand", i.value) for i in found[0]), key=lambda each: each["at"])
    learnt = learnt_in(found[1]) if len(found) > 1 else []
    gone = unsaid(learnt, thread, turn)
    said = [each for each in learnt if each not in gone]
    set_now = _set(state, by_hand)
    result = met(set_now.facts, set_now.pinned, said, budget=budget, message=message)
    return Fresh(
        facts=result.facts,
        pinned=result.pinned,
        by_hand_through=set_now.by_hand_through,
        events=result.events,
        learnt=said,
        unsaid=gone,
    )


def _set(state: SessionState, by_hand: Sequence[ByHand]) -> Fresh:
    """The facts with the changes by hand that they do not know yet."""
    through = state.get("by_hand_through", "")
    new = [each for each in by_hand if each["at"] > through]
    made = merged(state.get("facts", {}), [each["change"] for each in new])
    replaced = {id_of(event["before"]) for event in made.events if event["before"]}
    replaced -= {id_of(event["fact"]) for event in made.events}
    pinned = {
        kind: [fact for fact in facts if id_of(fact) not in replaced]
        for kind, facts in state.get("pinned", {}).items()
    }
    return Fresh(
        facts=made.facts if new else state.get("facts", {}),
        pinned=ordered(pinned) if replaced else state.get("pinned", {}),
        by_hand_through=new[-1]["at"] if new else through,
    )
