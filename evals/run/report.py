"""What came of a run: as JSON, and as a table. The same records give the same report."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from evals.run.blame import blame
from evals.run.plan import Plan
from evals.run.records import PLACES, TurnRecord
from evals.run.run import Outcome
from evals.run.strategies import OURS
from evals.run.stretch import Course
from evals.run.verdict import Verdict, verdict
from graph.settings import STAND_IN

PLUMBING = "The stand-in is a few rules: this run tests the plumbing, and says nothing of a model."


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Other(_Model):
    """The answer under another strategy."""

    verdict: Verdict
    request_tokens: int
    reply: str


class ProbeResult(_Model):
    """A probe, judged."""

    turn: int
    question: str
    fact: str
    reply: str
    verdict: Verdict
    blame: str
    """The part that lost it; empty when answered."""
    why: str
    told: bool | None
    """Whether its answer was in the request; None where there is no answer."""
    request_tokens: int
    others: dict[str, Other]


class ConversationResult(_Model):
    """A conversation, as far as it was held."""

    name: str
    turns: int
    held: int
    stopped: str
    calls: int
    tokens: int
    probes: list[ProbeResult]
    compactions: dict[int, int]
    """The turn of each, by number."""
    places: dict[str, list[tuple[int, str]]]
    """By fact: from which turn on it stood where, as `w-f-r`; lower case: what stands is there."""
    request_tokens: list[int]
    """By turn."""


class Report(_Model):
    """A run."""

    plan: Plan
    note: str
    verdicts: dict[str, int]
    blames: dict[str, int]
    strategies: dict[str, dict[str, int]]
    """By strategy: how many probes it answered, and the tokens of their requests."""
    conversations: list[ConversationResult]


def report(plan: Plan, outcomes: Sequence[Outcome]) -> Report:
    """The report of what was held, be it whole or not."""
    results = [_conversation(outcome) for outcome in outcomes]
    probes = [probe for result in results for probe in result.probes]
    return Report(
        plan=plan,
        note=PLUMBING if plan.model == STAND_IN else "",
        verdicts=_counted(probe.verdict for probe in probes),
        blames=_counted(probe.blame for probe in probes if probe.blame),
        strategies=_strategies(plan, probes),
        conversations=results,
    )


def show(found: Report, console: Console) -> None:
    """Prints the tables."""
    table = Table("conversation", "turn", "asked", "verdict", "blame", title="Probes")
    for result in found.conversations:
        for probe in result.probes:
            told = f"{probe.blame}: {probe.why}" if probe.blame else ""
            table.add_row(
                result.name, str(probe.turn), probe.fact or "nothing", probe.verdict, told
            )
    console.print(table)
    console.print(_sums(found))
    if len(found.strategies) > 1:
        console.print(_sides(found))
    for result in found.conversations:
        if result.stopped:
            console.print(f"{result.name}: {result.held} of {result.turns} turns: {result.stopped}")
    if found.note:
        console.print(found.note)


def _conversation(outcome: Outcome) -> ConversationResult:
    course, records = outcome.course, outcome.records
    return ConversationResult(
        name=course.conversation.name,
        turns=len(course.turns),
        held=len(records),
        stopped=outcome.stopped,
        calls=sum(record.calls for record in records),
        tokens=sum(record.tokens for record in records),
        probes=list(_probes(course, records)),
        compactions=_compactions(records),
        places={fact: _strip(fact, records) for fact in course.conversation.facts},
        request_tokens=[record.request_tokens for record in records],
    )


def _probes(course: Course, records: Sequence[TurnRecord]) -> Iterator[ProbeResult]:
    for record in records:
        held = course.turns[record.turn - 1]
        if held.probe is None or record.asked is None:
            continue
        standing = course.standing(held.probe.fact, record.turn)
        judge = (held.probe, standing, course.conversation)
        given = verdict(record.asked.reply, *judge)
        blamed = blame(course, records[: record.turn], given)
        yield ProbeResult(
            turn=record.turn,
            question=held.user,
            fact=held.probe.fact,
            reply=record.asked.reply,
            verdict=given,
            blame=blamed.part if blamed else "",
            why=blamed.why if blamed else "",
            told=record.is_in(held.probe.fact, "request") if standing.current else None,
            request_tokens=record.request_tokens,
            others={
                name: Other(
                    verdict=verdict(other.reply, *judge),
                    request_tokens=other.request_tokens,
                    reply=other.reply,
                )
                for name, other in record.asked.others.items()
            },
        )


def _compactions(records: Sequence[TurnRecord]) -> dict[int, int]:
    found: dict[int, int] = {}
    for record in records:
        if record.version:
            found.setdefault(record.version, record.turn)
    return found


def _strip(fact: str, records: Sequence[TurnRecord]) -> list[tuple[int, str]]:
    """Where a fact was, a step a change; empty while nothing stands."""
    where = ((record.turn, _letters(record, fact)) for record in records)
    return [(next(turns)[0], letters) for letters, turns in groupby(where, key=lambda w: w[1])]


def _letters(record: TurnRecord, fact: str) -> str:
    if fact not in record.current:
        return ""
    return "".join(place[0] if record.is_in(fact, place) else "-" for place in PLACES)


def _strategies(plan: Plan, probes: Sequence[ProbeResult]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for name in [*plan.strategies, OURS]:
        sides: list[ProbeResult | Other] = [p if name == OURS else p.others[name] for p in probes]
        found[name] = {
            "answered": sum(side.verdict == "answered" for side in sides),
            "probes": len(sides),
            "tokens": sum(side.request_tokens for side in sides),
        }
    return found


def _sums(found: Report) -> Table:
    table = Table("conversation", "turns", "answered", "told", "compactions", "calls", "tokens")
    for result in found.conversations:
        told = [probe.told for probe in result.probes if probe.told is not None]
        answered = sum(probe.verdict == "answered" for probe in result.probes)
        table.add_row(
            result.name,
            f"{result.held} of {result.turns}",
            f"{answered} of {len(result.probes)}",
            f"{sum(told)} of {len(told)}",
            str(len(result.compactions)),
            str(result.calls),
            str(result.tokens),
        )
    return table


def _sides(found: Report) -> Table:
    table = Table("strategy", "answered", "tokens of the requests", title="Side by side")
    for name, sums in found.strategies.items():
        table.add_row(name, f"{sums['answered']} of {sums['probes']}", str(sums["tokens"]))
    return table


def _counted(words: Any) -> dict[str, int]:
    counts: Mapping[str, int] = Counter(words)
    return {word: counts[word] for word in sorted(counts)}
