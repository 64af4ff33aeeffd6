"""What must hold of longhaul, and whether it did in this run."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import mean

from evals.bench.figures import Figures, Spread
from evals.bench.lineup import EVERYTHING, OURS, TUNED

SLOW_SECONDS = 2.0
"""How long a slow summariser takes for one answer."""
MOST_GROWTH = 1.1


@dataclass(frozen=True, kw_only=True)
class Check:
    """A bound, and the figure that is to keep it."""

    what: str
    figure: float
    bound: float
    at_most: bool
    """Else the figure must be at least the bound."""

    @property
    def holds(self) -> bool:
        """Whether the figure keeps the bound."""
        return self.figure <= self.bound if self.at_most else self.figure >= self.bound


def checks(
    main: Mapping[str, Figures],
    waiting: Mapping[str, Figures],
    old: Figures | None,
    young: Figures | None,
) -> list[Check]:
    """The checks for which there are figures: of all, with a slow summariser, old and young."""
    ours = main.get(OURS)
    made: list[Check] = []
    if ours is not None:
        made += _alone(ours)
        made += _beside_everything(ours, main[EVERYTHING]) if EVERYTHING in main else []
        made += _beside_tuned(ours, main[TUNED]) if TUNED in main else []
    due = waiting[OURS].gap_due if OURS in waiting else None
    made += _unhurried(due) if due is not None else []
    return made + (_flat(old, young) if old is not None and young is not None else [])


def _alone(ours: Figures) -> list[Check]:
    kept = 0.0 if ours.reaches is None else ours.reaches
    return [
        _at_most("share of planted values lost", ours.fate.lost, 0.0),
        # It warns when a turn waits for its summary, a view is cut, a compaction fails.
        _at_most("warnings", sum(ours.warnings.values()), 0.0),
        _at_least("requests that repeat the last one, between compactions", kept, 1.0),
    ]


def _beside_everything(ours: Figures, everything: Figures) -> list[Check]:
    share = ours.total_tokens / everything.total_tokens
    return [_at_most("input over sending everything", share, 1 / 8)]


def _beside_tuned(ours: Figures, tuned: Figures) -> list[Check]:
    wall = mean([ours.first.wall_ms, ours.last.wall_ms])
    theirs = mean([tuned.first.wall_ms, tuned.last.wall_ms])
    to_model = ours.to_model_ms / tuned.to_model_ms
    return [
        _at_least("prefix share, tuned middleware's the bound", ours.repeated, tuned.repeated),
        _at_most("time of a turn over the tuned middleware's", wall / theirs, 2.0),
        _at_most("message in to model called, over the tuned middleware's", to_model, 1.3),
    ]


def _unhurried(due: Spread) -> list[Check]:
    what = f"longest wait for a token while a summary of {SLOW_SECONDS:g} s is due, in seconds"
    return [_at_most(what, due.most / 1000, SLOW_SECONDS)]


def _flat(old: Figures, young: Figures) -> list[Check]:
    first, last = young.first, old.last
    growth = {
        "time": last.wall_ms / first.wall_ms,
        "processor time": last.cpu_ms / first.cpu_ms,
        "tokens": last.tokens / first.tokens,
        "bytes kept": last.database_bytes / first.database_bytes,
        "bytes written": last.log_bytes / first.log_bytes,
    }
    return [
        _at_most(f"{what}, last turns of {old.turns:,} over first", ratio, MOST_GROWTH)
        for what, ratio in growth.items()
    ]


def _at_most(what: str, figure: float, bound: float) -> Check:
    return Check(what=what, figure=figure, bound=bound, at_most=True)


def _at_least(what: str, figure: float, bound: float) -> Check:
    return Check(what=what, figure=figure, bound=bound, at_most=False)
