"""How long a search of vectors takes beside one bare query of Chroma, among those of others.

`python -m evals.recall.chroma_timing FOLDER` fills a Chroma in FOLDER, which takes some minutes and
is done once, restarts it, and prints a table.
"""

import argparse
import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from math import hypot
from pathlib import Path
from statistics import median
from typing import Any

from graph.services import local_service
from memory import names
from memory.chroma import Connection
from memory.collections import Collections, Kept
from memory.scope import Scope
from memory.vectors import Record, Vectors
from state.identity import Owner
from state.session import RowKey

SIZE = 256
THREADS = {"timing-600": 600, "timing-10000": 10_000}
"""The threads that are searched, and their exchanges."""
OTHERS = 100
"""Users beside; each has a thread."""
FOUND = 200
_ME = Owner(kind="user", id="me")
_PAGE = 500


def records(owner: Owner, thread: str, exchanges: int, legs: Sequence[str]) -> Iterator[Record]:
    """Records of a thread with a subject of its own; the same for the same thread."""
    made = random.Random(thread)  # noqa: S311
    subject = vector(made)
    for turn in range(1, exchanges + 1):
        key = names.row_key(turn, [thread, str(turn)])
        for leg in legs:
            near = [a + 2 * b for a, b in zip(subject, vector(made), strict=True)]
            yield Record(owner, RowKey(thread=thread, key=key), leg, "", near)


def vector(made: random.Random) -> list[float]:
    """A direction."""
    drawn = [made.gauss() for _ in range(SIZE)]
    length = hypot(*drawn)
    return [x / length for x in drawn]


async def fill(vectors: Vectors, *, others: int, legs: Sequence[str]) -> None:
    """Writes the threads to be searched, and `others` exchanges of other users."""
    threads = [(_ME, thread, exchanges) for thread, exchanges in THREADS.items()]
    threads += [
        (Owner(kind="user", id=f"other {n}"), f"other-{n}", others // OTHERS) for n in range(OTHERS)
    ]
    if await vectors.count() == sum(exchanges for _, _, exchanges in threads) * len(legs):
        return
    for owner, thread, exchanges in threads:
        page: list[Record] = []
        for record in records(owner, thread, exchanges, legs):
            page.append(record)
            if len(page) == _PAGE:
                await vectors.upsert(page)
                page = []
        await vectors.upsert(page)


async def bare(kept: Kept, thread: str, asked: list[float]) -> None:
    """One filtered query, straight to Chroma."""
    where: Any = {"thread": thread}
    await kept.held.query(
        query_embeddings=asked, n_results=FOUND, where=where, include=["distances"]
    )


async def timed(work: Callable[[list[float]], Awaitable[object]], times: int) -> list[float]:
    """Milliseconds that `work` takes, asked for another vector each time."""
    made, taken = random.Random(times), []  # noqa: S311
    for _ in range(times):
        asked = vector(made)
        began = time.perf_counter()
        await work(asked)
        taken.append((time.perf_counter() - began) * 1000)
    return taken


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Vectors]:
    """The vectors in `folder`, their Chroma just started."""
    async with local_service("chroma", folder, grace=0) as url:

        async def endpoint() -> str:
            return url

        connection = Connection(endpoint=endpoint)
        collections = Collections(connection=connection, model="timing", prefix="timing")
        try:
            yield Vectors(collections=collections, seconds=60)
        finally:
            await connection.close()


async def main(folder: Path, *, others: int, legs: Sequence[str], times: int) -> None:
    """Fills, restarts, and prints what the searches took."""
    async with opened(folder) as vectors:
        began = time.perf_counter()
        await fill(vectors, others=others, legs=legs)
        count = await vectors.count()
        print(f"{count} records, written in {time.perf_counter() - began:.0f} s")  # noqa: T201
    async with opened(folder) as vectors:
        for thread in THREADS:
            scope = Scope(_ME, [thread])

            async def search(asked: list[float], scope: Scope = scope) -> object:
                return await vectors.query(scope, asked, FOUND)

            (first,) = await timed(search, 1)
            ours = await timed(search, times)
            (kept,) = await vectors.collections.all()

            async def query(asked: list[float], kept: Kept = kept, thread: str = thread) -> None:
                await bare(kept, thread, asked)

            theirs = await timed(query, times)
            print(  # noqa: T201
                f"{thread}: first {first:.0f} ms; median {median(ours):.0f} ms, worst "
                f"{max(ours):.0f} ms; bare query median {median(theirs):.0f} ms, worst "
                f"{max(theirs):.0f} ms; {median(ours) / median(theirs):.2f} times"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m evals.recall.chroma_timing")
    parser.add_argument("folder", type=Path, help="where its Chroma keeps its data")
    parser.add_argument("--others", type=int, default=100_000, help="exchanges of other users")
    parser.add_argument("--legs", default="user,exchange", help="records of an exchange")
    parser.add_argument("--times", type=int, default=30, help="searches of each kind")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    measured = main(
        given.folder, others=given.others, legs=given.legs.split(","), times=given.times
    )
    asyncio.run(measured)
