"""A run: all of its conversations, several at once, each going on where it broke off."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from app.model_server.script import Answer
from evals.run import databases
from evals.run.gateway import Gateway, Meter
from evals.run.plan import Kept, PlanError
from evals.run.player import Player, opened
from evals.run.records import TurnRecord, append, read_records
from evals.run.stretch import Course
from graph.services import local_service
from graph.settings import Settings

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

    def records_of(self, course: Course) -> Path:
        """The file of a conversation's records."""
        return self.folder / f"{course.conversation.name}.jsonl"


async def run(hall: Hall, courses: Sequence[Course], *, parallel: int) -> list[Outcome]:
    """Holds all conversations to their end or to the cap, and writes a line a turn.

    What was written of a run that broke off is read, and counts against the caps.
    """
    outcomes = [Outcome(course=c, records=read_records(hall.records_of(c))) for c in courses]
    for outcome in outcomes:
        _check(outcome)
        records = outcome.records
        hall.meter.add(sum(r.tokens for r in records), sum(r.calls for r in records))
    seats = asyncio.Semaphore(parallel)
    async with local_service("postgres", hall.person.data) as server, asyncio.TaskGroup() as group:
        for outcome in outcomes:
            group.create_task(_hold(hall, outcome, server, seats))
    return outcomes


async def _hold(hall: Hall, outcome: Outcome, postgres: str, seats: asyncio.Semaphore) -> None:
    course, records = outcome.course, outcome.records
    async with seats:
        hall.on_turn(course, len(records))
        if len(records) == len(course.turns):
            return
        async with _seat(hall, outcome, postgres) as player:
            for held in course.turns[len(records) :]:
                outcome.stopped = hall.meter.spent
                if outcome.stopped:
                    return
                record = await player.hold(held)
                append(hall.records_of(course), record)
                records.append(record)
                hall.on_turn(course, len(records))


@asynccontextmanager
async def _seat(hall: Hall, outcome: Outcome, postgres: str) -> AsyncIterator[Player]:
    """The conversation where it stands; its database goes when it has been held to the end."""
    course, records = outcome.course, outcome.records
    digest = hashlib.sha256(course.conversation.name.encode()).hexdigest()[:8]
    name = f"eval_{hall.kept.id}_{digest}"
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


def _check(outcome: Outcome) -> None:
    """Raises PlanError for records of other turns than the conversation now has."""
    name, turns = outcome.course.conversation.name, len(outcome.course.turns)
    if len(outcome.records) > turns:
        raise PlanError(f"{name} was held for {len(outcome.records)} turns and has only {turns}")
