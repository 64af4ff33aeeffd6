"""The figures of one run: from the clock, the database and the requests."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, median, quantiles

from evals.bench.conversation import Exchange, planted_in
from evals.bench.model import REPLY, SUMMARY
from evals.bench.requests import Asked, Counter, Fate, Repeated, fate, read_log, repeated
from evals.bench.run import Played, Run
from evals.bench.spans import Spans
from evals.bench.timing import Turn


@dataclass(frozen=True, kw_only=True)
class End:
    """A mean turn of one end of the conversation."""

    wall_ms: float
    """The work behind the replies included."""
    cpu_ms: float
    """Of the contestant's process alone."""
    database_bytes: float
    """Growth of the database, by `pg_database_size`."""
    log_bytes: float
    """Growth of the write-ahead log."""
    tokens: float
    """Of the request, by `state.tokens.count_messages`."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Some durations, in milliseconds."""

    count: int
    p50: float
    p95: float
    most: float


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What is known of one contestant."""

    name: str
    turns: int
    first: End
    last: End
    tokens: list[int]
    """Of each turn's request."""
    total_tokens: int
    other_tokens: int
    """Of all requests to a summariser or an extractor."""
    repeated: float
    """Share of the input's characters that repeat the beginning of the request before."""
    reaches: float | None
    """Share of the requests after one with the same system message that repeat it up to its last
    user words; None where no two have the same."""
    fate: Fate
    to_model_ms: float
    """Median time from message in to model called, after the warm-up."""
    summaries: int
    """Requests to the summariser."""
    gap: Spread
    """From a reply's last token to the next one's first, without the user's pause."""
    gap_due: Spread | None
    """The same where a summary was being asked for; None where none ever was."""
    warnings: dict[str, int]


def figures(run: Run, log: Path, exchanges: Sequence[Exchange], spans: Spans) -> Figures:
    """The figures of `run`, whose requests are in `log`.

    Raises ValueError unless the model was asked for just one reply a turn.
    """
    seen = _seen(log, exchanges)
    if len(seen.tokens) != len(run.turns):
        raise ValueError(
            f"{run.name}: {len(seen.tokens)} requests for replies in {len(run.turns)} turns"
        )
    planted = [each.planted for each in exchanges[: spans.turns - 1] if each.planted]
    calm, due = _gaps(run.turns, seen.summaries)
    waits = [at - turn.sent for at, turn in zip(seen.came, run.turns, strict=True)]
    after = [pair for pair in seen.pairs if pair.same_system]
    return Figures(
        name=run.name,
        turns=len(run.turns),
        first=_end(run.blocks, seen.tokens, spans.first),
        last=_end(run.blocks, seen.tokens, spans.last),
        tokens=seen.tokens,
        total_tokens=sum(seen.tokens),
        other_tokens=seen.other_tokens,
        repeated=sum(p.shared for p in seen.pairs) / sum(p.length for p in seen.pairs),
        reaches=mean(pair.reaches for pair in after) if after else None,
        fate=fate(planted, last=seen.last, shown=seen.shown, stored=set(planted_in(run.stored))),
        to_model_ms=median(waits[spans.warm_up :]) / 1e6,
        summaries=len(seen.summaries),
        gap=spread(calm),
        gap_due=spread(due) if due else None,
        warnings=dict(run.warnings),
    )


@dataclass(kw_only=True)
class _Seen:
    tokens: list[int]
    came: list[int]
    other_tokens: int
    summaries: list[int]
    pairs: list[Repeated]
    shown: set[str]
    last: str


def _seen(log: Path, exchanges: Sequence[Exchange]) -> _Seen:
    """Reads the log once, a request at a time: all of it can be larger than the memory."""
    seen = _Seen(tokens=[], came=[], other_tokens=0, summaries=[], pairs=[], shown=set(), last="")
    counter = Counter()
    before: Asked | None = None
    for asked in read_log(log):
        if asked.model != REPLY:
            seen.other_tokens += counter.tokens(asked)
            if asked.model == SUMMARY:
                seen.summaries.append(asked.at)
                seen.shown.update(planted_in(asked.text))
            continue
        if before is not None:
            # One request too many has no words of its own; `figures` refuses the whole.
            said = exchanges[min(len(seen.tokens), len(exchanges)) - 1].user
            seen.pairs.append(repeated(before, said, asked))
        seen.tokens.append(counter.tokens(asked))
        seen.came.append(asked.at)
        before = asked
    seen.last = before.text if before else ""
    return seen


def _end(blocks: Iterable[Played], tokens: Sequence[int], turns: range) -> End:
    inside = [b for b in blocks if b.turns.start in turns and b.turns.stop <= turns.stop]
    count = len(turns)
    return End(
        wall_ms=sum(b.wall_ns for b in inside) / count / 1e6,
        cpu_ms=sum(b.cpu_ns for b in inside) / count / 1e6,
        database_bytes=sum(b.grown.database for b in inside) / count,
        log_bytes=sum(b.grown.log for b in inside) / count,
        tokens=mean(tokens[turns.start - 1 : turns.stop - 1]),
    )


def _gaps(turns: Sequence[Turn], summaries: Sequence[int]) -> tuple[list[int], list[int]]:
    """Times without and with a summary being asked for between a reply and the end of the next."""
    calm: list[int] = []
    due: list[int] = []
    for before, now in pairwise(turns):
        gap = before.done - before.last + now.first - now.sent
        asked = any(before.last < at <= now.last for at in summaries)
        (due if asked else calm).append(gap)
    return calm, due


def spread(durations: Sequence[int]) -> Spread:
    """The spread of durations in nanoseconds."""
    ms = [duration / 1e6 for duration in durations]
    most = max(ms, default=0.0)
    p95 = quantiles(ms, n=20, method="inclusive")[-1] if len(ms) > 1 else most
    return Spread(count=len(ms), p50=median(ms) if ms else 0.0, p95=p95, most=most)
