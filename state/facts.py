"""Facts as data with evidence, and the rules by which they change."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from typing_extensions import TypedDict

from state.catalogue import KINDS, Kind, Speaker
from state.wording import folded

Found = Literal["model", "pattern", "hand"]


class Fact(TypedDict):
    """One thing that was said and is kept word for word."""

    kind: str
    value: str
    turn: int
    said: str
    """The date it was said: YYYY-MM-DD, in the user's time zone."""
    about: str
    """The date it speaks of, where the words name one; else empty."""
    quote: str
    by: Speaker
    was: str
    """The value that it replaced; empty when none."""
    found: Found


Facts = dict[str, list[Fact]]
"""By kind, in the order of the catalogue; within a kind by turn."""

Act = Literal["state", "retract", "kept", "expired"]
"""What is said of a fact: that it is so, or why it stands no more."""


class Change(TypedDict):
    """One checked operation: a fact that is stated, or one that stands no more."""

    act: Act
    fact: Fact
    old: str
    """The value that goes, when the words name it; else empty."""


Happened = Literal[
    "stated",
    "again",
    "changed",
    "conflict",
    "retracted",
    "kept",
    "expired",
    "unmet",
    "corrected by hand",
    "changed elsewhere",
    "ended elsewhere",
]
"""`conflict`: not as the words assume. `unmet`: nothing stands that could end. `elsewhere`: in
another conversation of the same user."""


class Event(TypedDict):
    """What a change did, for the log."""

    event: Happened
    fact: Fact
    before: Fact | None
    """What stood in its place."""


@dataclass
class Merged:
    """Facts after changes, and what happened to each."""

    facts: Facts
    events: list[Event] = field(default_factory=list)


_ENDED: dict[Act, Happened] = {"retract": "retracted", "kept": "kept", "expired": "expired"}
_ENDS: frozenset[Happened] = frozenset({"changed", *_ENDED.values()})
_ORDER = {key: place for place, key in enumerate(KINDS)}
_SPELLING = re.compile(r"[\s;:!?'\"’–—_-]|(?<!\d)[.,]|[.,](?!\d)")  # noqa: RUF001
"""What may differ; not the sign of a currency, nor a stop inside a number."""
_PART = 4
"""Shortest part of a value that names it."""


def same(one: str, other: str) -> bool:
    """Whether two values are equal but for spelling: case, spaces, dashes, stops."""
    return _spelled(one) == _spelled(other)


def twins(kind: Kind, one: str, other: str) -> bool:
    """Whether two values of a kind are one; of an identifier every sign counts but space."""
    if kind.exact:
        return "".join(folded(one).split()) == "".join(folded(other).split())
    return same(one, other)


def merged(facts: Mapping[str, Sequence[Fact]], changes: Iterable[Change]) -> Merged:
    """`facts` with `changes` made in order: by rule, on the kind. Nothing goes by omission."""
    result = Merged({kind: list(standing) for kind, standing in facts.items()})
    for change in changes:
        if (kind := KINDS.get(change["fact"]["kind"])) is None:
            continue
        standing = result.facts.get(kind.key, [])
        make = _stated if change["act"] == "state" else _ended
        result.facts[kind.key], event = make(kind, standing, change)
        result.events.append(event)
    result.facts = ordered(result.facts)
    return result


def ordered(facts: Mapping[str, Sequence[Fact]]) -> Facts:
    """`facts` in the order of the catalogue, and of their turns; no kind empty, none unknown."""
    kinds = sorted(
        (kind for kind in facts if facts[kind] and kind in _ORDER), key=_ORDER.__getitem__
    )
    return {kind: sorted(facts[kind], key=lambda fact: fact["turn"]) for kind in kinds}


def ended_in(events: Iterable[Event], turn: int) -> list[Fact]:
    """The facts that stood until `turn`, which is read anew when it is edited."""
    ends = [e for e in events if e["event"] in _ENDS and e["fact"]["turn"] == turn]
    before = [e["before"] for e in ends if e["before"] is not None]
    return [fact for fact in before if fact["turn"] < turn]


def _stated(kind: Kind, standing: list[Fact], change: Change) -> tuple[list[Fact], Event]:
    fact = change["fact"]
    twin = next((f for f in standing if twins(kind, f["value"], fact["value"])), None)
    if twin is None and (hand := _overruling(kind, standing, fact)) is not None:
        return standing, Event(event="conflict", fact=fact, before=hand)
    if twin is not None and fact["found"] == "hand" and twin["value"] != fact["value"]:
        # Spelt otherwise by hand, it is spelt so from now on.
        return _replaced(standing, twin, fact)
    if twin is not None:
        fresher = twin.copy()
        fresher["about"] = fact["about"] or twin["about"]
        left = [fresher if each is twin else each for each in standing]
        return left, Event(event="again", fact=fact, before=twin)
    old = _named(kind, standing, change["old"])
    missing = bool(change["old"]) and old is None
    if old is None and not kind.many and standing:
        old = standing[-1]
    if old is None:
        return [*standing, fact], Event(
            event="conflict" if missing and kind.many else "stated", fact=fact, before=None
        )
    if old["turn"] > fact["turn"]:
        # A late extraction of an older turn must not undo what was said since.
        return standing, Event(event="conflict", fact=fact, before=old)
    return _replaced(standing, old, fact)


def _replaced(standing: list[Fact], old: Fact, fact: Fact) -> tuple[list[Fact], Event]:
    left = [each for each in standing if each is not old]
    newer = fact.copy()
    newer["was"] = old["value"]
    return [*left, newer], Event(event="changed", fact=fact, before=old)


def _ended(kind: Kind, standing: list[Fact], change: Change) -> tuple[list[Fact], Event]:
    fact, act = change["fact"], change["act"]
    named = (change["old"], fact["value"])
    gone = next((f for value in named if (f := _named(kind, standing, value))), None)
    gone = gone or next((f for value in named if (f := _held(standing, value))), None)
    # A promise is not kept in the breath that makes it.
    early = gone is not None and gone["turn"] >= fact["turn"] + (act == "retract")
    if gone is None or early:
        return standing, Event(event="unmet", fact=fact, before=gone)
    left = [each for each in standing if each is not gone]
    return left, Event(event=_ENDED[act], fact=fact, before=gone)


def _overruling(kind: Kind, standing: Sequence[Fact], fact: Fact) -> Fact | None:
    """What somebody set by hand in the turn of `fact` or later, and which it would undo."""
    if fact["found"] == "hand":
        return None
    by_hand = (f for f in standing if f["found"] == "hand" and f["turn"] >= fact["turn"])
    return next((f for f in by_hand if not kind.many or _is(kind, f["was"], fact["value"])), None)


def _is(kind: Kind, value: str, other: str) -> bool:
    return bool(value) and twins(kind, value, other)


def _named(kind: Kind, standing: Sequence[Fact], value: str) -> Fact | None:
    return next((f for f in standing if value and twins(kind, f["value"], value)), None)


def _held(standing: Sequence[Fact], value: str) -> Fact | None:
    """The one fact whose value holds `value`, or is held by it; none when there are more."""
    part = _spelled(value)
    held = []
    for fact in standing:
        own = _spelled(fact["value"])
        if min(len(part), len(own)) >= _PART and (part in own or own in part):
            held.append(fact)
    return held[0] if len(held) == 1 else None


def _spelled(value: str) -> str:
    return _SPELLING.sub("", folded(value))
