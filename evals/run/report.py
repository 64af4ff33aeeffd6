"""What came of a run. The same records give the same report."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from pydantic import BaseModel, ConfigDict

from evals.run.anatomy import LAYERS
from evals.run.blame import blame
from evals.run.plan import Plan
from evals.run.records import PLACES, TurnRecord
from evals.run.run import Outcome
from evals.run.sides import Side, sides
from evals.run.strategies import OURS
from evals.run.stretch import Course
from evals.run.verdict import Verdict, verdict
from graph.prices import Prices
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
    said: dict[str, list[tuple[int, str]]]
    """By fact: in which turn which value was given; an empty one takes it back."""
    request_tokens: list[int]
    """By turn."""
    layers: dict[str, list[int]]
    """Tokens of each layer of the request, by turn; nothing where they were not counted."""
    otherwise: dict[str, list[int]]
    """Tokens of what each other strategy would have sent, by turn."""


class Report(_Model):
    """A run."""

    plan: Plan
    note: str
    verdicts: dict[str, int]
    blames: dict[str, int]
    strategies: dict[str, Side]
    """By strategy, ours last."""
    currency: str
    """Of the costs; empty without prices."""
    conversations: list[ConversationResult]


def report(plan: Plan, outcomes: Sequence[Outcome], prices: Prices | None = None) -> Report:
    """The report of what was held, be it whole or not."""
    results = [_conversation(outcome) for outcome in outcomes]
    probes = [probe for result in results for probe in result.probes]
    return Report(
        plan=plan,
        note=PLUMBING if plan.model == STAND_IN else "",
        verdicts=_counted(probe.verdict for probe in probes),
        blames=_counted(probe.blame for probe in probes if probe.blame),
        strategies=sides(plan, outcomes, _verdicts(plan, probes), prices),
        currency=prices.currency if prices else "",
        conversations=results,
    )


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
        said=_said(course, len(records)),
        request_tokens=[record.request_tokens for record in records],
        layers=_by_turn(LAYERS, [record.layers for record in records]),
        otherwise=_by_turn(
            list(dict.fromkeys(name for record in records for name in record.otherwise)),
            [record.otherwise for record in records],
        ),
    )


def _by_turn(names: Sequence[str], counts: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    if not any(counts):
        return {}
    return {name: [each.get(name, 0) for each in counts] for name in names}


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


def _verdicts(plan: Plan, probes: Sequence[ProbeResult]) -> dict[str, list[Verdict]]:
    found = {name: [probe.others[name].verdict for probe in probes] for name in plan.strategies}
    return {**found, OURS: [probe.verdict for probe in probes]}


def _said(course: Course, held: int) -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {fact: [] for fact in course.conversation.facts}
    for turn in course.turns[:held]:
        for says in turn.says:
            found[says.fact].append((turn.number, says.value))
    return found


def _counted(words: Any) -> dict[str, int]:
    counts: Mapping[str, int] = Counter(words)
    return {word: counts[word] for word in sorted(counts)}
