"""The ways to play a course: who has a turn when."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Protocol

from evals.bench.run import Course, Run, Seat, seated
from evals.bench.spans import spans

YOUNG = "young"
"""Name of the run that is there for its first turns alone."""


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


async def in_rounds(
    names: Sequence[str],
    course: Course,
    *,
    postgres: str,
    log: Path,
    on_block: Callable[[int], None],
) -> list[Run]:
    """Each contestant plays a block, then each the next: what slows the machine slows them all."""
    async with seated({name: name for name in names}, course, postgres=postgres, log=log) as seats:
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

    async def play(seat: Seat) -> None:
        for turns in spans(course.turns).blocks:
            await seat.play(turns)
            on_block(len(turns))

    async with seated({name: name for name in names}, course, postgres=postgres, log=log) as seats:
        async with asyncio.TaskGroup() as group:
            for seat in seats:
                group.create_task(play(seat))
        return [await seat.finish() for seat in seats]


async def old_and_young(
    names: Sequence[str],
    course: Course,
    *,
    postgres: str,
    log: Path,
    on_block: Callable[[int], None],
) -> list[Run]:
    """One contestant plays to the last turns; a second of its kind then plays the first ones.

    Those are played in turns, at the same time, so that what slows the machine slows both.
    """
    [name] = names
    compared = spans(course.turns)
    late = [block for block in compared.blocks if block.start in compared.last]
    before = [block for block in compared.blocks if block.start < compared.last.start]
    warm_up = [block for block in compared.blocks if block.start <= compared.warm_up]
    early = [block for block in compared.blocks if block.start in compared.first]

    async def play(seat: Seat, turns: range) -> None:
        await seat.play(turns)
        on_block(len(turns))

    async with seated({name: name, YOUNG: name}, course, postgres=postgres, log=log) as seats:
        old, young = seats
        for turns in before:
            await play(old, turns)
        for turns in warm_up:
            await play(young, turns)
        for one, other in zip_longest(late, early):
            for seat, block in ((old, one), (young, other)):
                if block is not None:
                    await play(seat, block)
        return [await seat.finish() for seat in seats]
