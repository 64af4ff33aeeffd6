"""What the owner of a memory, or the host, sets in it by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graph.forgetting.means import FactUnknownError
from graph.resources import Opened
from memory import by_hand, profile
from memory.by_hand import ByHand
from memory.facts import log_events
from memory.ownership import owner_by_rows
from memory.refresh import refreshed
from memory.spilled import spill, standing
from state.catalogue import KINDS, Kind
from state.dates import local_date
from state.fact_budget import flat
from state.fact_ids import id_of
from state.facts import Change, Event, Fact
from state.identity import resolve_owner
from state.profile import BEFORE, Learnt, as_greeting
from state.profile import standing as standing_learnt
from state.secrets import holds_secret
from state.session import SessionState
from state.text import clean

_LONGEST = 400


class ValueRefused(ValueError):
    """A value that cannot be kept; `field` names what is at fault: kind or value."""

    def __init__(self, reason: str, field: str = "value") -> None:
        super().__init__(reason)
        self.field = field


@dataclass(frozen=True, kw_only=True)
class Current:
    """A thread as its next turn will find it."""

    thread: str
    user: str
    """Whose it is; empty: nobody's in particular."""
    state: SessionState
    """With what was set by hand, and with what the user's other threads know."""
    spilled: list[Fact]
    """The facts that the state has no room for."""
    last: str
    """When the last of what stands was said, by the clock of whoever noted it."""

    def fact(self, id: str) -> Fact:
        """The fact with this id. Raises FactUnknownError."""
        for fact in [*flat(self.state.get("facts", {})), *self.spilled]:
            if id_of(fact) == id:
                return fact
        raise FactUnknownError(f"no fact {id!r:.40} stands here")


async def current(opened: Opened, thread: str, state: SessionState) -> Current:
    """`thread`, whose newest state is `state`, as its next turn will find it. Writes nothing."""
    store = opened.database.store
    user = await owner_by_rows(store, thread, state)
    fresh = await refreshed(
        store,
        thread,
        resolve_owner(signed_in=None, named=user, thread=thread),
        state,
        turn=state["turn"] + 1,
        budget=opened.parts.settings().facts_tokens,
        message="",
    )
    through = state.get("extracted_through", 0)
    spilled = await standing(store, state.get("spilled_in", []), through=through)
    here = flat(fresh.facts)
    now: SessionState = {**state, "facts": fresh.facts, "pinned": fresh.pinned}
    return Current(
        thread=thread,
        user=user,
        state=now,
        spilled=[fact for fact in spilled if fact not in here],
        last=max([fresh.by_hand_through, *(each["at"] for each in fresh.learnt)]),
    )


async def set_fact(opened: Opened, now: Current, kind: str, value: str) -> Fact:
    """A fact that stands from now on. Raises ValueRefused."""
    chosen = _kind(kind)
    fact = _fact(opened, chosen, value, turn=now.state["turn"])
    before = None
    if not chosen.many:
        before = next(iter(now.state.get("facts", {}).get(kind, [])), None)
    return await _changed(opened, now, fact, before)


async def correct_fact(opened: Opened, now: Current, id: str, value: str) -> Fact:
    """The fact with this id, with another value. Raises FactUnknownError and ValueRefused."""
    before = now.fact(id)
    fact = _fact(opened, _kind(before["kind"]), value, turn=now.state["turn"])
    fact["about"] = before["about"]
    return await _changed(opened, now, fact, before)


async def set_in_profile(opened: Opened, user: str, kind: str, value: str) -> Fact:
    """A fact of `user` that every conversation knows from now on. Raises ValueRefused."""
    chosen = _kind(kind)
    if not chosen.lasts:
        raise ValueRefused(f"{kind!r} does not outlive a conversation", "kind")
    fact = _fact(opened, chosen, value, turn=BEFORE)
    learnt = standing_learnt(await profile.read(opened.database.store, user))
    facts = [each["fact"] for each in learnt if each["fact"] is not None]
    alone = [each for each in facts if each["kind"] == kind and not chosen.many]
    await _learnt(opened, user, fact, alone[0] if alone else None, learnt)
    return fact


async def correct_in_profile(opened: Opened, user: str, id: str, value: str) -> Fact:
    """A fact of the profile, with another value. Raises FactUnknownError and ValueRefused."""
    learnt = standing_learnt(await profile.read(opened.database.store, user))
    before = next((as_greeting(each) for each in learnt if each["id"] == id), None)
    if before is None:
        raise FactUnknownError(f"no fact {id!r:.40} is in the profile")
    fact = _fact(opened, _kind(before["kind"]), value, turn=BEFORE)
    await _learnt(opened, user, fact, before, learnt)
    return fact


async def _changed(opened: Opened, now: Current, fact: Fact, before: Fact | None) -> Fact:
    if before is not None and before["value"] == fact["value"]:
        return before
    fact["was"] = before["value"] if before else ""
    store, at = opened.database.store, _after(opened, now.last)
    old = before["value"] if before else ""
    change = Change(act="state", fact=fact, old=old)
    await by_hand.write(store, now.thread, ByHand(at=at, change=change))
    if before is not None and before in now.spilled:
        await spill(store, now.thread, [], back=[before], turn=fact["turn"])
    event = Event(event="corrected by hand", fact=fact, before=before)
    await log_events(store, now.thread, at=at, events=[event])
    if now.user:
        learnt = profile.lasting([event], now.thread, {fact["turn"]: at})
        await profile.learn(store, now.user, learnt)
    return fact


async def _learnt(
    opened: Opened, user: str, fact: Fact, before: Fact | None, learnt: Sequence[Learnt]
) -> None:
    if before is not None and before["value"] == fact["value"]:
        return
    fact["was"] = before["value"] if before else ""
    event = Event(event="corrected by hand", fact=fact, before=before)
    at = _after(opened, max((each["at"] for each in learnt), default=""))
    new = profile.lasting([event], profile.HOST, {fact["turn"]: at})
    await profile.learn(opened.database.store, user, new)


def _after(opened: Opened, last: str) -> str:
    """Now, or just after `last`: the clock of whoever noted that may be ahead of ours."""
    now = opened.parts.clock()
    then = datetime.fromisoformat(last) + timedelta(microseconds=1) if last else now
    return max(now, then).isoformat()


def _kind(key: str) -> Kind:
    if (kind := KINDS.get(key)) is None:
        kinds = ", ".join(KINDS)
        raise ValueRefused(
            f"there is no kind {key!r:.60}, nor is that a fact's id; there are {kinds}", "kind"
        )
    return kind


def _fact(opened: Opened, kind: Kind, value: str, *, turn: int) -> Fact:
    """A fact set by hand now. Raises ValueRefused."""
    settings, at = opened.parts.settings(), opened.parts.clock().isoformat()
    line = " ".join(clean(value).split())
    if not line:
        raise ValueRefused("the value is empty")
    if not any(c.isalnum() for c in line):
        raise ValueRefused(f"the value {line!r:.60} holds neither a letter nor a digit")
    if len(line) > _LONGEST:
        raise ValueRefused(f"the value has {len(line)} characters; at most {_LONGEST}")
    if holds_secret(line, line):
        raise ValueRefused("card numbers and passwords are never kept")
    if kind.choices and line not in kind.choices:
        raise ValueRefused(f"{line!r:.60} is not one of {', '.join(kind.choices)}")
    return Fact(
        kind=kind.key,
        value=line,
        turn=turn,
        said=local_date(at, settings.time_zone),
        about="",
        quote="",
        by=kind.by,
        was="",
        found="hand",
    )
