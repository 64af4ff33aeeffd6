"""A contestant at work on a course: its model, its database, and what its turns took."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from evals.bench.databases import Size, fresh_database, kept_in_store, size_of
from evals.bench.processes import Worker, instant_model, worker
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
    """Of its log, too."""
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


@asynccontextmanager
async def seated(
    contestants: Mapping[str, str], course: Course, *, postgres: str, log: Path
) -> AsyncIterator[list["Seat"]]:
    """Contestants by the name of their run, each with an empty database, before the first turn."""
    async with AsyncExitStack() as stack:
        model = instant_model(course.turns, course.seed, log, delays=course.delays)
        url = await stack.enter_async_context(model)
        seats: list[Seat] = []
        for name, contestant in contestants.items():
            database = await stack.enter_async_context(fresh_database(postgres))
            opened = worker(
                contestant,
                database=database,
                model_url=f"{url}/{name}/v1",
                turns=course.turns,
                seed=course.seed,
            )
            at_work = await stack.enter_async_context(opened)
            seats.append(Seat(course=course, database=database, worker=at_work, run=Run(name=name)))
        for seat in seats:
            await seat.worker.ready()
        yield seats


@dataclass(kw_only=True)
class Seat:
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
