"""Holding the whole conversation with every contestant, in turns."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from evals.bench.databases import Size, fresh_database, kept_in_store, size_of
from evals.bench.processes import Worker, instant_model, worker
from evals.bench.spans import spans
from evals.bench.timing import Turn


@dataclass(frozen=True, kw_only=True)
class Played:
    """A block of turns that was played."""

    turns: range
    wall_ns: int
    cpu_ns: int
    grown: Size


@dataclass(kw_only=True)
class Run:
    """One contestant's conversation."""

    name: str
    turns: list[Turn] = field(default_factory=list)
    blocks: list[Played] = field(default_factory=list)
    stored: str = ""
    """What is in the LangGraph store at the end."""
    warnings: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Course:
    """What is played."""

    turns: int
    seed: int
    pause: float = 0.0
    """Seconds that the user takes before each message, once windows begin to fill."""
    pause_from: int = 1
    """The turn from which on the user takes that long."""
    delays: Mapping[str, float] = field(default_factory=dict)
    """Seconds that a model of this name takes."""


class Way(Protocol):
    """How a course is played."""

    async def __call__(
        self,
        names: Sequence[str],
        course: Course,
        *,
        postgres: str,
        log: Path,
        on_block: Callable[[int], None],
    ) -> list[Run]:
        """The runs, one a contestant. `on_block` is told how many turns were played."""
        ...


@asynccontextmanager
async def _seated(
    names: Sequence[str], course: Course, *, postgres: str, log: Path
) -> AsyncIterator[list["_Seat"]]:
    """The contestants, each with an empty database, before their first turn."""
    async with AsyncExitStack() as stack:
        model = instant_model(course.turns, course.seed, log, delays=course.delays)
        url = await stack.enter_async_context(model)
        seats: list[_Seat] = []
        for name in names:
            database = await stack.enter_async_context(fresh_database(postgres))
            opened = worker(
                name,
                database=database,
                model_url=f"{url}/{name}/v1",
                turns=course.turns,
                seed=course.seed,
            )
            at_work = await stack.enter_async_context(opened)
            seats.append(
                _Seat(course=course, database=database, worker=at_work, run=Run(name=name))
            )
        for seat in seats:
            await seat.worker.ready()
        yield seats


@dataclass(kw_only=True)
class _Seat:
    """A contestant at the table."""

    course: Course
    database: str
    worker: Worker
    run: Run

    async def play(self, turns: range) -> None:
        """Plays a block and notes what it took."""
        before = await size_of(self.database)
        pause = self.course.pause if turns.start >= self.course.pause_from else 0.0
        block = await self.worker.play(turns, pause=pause)
        grown = await size_of(self.database) - before
        self.run.turns += block.turns
        self.run.warnings = self.worker.warnings
        played = Played(turns=turns, wall_ns=block.wall_ns, cpu_ns=block.cpu_ns, grown=grown)
        self.run.blocks.append(played)

    async def finish(self) -> Run:
        """The whole run."""
        self.run.stored = await kept_in_store(self.database)
        return self.run


async def in_rounds(
    names: Sequence[str],
    course: Course,
    *,
    postgres: str,
    log: Path,
    on_block: Callable[[int], None],
) -> list[Run]:
    """Each contestant plays a block, then each the next: what slows the machine slows them all."""
    async with _seated(names, course, postgres=postgres, log=log) as seats:
        for turns in spans(course.turns).blocks:
            for seat in seats:
                await seat.play(turns)
                on_block(len(turns))
        return [await seat.finish() for seat in seats]


async def side_by_side(
    names: Sequence[str],
    course: Course,
    *,
    postgres: str,
    log: Path,
    on_block: Callable[[int], None],
) -> list[Run]:
    """All contestants play at once: for courses in which they mostly wait."""

    async def play(seat: _Seat) -> None:
        for turns in spans(course.turns).blocks:
            await seat.play(turns)
            on_block(len(turns))

    async with _seated(names, course, postgres=postgres, log=log) as seats:
        async with asyncio.TaskGroup() as group:
            for seat in seats:
                group.create_task(play(seat))
        return [await seat.finish() for seat in seats]
