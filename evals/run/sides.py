"""What each strategy reached and cost, side by side on the same conversations."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from pydantic import BaseModel, ConfigDict

from evals.run.plan import Plan
from evals.run.records import Asked, Spent, TurnRecord
from evals.run.run import Outcome
from evals.run.strategies import OURS
from evals.run.verdict import Verdict
from graph.prices import Prices
from state.tokens import count_text
from state.usage import ModelUsage

_REPLY = "reply"
_EXTRACTION = "Operations"
_PAYS: Mapping[str, tuple[bool, bool]] = {
    "summary": (False, True),
    "facts": (True, False),
    OURS: (True, True),
}
"""Who pays for extracting facts, and for all else that is written behind the replies."""

Times = Mapping[str, float]
"""Seconds to the first word by strategy, where it was timed: the middle one of all questions."""


class Side(BaseModel):
    """One strategy."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answered: int
    probes: int
    verdicts: dict[Verdict, int]
    tokens: int
    """Of the requests with the questions."""
    sent: int | None
    """Tokens of the requests of all turns; None where they were not counted."""
    behind: int | None
    """Tokens of what it asks a model for behind the replies: facts, summaries."""
    cost: float | None
    """Of all turns: requests, replies, and what is asked for behind them; without any discount
    of a provider's cache. None without prices."""


COLUMNS = (
    "strategy",
    "answered",
    "tokens a question",
    "tokens of all turns",
    "behind the replies",
    "cost",
    "first word",
)


def cells(name: str, side: Side, currency: str, timed: Times) -> list[str]:
    """A strategy's row under COLUMNS; empty where something is not known."""
    return [
        name,
        f"{side.answered} of {side.probes}",
        f"{side.tokens / side.probes:,.0f}" if side.probes else "",
        f"{side.sent:,}" if side.sent is not None else "",
        f"{side.behind:,}" if side.behind is not None else "",
        f"{side.cost:.4f} {currency}" if side.cost is not None else "",
        f"{timed[name]:.1f} s" if name in timed else "",
    ]


def sides(
    plan: Plan,
    outcomes: Sequence[Outcome],
    verdicts: Mapping[str, Sequence[Verdict]],
    prices: Prices | None,
) -> dict[str, Side]:
    """By strategy, ours last. `verdicts` are those of each, in order of the probes."""
    return {
        name: _side(name, plan, outcomes, verdicts[name], prices)
        for name in [*plan.strategies, OURS]
    }


def times(outcomes: Sequence[Outcome]) -> Times:
    """The times of the strategies that were timed, ours last."""
    timed: dict[str, list[float]] = {}
    for asked in _asked(outcomes):
        firsts = {name: other.first_token for name, other in asked.others.items()}
        for name, seconds in {**firsts, OURS: asked.first_token}.items():
            if seconds is not None:
                timed.setdefault(name, []).append(seconds)
    return {name: median(seconds) for name, seconds in timed.items()}


def _side(
    name: str,
    plan: Plan,
    outcomes: Sequence[Outcome],
    verdicts: Sequence[Verdict],
    prices: Prices | None,
) -> Side:
    asked = [record for o in outcomes for record in o.records if record.asked is not None]
    records = [record for o in outcomes for record in o.records]
    # An older release did not count what each turn would have sent, nor what for.
    counted = all(record.layers for record in records)
    sent = sum(_sent(record, name) or 0 for record in records) if counted else None
    behind = [spent for record in records for spent in record.spent if _pays(name, spent)]
    cost = None
    if sent is not None and prices is not None:
        written = sum(_written(outcome, name) for outcome in outcomes)
        replies = _usage(plan.model, input_tokens=sent, output_tokens=written)
        cost = _cost([replies, *(_usage_of(spent) for spent in behind)], prices)
    return Side(
        answered=sum(verdict == "answered" for verdict in verdicts),
        probes=len(verdicts),
        verdicts={each: verdicts.count(each) for each in sorted(set(verdicts))},
        tokens=sum(_sent(record, name) or 0 for record in asked),
        sent=sent,
        behind=sum(s.input + s.output for s in behind) if counted else None,
        cost=cost,
    )


def _sent(record: TurnRecord, name: str) -> int | None:
    if name == OURS:
        return record.request_tokens
    if record.asked is not None:
        return record.asked.others[name].request_tokens
    return record.otherwise.get(name)


def _written(outcome: Outcome, name: str) -> int:
    """Tokens of all replies."""
    return sum(count_text(reply) for reply in _replies(outcome, name))


def _replies(outcome: Outcome, name: str) -> Iterator[str]:
    for held, record in zip(outcome.course.turns, outcome.records, strict=False):
        if record.asked is None:
            yield held.reply or ""
        else:
            yield record.asked.reply if name == OURS else record.asked.others[name].reply


def _asked(outcomes: Sequence[Outcome]) -> Iterator[Asked]:
    for outcome in outcomes:
        yield from (record.asked for record in outcome.records if record.asked is not None)


def _pays(name: str, spent: Spent) -> bool:
    facts, rest = _PAYS.get(name, (False, False))
    return spent.purpose != _REPLY and (facts if spent.purpose == _EXTRACTION else rest)


def _cost(used: Sequence[dict[str, ModelUsage]], prices: Prices) -> float | None:
    costs = [prices.cost(each) for each in used]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _usage_of(spent: Spent) -> dict[str, ModelUsage]:
    return _usage(spent.model, input_tokens=spent.input, output_tokens=spent.output)


def _usage(model: str, *, input_tokens: int, output_tokens: int) -> dict[str, ModelUsage]:
    return {
        model: ModelUsage(
            requests=1,
            input_tokens=input_tokens,
            cached_tokens=0,
            output_tokens=output_tokens,
        )
    }
