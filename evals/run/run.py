"""A run: all of its conversations, several at once, each going on where it broke off."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from app.model_server.script import Answer
from app.model_server.server import ModelServerError
from evals.run import databases
from evals.run.gateway import Gateway, Meter
from evals.run.plan import Kept, PlanError
from evals.run.player import Player, TurnFailed, opened
from evals.run.records import TurnRecord, append, read_records
from evals.run.stretch import Course
from graph.services import local_service
from graph.settings import Settings
from nodes.asking import ModelError

NOT_YET = "not held any further yet"

Progress = Callable[[Course, int], None]
"""Told of a conversation and how many of its turns are held."""


@dataclass(kw_only=True)
class Outcome:
    """A conversation, as far as it was held."""

    course: Course
    records: list[TurnRecord] = field(default_factory=list)
    stopped: str = ""
    """Why it was not held to its end."""


@dataclass(frozen=True, kw_only=True)
class Hall:
    """Where a run takes place."""

    folder: Path
    kept: Kept
    person: Settings
    model: Answer
    meter: Meter
    on_turn: Progress


def records_file(folder: Path, course: Course) -> Path:
    """The file of a conversation's records."""
    return folder / f"{course.conversation.name}.jsonl"


def so_far(folder: Path, courses: Sequence[Course]) -> list[Outcome]:
    """What of a run is held already. Raises RecordsError, and PlanError for more turns than now."""
    outcomes = [
        Outcome(course=c, records=read_records(records_file(folder, c)), stopped=NOT_YET)
        for c in courses
    ]
    for outcome in outcomes:
        name, turns = outcome.course.conversation.name, len(outcome.course.turns)
        if len(outcome.records) > turns:
            raise PlanError(f"{name} was held for {len(outcome.records)} turns, and has {turns}")
        if len(outcome.records) == turns:
            outcome.stopped = ""
    return outcomes


async def run(hall: Hall, outcomes: Sequence[Outcome], *, parallel: int) -> None:
    """Holds all conversations to their end or to the cap, and writes a line a turn.

    What was held before counts against the caps. A conversation that fails ends there; the others
    go on.
    """
    for outcome in outcomes:
        records = outcome.records
        hall.meter.add(sum(r.tokens for r in records), sum(r.calls for r in records))
    seats = asyncio.Semaphore(parallel)
    async with local_service("postgres", hall.person.data) as server, asyncio.TaskGroup() as group:
        for outcome in outcomes:
            group.create_task(_hold(hall, outcome, server, seats))


async def _hold(hall: Hall, outcome: Outcome, postgres: str, seats: asyncio.Semaphore) -> None:
    async with seats:
        hall.on_turn(outcome.course, len(outcome.records))
        if not outcome.stopped:
            return
        try:
            async with _seat(hall, outcome, postgres) as player:
                outcome.stopped = await _go_on(hall, outcome, player)
        except (TurnFailed, ModelError, ModelServerError) as error:
            outcome.stopped = str(error)


async def _go_on(hall: Hall, outcome: Outcome, player: Player) -> str:
    """Holds the turns that are left; why not all of them, empty if they are."""
    course, records = outcome.course, outcome.records
    for held in course.turns[len(records) :]:
        if spent := hall.meter.spent:
            return spent
        record = await player.hold(held)
        append(records_file(hall.folder, course), record)
        records.append(record)
        hall.on_turn(course, len(records))
    return ""


@asynccontextmanager
async def _seat(hall: Hall, outcome: Outcome, postgres: str) -> AsyncIterator[Player]:
    """The conversation where it stands; its database goes when it has been held to the end."""
    course, records = outcome.course, outcome.records
    digest = hashlib.sha256(course.conversation.name.encode()).hexdigest()[:8]
    name = f"eval_{hall.kept.id}_{digest}"
    if not records:
        # A first turn that failed left its words behind.
        await databases.drop(postgres, name)
    database = await databases.ensure(postgres, name)
    gateway = Gateway(hall.model, hall.meter)
    async with opened(
        course,
        hall.kept.plan,
        gateway,
        person=hall.person,
        database=database,
        thread=f"{name}_{course.conversation.name}",
    ) as player:
        if records:
            player.turn, player.checkpoint = records[-1].turn, records[-1].checkpoint
        yield player
        if len(records) == len(course.turns):
            await player.forget()
    if len(records) == len(course.turns):
        await databases.drop(postgres, name)
