"""Two reports, probe by probe: what got better, what got worse, and whether by more than noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from evals.run.report import Report
from evals.run.strategies import OURS

NOISE = 0.05
"""A difference is called one when chance alone makes one as large less often than this."""

Place = tuple[str, int, str, int, int]
"""Conversation, turn and what is asked for; and the seed and the length that it was held with."""


@dataclass(frozen=True)
class Pair:
    """One probe in both reports."""

    conversation: str
    turn: int
    asked: str
    before: str
    after: str
    """The verdicts."""

    @property
    def better(self) -> bool:
        """Whether it is answered now, and was not."""
        return self.before != "answered" and self.after == "answered"

    @property
    def worse(self) -> bool:
        """Whether it was answered, and is no more."""
        return self.before == "answered" and self.after != "answered"


class PairsError(ValueError):
    """Two sets of reports cannot be compared; the message says why."""


Side = tuple[Sequence[Report], str]
"""One report, or one for each of several seeds; and the strategy that is looked at."""


def pairs(before: Side, after: Side) -> list[Pair]:
    """The probes that stand in both, in the order of `before`. Raises PairsError."""
    old, new = _verdicts(*before), _verdicts(*after)
    found = [
        Pair(place[0], place[1], place[2], verdict, new[place])
        for place, verdict in old.items()
        if place in new
    ]
    if not found:
        raise PairsError(
            "the reports share no probe: were they held with the same conversations, seeds and "
            "turns?"
        )
    return found


def left_out(before: Side, after: Side) -> int:
    """How many probes stand in one of them alone."""
    return len(_verdicts(*before).keys() ^ _verdicts(*after).keys())


def chance(better: int, worse: int) -> float:
    """McNemar's exact test, two-sided: how often a fair coin is as one-sided as that.

    Only probes that changed sides count; each is as likely to get better as to get worse if
    nothing but noise tells the two apart. From 0 to 1.
    """
    changed = better + worse
    tail = sum(comb(changed, k) for k in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / (1 << changed))


def _verdicts(reports: Sequence[Report], strategy: str) -> dict[Place, str]:
    found: dict[Place, str] = {}
    for report in reports:
        if strategy not in report.strategies:
            raise PairsError(f"{strategy!r} is none of {', '.join(report.strategies)}")
        plan = report.plan
        for result in report.conversations:
            for probe in result.probes:
                place = (result.name, probe.turn, probe.fact, plan.seed, plan.turns)
                if place in found:
                    raise PairsError(
                        f"two reports of one side hold {result.name} with seed {plan.seed}"
                    )
                side = probe if strategy == OURS else probe.others[strategy]
                found[place] = side.verdict
    return found
