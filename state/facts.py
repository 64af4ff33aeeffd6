"""Facts as data with evidence, and the rules by which they change."""

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


class Change(TypedDict):
    """One checked operation: a fact that is stated, or one that stands no more."""

    act: Act
    fact: Fact
    old: str
    """The value that goes, when the words name it; else empty."""


class Event(TypedDict):
    """What a change did, for the log."""

    event: Literal[
        "stated", "again", "changed", "conflict", "retracted", "kept", "expired", "unmet"
    ]
    fact: Fact
    before: Fact | None


@dataclass
class Merged:
    """Facts after changes, and what happened to each."""

    facts: Facts
    events: list[Event] = field(default_factory=list)


def same(one: str, other: str) -> bool:
    """Whether two values are equal but for spelling: case, spaces, dashes between them."""
    return _key(one) == _key(other)


def merged(facts: Mapping[str, Sequence[Fact]], changes: Iterable[Change]) -> Merged:
    """`facts` with `changes` made in order: by rule, on the kind. Nothing goes by omission."""
    result = Merged({kind: list(values) for kind, values in facts.items()})
    for change in changes:
        kind = KINDS.get(change["fact"]["kind"])
        if kind is None:
            continue
        standing = result.facts.get(kind.key, [])
        event = (
            _end(standing, change) if change["act"] != "state" else _state(kind, standing, change)
        )
        result.facts[kind.key] = standing
        result.events.append(event)
    order = list(KINDS)
    kinds = sorted((k for k in result.facts if result.facts[k] and k in KINDS), key=order.index)
    result.facts = {kind: result.facts[kind] for kind in kinds}
    return result


def _state(kind: Kind, standing: list[Fact], change: Change) -> Event:
    """Adds to or replaces in `standing`, in place."""
    fact = change["fact"]
    twin = next((each for each in standing if _twins(kind, each, fact)), None)
    if twin is not None:
        fresher = {**twin, "about": fact["about"] or twin["about"]}
        standing[standing.index(twin)] = fresher  # type: ignore[call-overload]
        return Event(event="again", fact=fact, before=twin)
    old = _named(standing, change["old"])
    if old is None and not kind.many and standing:
        old = standing[-1]
    if old is None:
        standing.append(fact)
        unmet = bool(change["old"])
        return Event(event="conflict" if unmet else "stated", fact=fact, before=None)
    if old["turn"] > fact["turn"]:
        # A late extraction of an older turn must not undo what was said since.
        return Event(event="conflict", fact=fact, before=old)
    standing.remove(old)
    standing.append({**fact, "was": old["value"]})
    return Event(event="changed", fact=fact, before=old)


def _end(standing: list[Fact], change: Change) -> Event:
    fact = change["fact"]
    gone = _named(standing, fact["value"]) or _named(standing, change["old"])
    if gone is None or gone["turn"] > fact["turn"]:
        return Event(event="unmet", fact=fact, before=gone)
    standing.remove(gone)
    words = {"retract": "retracted", "kept": "kept", "expired": "expired"}
    return Event(event=words[change["act"]], fact=fact, before=gone)  # type: ignore[typeddict-item]


def _twins(kind: Kind, one: Fact, other: Fact) -> bool:
    if kind.exact:
        return one["value"] == other["value"]
    return same(one["value"], other["value"])


def _named(standing: Sequence[Fact], value: str) -> Fact | None:
    return next((each for each in standing if value and same(each["value"], value)), None)


def _key(value: str) -> str:
    return "".join(c for c in folded(value) if c.isalnum())
