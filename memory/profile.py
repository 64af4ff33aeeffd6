"""The profile of a user in the store: an item for each thing that a thread said of a fact."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from langgraph.store.base import BaseStore, PutOp, SearchItem

from memory import names, whole
from state.catalogue import KINDS
from state.fact_ids import id_of
from state.facts import Event, Fact
from state.profile import Learnt, outdated

HOST = ""
"""The thread of what nobody said: the host knew it, or somebody set it by hand."""
_MOST_OUTDATED = 32

_STATES = frozenset({"stated", "again", "changed", "corrected by hand"})
_ENDS = frozenset({"changed", "retracted", "kept", "expired", "corrected by hand"})


async def read(store: BaseStore, user: str) -> list[Learnt]:
    """All that the threads of `user` said, as it was at one moment."""
    return learnt_in(await whole.items(store, names.profile(user)))


def learnt_in(items: Iterable[SearchItem]) -> list[Learnt]:
    """What the items of a profile say."""
    return [cast("Learnt", item.value) for item in items]


def lasting(events: Iterable[Event], thread: str, at: Mapping[int, str]) -> list[Learnt]:
    """What `events` in `thread` mean for the profile; `at` has the time of each turn."""
    learnt: list[Learnt] = []
    for event in events:
        fact, before, happened = event["fact"], event["before"], event["event"]
        if (kind := KINDS.get(fact["kind"])) is None or not kind.lasts:
            continue
        when = at[fact["turn"]]
        if before is not None and happened in _ENDS:
            learnt.append(_learnt(before, thread, when, ends=True, turn=fact["turn"]))
        if happened in _STATES:
            # Said again, it is the value as it stands: spelt otherwise, it would be another.
            said = before if before is not None and happened == "again" else fact
            again = Fact(**{**said, "turn": fact["turn"], "said": fact["said"]})
            learnt.append(_learnt(again, thread, when, ends=False, turn=fact["turn"]))
    return learnt


async def learn(store: BaseStore, user: str, learnt: Sequence[Learnt]) -> None:
    """Writes what a thread of `user` said. Safe to repeat."""
    if learnt:
        space = names.profile(user)
        await store.abatch([PutOp(space, _key(each), {**each}, index=False) for each in learnt])


async def unlearn(store: BaseStore, user: str, learnt: Sequence[Learnt]) -> None:
    """Takes items away, as if nobody had said so."""
    if learnt:
        space = names.profile(user)
        await store.abatch([PutOp(space, _key(each), None) for each in learnt])


async def tidy(store: BaseStore, user: str, learnt: Sequence[Learnt]) -> None:
    """Deletes what is of no use any more, when there is much of it."""
    if len(needless := outdated(learnt)) > _MOST_OUTDATED:
        await unlearn(store, user, needless)


def forgotten(id: str, at: str) -> Learnt:
    """That the fact with this id is not to be known any more: without a word of it."""
    return Learnt(id=id, ends=True, at=at, thread=HOST, fact=None)


def _learnt(fact: Fact, thread: str, at: str, *, ends: bool, turn: int) -> Learnt:
    own: Any = {**fact, "turn": turn}
    return Learnt(id=id_of(fact), ends=ends, at=at, thread=thread, fact=own)


def _key(learnt: Learnt) -> str:
    return names.profile_key(learnt["id"], learnt["thread"], ends=learnt["ends"])
