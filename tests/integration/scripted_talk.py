"""A conversation by a script: what is said, answered, extracted and noted, turn by turn."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.messages import HumanMessage

from app.model_server.chat import ChatRequest, text_of
from app.model_server.script import Script
from app.model_server.server import ModelServer
from app.model_server.steps import Step, Usage, text
from graph.build import Parts, build_graph
from graph.database import Database, open_database
from graph.environment import read_settings
from graph.guarded import GuardedGraph
from graph.migrate import migrate
from graph.models import Models
from state.context import Context
from state.session import SessionInput
from tests.integration.server.book import said

REPLY = Usage(prompt_tokens=100, completion_tokens=10, cached_tokens=60)
EXTRACTION = Usage(prompt_tokens=7, completion_tokens=3, cached_tokens=0)
_TURN = re.compile(r'<turn n="(\d+)"')


@dataclass
class Plot:
    """What the model answers; what is not planned is a plain reply, no fact, no change."""

    replies: dict[str, str] = field(default_factory=dict)
    """By the user's words."""
    facts: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    """What the extractor says, by turn."""
    changes: dict[str, Any] = field(default_factory=dict)
    """What the summariser says."""
    judged: bool = False
    """What a judge of corrections says."""

    def __call__(self, request: ChatRequest) -> Step:
        match request.schema_name:
            case "Operations":
                turns = _TURN.findall(text_of(request.messages[-1]))
                facts = [fact for turn in turns for fact in self.facts.get(int(turn), [])]
                return text(json.dumps({"facts": facts}), usage=EXTRACTION)
            case "Changes":
                return text(json.dumps(self.changes))
            case "Judgement":
                return text(json.dumps({"corrects": self.judged}))
            case _:
                return text(self.replies.get(said(request), "I see."), usage=REPLY)


@dataclass
class Talk:
    """An open graph on a database, with a clock that its test sets."""

    graph: GuardedGraph
    database: Database
    parts: Parts
    now: list[datetime]
    model: ModelServer

    def requests(self) -> list[ChatRequest]:
        """What the model was asked for a reply, in order."""
        chats = [each.chat for each in self.model.requests]
        return [chat for chat in chats if chat.schema_name is None]

    async def say(
        self, words: str, thread: str, *, after: timedelta, model: str = "", user: str = ""
    ) -> None:
        """Says `words` when `after` has gone by since the last words."""
        self.now[0] += after
        config: Any = {"configurable": {"thread_id": thread}}
        message = SessionInput(messages=[HumanMessage(words)])
        await self.graph.ainvoke(message, config, context=Context(model=model, user=user))
        await self.parts.background.settled(20)

    async def state(self, thread: str) -> dict[str, Any]:
        config: Any = {"configurable": {"thread_id": thread}}
        return dict((await self.graph.aget_state(config)).values)


@asynccontextmanager
async def open_talk(
    url: str,
    plot: Plot,
    *,
    start: datetime | None = None,
    settings: Mapping[str, Any] | None = None,
    collections: str = "longhaul",
) -> AsyncIterator[Talk]:
    """The graph on the database at `url`, its model by `plot`, its clock at `start`."""
    now = [start or datetime.now(UTC)]
    await migrate(url)
    with ModelServer(Script(plot)) as model:
        chosen = read_settings(
            _env_file=None,
            OPENAI_BASE_URL=model.base_url,
            database=url,
            data=Path("/nowhere"),
            **(settings or {}),
        )

        async def endpoint() -> str:
            return model.base_url

        parts = Parts(
            settings=lambda: chosen,
            models=Models(settings=lambda: chosen, endpoint=endpoint),
            clock=lambda: now[0],
            collections=collections,
        )
        async with open_database(url, pool_size=5) as database:
            graph = build_graph(parts, checkpointer=database.saver, store=database.store)
            try:
                yield Talk(graph, database, parts, now, model)
            finally:
                await parts.models.close()
                await parts.index.close()


def new_thread() -> str:
    """The id of a thread that nothing was said in."""
    return str(uuid4())
