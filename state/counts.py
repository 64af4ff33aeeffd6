"""Counters of a thread by release: how often the bot was not listening, and what it cost."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from typing_extensions import TypedDict

from state.usage import ModelUsage, added, less

GAPS = (60, 300, 3600, 86_400, 604_800)
"""Upper bounds, in seconds, of the gaps between turns that are counted apart; then all longer."""
GAP_NAMES = ("under 1 min", "under 5 min", "under 1 h", "under 1 day", "under 1 week", "longer")
MOST_RELEASES = 8
"""Releases that a thread counts apart; the oldest beyond go together as EARLIER."""
EARLIER = "earlier releases"


class Tally(TypedDict):
    """What was counted under one release."""

    turns: int
    corrections: int
    """Turns in which the user said that the bot was told before, or had it wrong."""
    asked_again: int
    """Replies that asked for a fact which the bot had."""
    gaps: list[int]
    """How many turns came so long after the one before, in the order of GAP_NAMES."""
    usage: dict[str, ModelUsage]
    """By model name."""


class Counts(TypedDict):
    """The counters of a thread, and how far it has been counted."""

    thread: str
    """A copied thread begins its own: what was before the copy is its parent's."""
    through: int
    """The last turn that was counted: a turn counts once, also when it is edited or run again."""
    usage: dict[str, ModelUsage]
    """The thread's running totals that were counted."""
    releases: dict[str, Tally]
    """By release, the one last used at the end."""


class Turn(TypedDict):
    """What one turn adds."""

    number: int
    corrected: bool
    asked_again: bool
    gap: float | None
    """Seconds since the turn before; None for the first, or when a time is unknown."""


def nothing() -> Tally:
    """An empty tally."""
    return Tally(turns=0, corrections=0, asked_again=0, gaps=[0] * len(GAP_NAMES), usage={})


def counted(
    counts: Counts | None,
    turn: Turn,
    usage: Mapping[str, ModelUsage],
    *,
    thread: str,
    release: str,
) -> Counts:
    """`counts` of `thread` with `turn`, and with what `usage` grew by. Changes nothing in place.

    A turn that was counted adds only what its new reply cost.
    """
    if counts is None:
        counts = Counts(thread=thread, through=0, usage={}, releases={})
    elif counts["thread"] != thread:
        counts = Counts(
            thread=thread, through=counts["through"], usage=counts["usage"], releases={}
        )
    fresh = turn["number"] > counts["through"]
    one = Tally(
        turns=int(fresh),
        corrections=int(fresh and turn["corrected"]),
        asked_again=int(fresh and turn["asked_again"]),
        gaps=_gaps(turn["gap"] if fresh else None),
        usage=less(usage, counts["usage"]),
    )
    releases = dict(counts["releases"])
    releases[release] = total([releases.pop(release, nothing()), one])
    return Counts(
        thread=thread,
        through=max(turn["number"], counts["through"]),
        usage=dict(usage),
        releases=_bounded(releases),
    )


def total(tallies: Iterable[Tally]) -> Tally:
    """The sum of `tallies`."""
    result = nothing()
    for tally in tallies:
        result = Tally(
            turns=result["turns"] + tally["turns"],
            corrections=result["corrections"] + tally["corrections"],
            asked_again=result["asked_again"] + tally["asked_again"],
            gaps=[one + other for one, other in zip(result["gaps"], tally["gaps"], strict=True)],
            usage=added(result["usage"], tally["usage"]),
        )
    return result


def seconds_between(before: str, after: str) -> float | None:
    """Seconds from one moment to another, both ISO 8601; None when either is unknown."""
    if not before or not after:
        return None
    return (datetime.fromisoformat(after) - datetime.fromisoformat(before)).total_seconds()


def _gaps(seconds: float | None) -> list[int]:
    place = None if seconds is None else sum(seconds >= bound for bound in GAPS)
    return [int(n == place) for n in range(len(GAP_NAMES))]


def _bounded(releases: dict[str, Tally]) -> dict[str, Tally]:
    apart = [name for name in releases if name != EARLIER]
    if len(apart) <= MOST_RELEASES:
        return releases
    oldest = apart[0]
    earlier = total([releases.get(EARLIER, nothing()), releases[oldest]])
    rest = {name: tally for name, tally in releases.items() if name not in {EARLIER, oldest}}
    return {EARLIER: earlier, **rest}
