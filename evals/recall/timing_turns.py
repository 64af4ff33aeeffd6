"""What a turn waits for while the vectors of old turns are made behind it, seconds a call."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

from langchain_core.embeddings import Embeddings

from app.model_server import standin
from app.model_server.server import ModelServer
from evals.bench.contestant import Contestant, default_settings
from evals.bench.conversation import Exchange
from evals.bench.databases import fresh_database
from evals.bench.play import play
from evals.bench.timing import Turn
from evals.recall.timing_data import words
from graph.resources import open_graph
from graph.services import local_service
from memory.embeddings import Embedder, offline
from state.refers_back import When

SLOW_SECONDS = 2.0
_PATIENCE = 120.0
_WARM, _BLOCK = 8, 4
"""Turns before anything is measured, and turns after which the other has its turn."""


@dataclass(kw_only=True)
class Slow(Embeddings):
    """The offline embedder, with a wait in front of each call. Counts the calls that wait."""

    model: Embeddings = field(default_factory=lambda: offline().model)
    seconds: float = SLOW_SECONDS
    waiting: int = 0
    called: asyncio.Event = field(default_factory=asyncio.Event)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Waits for nothing: only the asynchronous calls are made here."""
        return self.model.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """As `embed_documents`."""
        return self.model.embed_query(text)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors, late."""
        self.waiting += 1
        self.called.set()
        try:
            await asyncio.sleep(self.seconds)
            return await self.model.aembed_documents(texts)
        finally:
            self.waiting -= 1


@dataclass(kw_only=True)
class _Table:
    """A conversation at work, and what its turns took."""

    contestant: Contestant
    slow: Slow
    turns: list[Turn] = field(default_factory=list)
    fed: int = 0
    """Turns at whose end vectors were being made."""

    async def play(self, first: int, count: int) -> None:
        made = Random(first)  # noqa: S311
        for turn in range(first, first + count):
            said = Exchange(user=words(made, 60), reply="", planted=None)
            self.turns += (await play(self.contestant, [said], first=turn)).turns
            self.fed += self.slow.waiting > 0

    def taken(self, of: str) -> list[float]:
        """Milliseconds from a message in to `first` or `done`, by turn."""
        return [(getattr(turn, of) - turn.sent) / 1e6 for turn in self.turns]


async def archiving(folder: Path, count: int) -> str:
    """What `count` turns take while vectors are made behind each, beside a bot without recall."""
    async with (
        local_service("postgres", folder, grace=0) as postgres,
        _table(postgres, folder, "auto") as ours,
        _table(postgres, folder, "never") as without,
    ):
        for table in (ours, without):
            await table.play(1, _WARM)
            table.turns.clear()
            table.fed = 0
        # Until then the local Chroma is being started.
        await asyncio.wait_for(ours.slow.called.wait(), _PATIENCE)
        for first in range(_WARM + 1, _WARM + 1 + count, _BLOCK):
            for table in (ours, without):
                await table.play(first, _BLOCK)
    took = (
        f"{what} {_told(ours.taken(of))}, without recall {_told(without.taken(of))}, "
        f"times {median(ours.taken(of)) / median(without.taken(of)):.2f}"
        for what, of in (("first token", "first"), ("whole turn", "done"))
    )
    return (
        f"archiving behind the replies, {SLOW_SECONDS:g} s for vectors, "
        f"at work in {ours.fed} of {len(ours.turns)} turns, ms: {'; '.join(took)}"
    )


def _told(taken: list[float]) -> str:
    return f"{median(taken):.0f} (worst {max(taken):.0f})"


@asynccontextmanager
async def _table(postgres: str, folder: Path, recall: When) -> AsyncIterator[_Table]:
    """A conversation whose turns leave the window at once; what is due at the end is left."""
    slow = Slow()
    async with fresh_database(postgres) as database:
        with ModelServer(standin.answer, keep=1) as server:
            settings = default_settings(
                OPENAI_BASE_URL=server.base_url,
                database=database,
                data=folder,
                recall=recall,
                high_mark="3 turns",
                low_mark="2 turns",
            )
            async with open_graph(settings) as opened:
                index = opened.parts.index
                index.embedder = lambda _: Embedder(name="slow", model=slow)
                contestant = Contestant(graph=opened.graph, reply_node="respond")
                yield _Table(contestant=contestant, slow=slow)
                slow.seconds = 0.0
