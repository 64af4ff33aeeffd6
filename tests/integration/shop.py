"""The shipped graph on a Postgres, its model by a book, and a thread that is talked to."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.messages import BaseMessage, ToolMessage
from langgraph.types import Command

from app.model_server.server import ModelServer
from graph.database import Database
from graph.environment import read_settings
from graph.guarded import GuardedGraph
from graph.resources import open_graph
from graph.waiting import waiting_on
from memory import names

NUMBER, OTHER = "LH20481137", "LH20481138"


@dataclass
class Shop:
    """An open graph, and one of its threads."""

    graph: GuardedGraph
    database: Database
    model: ModelServer
    thread: str = field(default_factory=lambda: str(uuid4()))

    @property
    def config(self) -> Any:
        return {"configurable": {"thread_id": self.thread}}

    async def say(self, words: str) -> None:
        await self.run({"messages": [{"role": "user", "content": words}]})

    async def go_on(self) -> None:
        await self.run(None)

    async def resume(self, answer: Any) -> None:
        await self.run(Command(resume=answer))

    async def run(self, payload: Any) -> None:
        await self.graph.ainvoke(payload, self.config)

    async def waiting(self) -> dict[str, Any]:
        """What waits, by interrupt id."""
        return waiting_on(await self.graph.aget_state(self.config))

    async def values(self) -> dict[str, Any]:
        return dict((await self.graph.aget_state(self.config)).values)

    async def messages(self) -> list[BaseMessage]:
        return list((await self.values())["messages"])

    async def results(self) -> list[str]:
        """What the tools' calls came to, in the order of their results."""
        return [m.text for m in await self.messages() if isinstance(m, ToolMessage)]

    async def words(self) -> list[str]:
        return [f"{m.type}: {m.text}" for m in await self.messages() if m.text]

    async def done(self) -> list[dict[str, Any]]:
        """The actions in the ledger."""
        items = await self.database.store.asearch(names.ledger(self.thread))
        return [{"action": i.value["action"], **i.value["args"]} for i in items]

    def sent(self) -> str:
        """The tool results of the newest request for a reply."""
        replies = [r for r in self.model.requests if r.chat.schema_name is None]
        return "\n".join(
            str(m["content"]) for m in replies[-1].chat.messages if m["role"] == "tool"
        )


@asynccontextmanager
async def open_shop(url: str, model: ModelServer, thread: str = "") -> AsyncIterator[Shop]:
    """The graph in this process, on the database at `url`."""
    settings = read_settings(
        _env_file=None, OPENAI_BASE_URL=model.base_url, database=url, data=Path("/nowhere")
    )
    async with open_graph(settings) as opened:
        yield Shop(opened.graph, opened.database, model, thread or str(uuid4()))
