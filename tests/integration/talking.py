"""A process that talks: the graph on a real database, its models over HTTP."""

import html
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig

from app.model_server.chat import ChatRequest, text_of
from app.model_server.recorder import RecordedRequest
from app.model_server.script import Lane, Script
from app.model_server.server import ModelServer
from app.model_server.steps import Step, text
from graph.build import Parts, build_graph
from graph.database import Database, open_database
from graph.guarded import GuardedGraph
from graph.models import Models
from graph.settings import Settings
from state.exchanges import group
from state.session import SessionState
from state.window import size
from tests.integration.machine.truth import as_state

NOTER, EXTRACTOR = "noter", "extractor"
"""The models that write summaries, and take the facts."""
THREAD = "t"
MARK = "zebra"
"""A word of every note, which nobody else says."""

Notes = Callable[[ChatRequest], Step]


def settings(model: ModelServer | str, **more: Any) -> Settings:
    """Small marks, at which a handful of short exchanges is folded; for a server or its URL."""
    chosen: dict[str, Any] = {
        "OPENAI_BASE_URL": model if isinstance(model, str) else model.base_url,
        "summarise_model": NOTER,
        "extract_model": EXTRACTOR,
        "retries": 0,
        "high_mark": "300",
        "low_mark": "150",
        "hard_limit": "4000",
        "reply_tokens": 200,
        "summary_tokens": 200,
        "compaction_wait": 0,
    }
    return Settings(_env_file=None, **{**chosen, **more})


def noted(request: ChatRequest) -> Step:
    """A note for each turn that the summariser is shown."""
    turns = re.findall(r'<turn n="(\d+)".*?<user>(\S*)', text_of(request.messages[-1]), re.DOTALL)
    notes = [
        {"kind": "happened", "text": f"{MARK} {html.unescape(code)}", "turns": [int(n)]}
        for n, code in turns
    ]
    return text(json.dumps({"add": notes}))


def script(notes: Notes | Lane = noted) -> Script:
    """A model that replies, and one that notes."""
    noter = notes if isinstance(notes, Lane) else Lane(notes, model=NOTER)
    extractor = Lane(lambda _: text('{"facts": []}'), model=EXTRACTOR)
    return Script(noter, extractor, Lane(lambda _: text("I hear you, and I will think about it.")))


def of_noter(request: RecordedRequest) -> bool:
    return request.chat.model == NOTER


def notes_of(model: ModelServer) -> list[RecordedRequest]:
    """What the summariser was sent."""
    return [request for request in model.requests if of_noter(request)]


def replies_of(model: ModelServer) -> list[RecordedRequest]:
    """What the model that replies was sent."""
    return [r for r in model.requests if r.chat.model not in {NOTER, EXTRACTOR}]


@dataclass(kw_only=True)
class Process:
    """One process, with a clock of its own."""

    settings: Settings
    parts: Parts
    graph: GuardedGraph
    database: Database
    said: int = 0
    now: list[datetime] = field(default_factory=lambda: [datetime(2026, 3, 4, 12, tzinfo=UTC)])

    @property
    def config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": THREAD}}

    def later(self, seconds: float) -> None:
        """Lets the clock go on."""
        self.now[0] += timedelta(seconds=seconds)

    def message(self, words: int = 20) -> dict[str, Any]:
        """The input of one more message; no other begins with its code."""
        self.said += 1
        return {"messages": [HumanMessage(f"K{self.said:04d} " + "word " * words)]}

    async def say(self, words: int = 20, *, times: int = 1) -> SessionState:
        """The state after so many turns more."""
        for _ in range(times):
            self.later(1)
            async for _part in self.graph.astream(self.message(words), self.config):
                pass
        return await self.state()

    async def talk(self, *, times: int) -> SessionState:
        """The state after so many turns, each with time for a summary behind it."""
        for _ in range(times):
            await self.say()
            await self.settle()
        return await self.state()

    async def state(self) -> SessionState:
        return as_state((await self.graph.aget_state(self.config)).values)

    async def settle(self) -> None:
        """Waits for what runs behind the replies."""
        await self.parts.background.settled(30)

    def tokens(self, state: SessionState) -> int:
        """The size of the window."""
        return size(group(state["messages"]), self.settings.marks.high)


@asynccontextmanager
async def process(url: str, chosen: Settings) -> AsyncIterator[Process]:
    """Opens a process on a database that has its tables."""
    now = [datetime(2026, 3, 4, 12, tzinfo=UTC)]

    async def endpoint() -> str:
        return str(chosen.openai_base_url)

    models = Models(settings=lambda: chosen, endpoint=endpoint)
    parts = Parts(settings=lambda: chosen, models=models, clock=lambda: now[0])
    async with open_database(url, pool_size=4) as database:
        graph = build_graph(parts, checkpointer=database.saver, store=database.store)
        try:
            yield Process(settings=chosen, parts=parts, graph=graph, database=database, now=now)
        finally:
            await parts.background.settled(0)
            await models.close()
