"""The whole benchmark: all contestants, a summariser that is slow, longhaul alone for longer."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from evals.bench.checks import SLOW_SECONDS
from evals.bench.conversation import conversation
from evals.bench.figures import Figures, figures
from evals.bench.lineup import LANGMEM, OURS, TITLES, TUNED
from evals.bench.model import EXTRACT, SUMMARY
from evals.bench.run import Course
from evals.bench.spans import Spans, spans
from evals.bench.ways import YOUNG, Way, in_rounds, old_and_young, side_by_side
from evals.progress import progress_bars
from graph.services import local_service

WAITING = (TUNED, LANGMEM, OURS)
"""Who is asked to wait for a slow summariser: those that have one, at our marks."""
PAUSE_SECONDS = 0.6
"""How long the user takes before each message then: a person takes longer."""
_EXTRACTIONS = 12
"""Turns with a slow extractor."""
_FILLED = 25
"""Turns after which the first window is nearly full; before, nobody needs to wait."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be measured. Raises ValueError for a name that is none of the contestants'."""

    names: Sequence[str]
    turns: int
    long_turns: int
    """Turns with longhaul alone; 0: none."""
    waiting_turns: int
    """Turns with a slow summariser; 0: none, and no slow extractor."""
    seed: int
    data: Path
    """Folder of the local Postgres."""

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.names) - set(TITLES)):
            raise ValueError(f"{unknown[0]!r} is none of the contestants {', '.join(TITLES)}")


@dataclass(frozen=True, kw_only=True)
class Result:
    """What was measured."""

    plan: Plan
    spans: Spans
    main: dict[str, Figures]
    """By contestant."""
    waiting: dict[str, Figures]
    """With the slow summariser."""
    extracting: Figures | None
    """longhaul with a slow extractor, and a user who never pauses."""
    old: Figures | None
    """longhaul alone, for long."""
    young: Figures | None
    """longhaul in its first turns, while the old one had its last."""


async def bench(plan: Plan, log: Path) -> Result:
    """Plays all courses on the local Postgres; requests are logged below `log`."""
    slow = [name for name in WAITING if name in plan.names] if plan.waiting_turns else []
    extracts = [OURS] if plan.waiting_turns else []
    alone = [OURS] if plan.long_turns else []
    main_course = Course(turns=plan.turns, seed=plan.seed)
    long_course = Course(turns=plan.long_turns, seed=plan.seed)
    waiting = Course(
        turns=plan.waiting_turns,
        seed=plan.seed,
        pause=PAUSE_SECONDS,
        pause_from=_FILLED,
        delays={SUMMARY: SLOW_SECONDS},
    )
    extracting = Course(turns=_EXTRACTIONS, seed=plan.seed, delays={EXTRACT: SLOW_SECONDS})
    async with local_service("postgres", plan.data) as postgres:
        with progress_bars() as progress:
            hall = _Hall(postgres=postgres, log=log, progress=progress)
            main = await hall.measure(in_rounds, "turns", plan.names, main_course)
            # Whoever waits for a slow model leaves the machine to the others.
            waited, extracted = await asyncio.gather(
                hall.measure(side_by_side, "slow summariser", slow, waiting),
                hall.measure(side_by_side, "slow extractor", extracts, extracting),
            )
            long = await hall.measure(old_and_young, "long", alone, long_course)
    return Result(
        plan=plan,
        spans=spans(plan.turns),
        main=main,
        waiting=waited,
        extracting=extracted.get(OURS),
        old=long.get(OURS),
        young=long.get(YOUNG),
    )


@dataclass(frozen=True, kw_only=True)
class _Hall:
    """Where courses are played."""

    postgres: str
    log: Path
    progress: Progress

    async def measure(
        self, way: Way, label: str, names: Sequence[str], course: Course
    ) -> dict[str, Figures]:
        if not names:
            return {}
        folder = self.log / label
        folder.mkdir()
        whole = spans(course.turns)
        again = whole.young.turns if way is old_and_young else 0
        bar = self.progress.add_task(label, total=course.turns * len(names) + again)

        def advance(played: int) -> None:
            self.progress.update(bar, advance=played)

        runs = await way(names, course, postgres=self.postgres, log=folder, on_block=advance)
        exchanges = conversation(course.turns, course.seed)
        return {
            run.name: figures(
                run,
                folder / f"{run.name}.jsonl",
                exchanges,
                whole if len(run.turns) == whole.turns else whole.young,
            )
            for run in runs
        }
