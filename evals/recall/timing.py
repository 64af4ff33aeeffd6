"""How long recall takes, its search beside one bare query of Chroma.

`python -m evals.recall.timing FOLDER` fills a Postgres and a Chroma in FOLDER, which takes some
minutes and is done once, and prints a table. Before each thread Chroma is restarted.
"""

import argparse
import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, TypeVar, cast

from langgraph.store.base import BaseStore

from evals.recall.timing_data import ME, Thread, fill, open_indexer, open_store, words
from evals.recall.timing_gate import WINDOW, gates
from evals.recall.timing_turns import archiving
from memory.collections import Kept
from memory.indexing import Indexer
from memory.recall.branches import Branches
from memory.recall.documents import Leg
from memory.recall.fusion import search
from memory.recall.ranking import DEFAULT
from memory.recall.searcher import Query, Searcher
from memory.scope import Scope
from memory.transcript import read_rows
from state.summary import Summary, SummaryItem

_NOTES = 20
"""Notes of the summary, in each of which turns are looked for."""
_BUDGET = 1000
_READ = 30
_SECONDS = 600.0
"""Nothing here is given up."""

Result = TypeVar("Result")


@dataclass(kw_only=True)
class Times:
    """Milliseconds that searches of a thread took."""

    index: float
    """Making the index of its words, after a restart."""
    first: float
    """The first search after that."""
    whole: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    """One query of Chroma, filtered to the thread."""
    parts: dict[str, list[float]] = field(default_factory=dict)
    """What the whole does, each by itself."""

    def line(self, thread: Thread) -> str:
        """A row of the table."""
        whole, bare = median(self.whole), median(self.bare)
        return (
            f"| {thread.exchanges} | {whole:.1f} | {max(self.whole):.1f} | {bare:.1f} "
            f"| {max(self.bare):.1f} | {whole / bare:.2f} | {self.first:.0f} | {self.index:.0f} |"
        )

    def parted(self, thread: Thread) -> str:
        """Where the time goes, in words."""
        parts = ", ".join(f"{name} {median(taken):.1f}" for name, taken in self.parts.items())
        return f"{thread.exchanges}: {parts}"


HEAD = """\
| exchanges | search, ms | worst | bare query, ms | worst | times | first search | word index |
|---:|---:|---:|---:|---:|---:|---:|---:|"""


async def timed(work: Awaitable[Result]) -> tuple[float, Result]:
    """Milliseconds that `work` takes, and its result."""
    began = time.perf_counter()
    result = await work
    return (time.perf_counter() - began) * 1000, result


async def bare(kept: Kept, thread: str, vector: list[float]) -> None:
    """One filtered query, straight to Chroma."""
    where: Any = {"thread": thread}
    found = DEFAULT.candidates
    await kept.held.query(
        query_embeddings=vector, n_results=found, where=where, include=["distances"]
    )


async def measure(store: BaseStore, indexer: Indexer, thread: Thread, times: int) -> Times:
    """Searches `thread` in a process that knows nothing of it, once more for each further turn."""
    made = Random(thread.id)  # noqa: S311

    async def opened() -> Indexer:
        return indexer

    searcher = Searcher(
        indexer=opened,
        branches=Branches(ranking=DEFAULT),
        seconds=lambda: _SECONDS,
        on_gap=lambda _: None,
    )
    through = thread.exchanges - times - WINDOW

    async def find(turn: int, question: str) -> float:
        taken, found = await timed(searcher.find(store, _query(thread, turn, through, question)))
        if found.trouble or not found.passages:
            raise RuntimeError(f"a search found nothing: {found.trouble}")
        return taken

    began = thread.exchanges - times
    index, _ = await timed(searcher.branches.of(store, thread.id, thread.trail(began), through, ME))
    result = Times(index=index, first=await find(began, _question(made)))
    (kept,) = await indexer.vectors.collections.all()
    for turn in range(began + 1, thread.exchanges + 1):
        question = _question(made)
        vector = await indexer.embedder.query(question)
        result.whole.append(await find(turn, question))
        taken, _ = await timed(bare(kept, thread.id, vector))
        result.bare.append(taken)
        query = _query(thread, turn, through, question)
        for name, taken in (await _parts(store, indexer, searcher, query)).items():
            result.parts.setdefault(name, []).append(taken)
    return result


async def _parts(
    store: BaseStore, indexer: Indexer, searcher: Searcher, query: Query
) -> dict[str, float]:
    embedding, vector = await timed(indexer.embedder.query(query.message))
    lookup, branch = await timed(
        searcher.branches.of(store, query.thread, query.trail, query.summary["through"], ME)
    )
    scope = Scope(ME, [query.thread])
    vectors, hits = await timed(indexer.vectors.query(scope, vector, DEFAULT.candidates))
    dense = {(hit.key, cast("Leg", hit.leg)): hit.similarity for hit in hits}
    ranking, scored = await timed(asyncio.to_thread(search, branch.lexical, query.message, dense))
    keys = [branch.rows[each.document.key] for each in scored[:_READ]]
    rows, _ = await timed(read_rows(store, keys))
    return {
        "embedding": embedding,
        "branch": lookup,
        "vectors": vectors,
        "ranking": ranking,
        "rows": rows,
    }


def _query(thread: Thread, turn: int, through: int, question: str) -> Query:
    return Query(
        message=question,
        owner=ME,
        thread=thread.id,
        trail=thread.trail(turn),
        summary=_summary(through),
        facts={},
        budget=_BUDGET,
        elsewhere=False,
    )


def _summary(through: int) -> Summary:
    made = Random(0)  # noqa: S311
    notes = [
        SummaryItem(id=n, kind="happened", text=words(made, 15), turns=[made.randint(1, through)])
        for n in range(_NOTES)
    ]
    return Summary(through=through, items=notes, pins=[], next_id=_NOTES)


def _question(made: Random) -> str:
    return f"What was it that I said about {words(made, 6)}"


async def report(
    folder: Path, threads: Sequence[Thread], *, others: int, times: int
) -> AsyncIterator[str]:
    """Fills, and says line by line what was measured."""
    async with open_store(folder) as store:
        async with open_indexer(folder) as indexer:
            taken, count = await timed(fill(store, indexer, threads, others=others))
        yield f"{count} records, looked for and written in {taken / 1000:.0f} s"
        yield gates()
        measured: list[tuple[Thread, Times]] = []
        for thread in threads:
            async with open_indexer(folder) as indexer:
                measured.append((thread, await measure(store, indexer, thread, times)))
    yield HEAD
    for thread, result in measured:
        yield result.line(thread)
    for thread, result in measured:
        yield result.parted(thread)
    yield await archiving(folder, times)
    yield f"load average {', '.join(f'{load:.1f}' for load in os.getloadavg())}"


async def main(folder: Path, threads: Sequence[Thread], *, others: int, times: int) -> None:
    """Prints the report."""
    async for line in report(folder, threads, others=others, times=times):
        print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m evals.recall.timing")
    parser.add_argument("folder", type=Path, help="where Postgres and Chroma keep their data")
    parser.add_argument("--threads", default="600,10000", help="exchanges of each thread")
    parser.add_argument("--others", type=int, default=100_000, help="exchanges of other users")
    parser.add_argument("--times", type=int, default=30, help="searches of each thread")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    sizes = [int(size) for size in given.threads.split(",")]
    ours = [Thread(id=f"timing-{size}", exchanges=size) for size in sizes]
    asyncio.run(main(given.folder, ours, others=given.others, times=given.times))
