"""How the releases did: what `longhaul stats` says."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from graph.prices import Prices
from state.counts import Counts, Tally, total
from state.usage import ModelUsage

TOTAL = "total"
THOUSAND = 1000


@dataclass(frozen=True, kw_only=True)
class Line:
    """One release, or all of them, over `conversations` threads."""

    release: str
    conversations: int
    turns: int
    corrections: int
    asked_again: int
    requests: int
    input_tokens: int
    cached_tokens: int
    """Part of `input_tokens` that the providers read from their caches."""
    output_tokens: int
    cost: float | None
    """In the currency of the prices; None without a price for every model."""
    gaps: list[int]
    """Turns by the time since the one before, as `state.counts.GAP_NAMES` names it."""

    @property
    def cached_share(self) -> float | None:
        """Which share of the input came from the providers' caches."""
        return self.cached_tokens / self.input_tokens if self.input_tokens else None

    def per_thousand(self, value: float) -> float:
        """`value` of this line as of a thousand conversations."""
        return value * THOUSAND / self.conversations


@dataclass(frozen=True, kw_only=True)
class Stats:
    """A line for each release, the total, and what kept costs from being known."""

    lines: list[Line]
    total: Line | None
    currency: str = ""
    unpriced: list[str] = field(default_factory=list)
    """Models without a price."""


def stats(counted: Sequence[Counts], prices: Prices | None) -> Stats:
    """The sums of the threads' counters, by release in the order of their names."""
    by_release: dict[str, list[Tally]] = {}
    for counts in counted:
        for release, tally in counts["releases"].items():
            by_release.setdefault(release, []).append(tally)
    lines = [_line(name, len(ts), ts, prices) for name, ts in sorted(by_release.items())]
    every = [tally for tallies in by_release.values() for tally in tallies]
    return Stats(
        lines=lines,
        total=_line(TOTAL, len(counted), every, prices) if counted else None,
        currency=prices.currency if prices else "",
        unpriced=prices.missing(total(every)["usage"]) if prices else [],
    )


def _line(name: str, conversations: int, tallies: Iterable[Tally], prices: Prices | None) -> Line:
    tally = total(tallies)
    used = _whole(tally["usage"].values())
    return Line(
        release=name,
        conversations=conversations,
        turns=tally["turns"],
        corrections=tally["corrections"],
        asked_again=tally["asked_again"],
        requests=used["requests"],
        input_tokens=used["input_tokens"],
        cached_tokens=used["cached_tokens"],
        output_tokens=used["output_tokens"],
        cost=prices.cost(tally["usage"]) if prices else None,
        gaps=tally["gaps"],
    )


def _whole(usages: Iterable[ModelUsage]) -> ModelUsage:
    listed = list(usages)
    return ModelUsage(
        requests=sum(u["requests"] for u in listed),
        input_tokens=sum(u["input_tokens"] for u in listed),
        cached_tokens=sum(u["cached_tokens"] for u in listed),
        output_tokens=sum(u["output_tokens"] for u in listed),
    )
