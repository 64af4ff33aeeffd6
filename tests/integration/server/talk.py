"""One thread of a dev server, as a careful client uses it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from app.lines import GRAPH

Json = dict[str, Any]


def user(words: str, **more: str) -> Json:
    """A run's input: one user message."""
    return {"messages": [{"role": "user", "content": words, **more}]}


def words_of(messages: Sequence[Json]) -> list[str]:
    """Who said what, in order, such as `human: Hello`."""
    return [f"{m['type']}: {m['content']}" for m in messages]


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[LangGraphClient]:
    """A client of a server."""
    async with get_client(url=url) as client:
        yield client


@dataclass(kw_only=True)
class Talk:
    """A thread. Its words carry its mark, so that no two threads of a server say the same."""

    client: LangGraphClient
    graph: str = GRAPH
    id: str = field(default_factory=lambda: str(uuid4()))

    def mark(self, words: str) -> str:
        return f"{words} ({self.id[:8]})"

    async def open(self) -> None:
        """As every client of ours opens a thread, new or known, also after a crash."""
        await self.client.threads.create(
            thread_id=self.id, graph_id=self.graph, if_exists="do_nothing"
        )

    async def say(self, words: str, **options: Any) -> list[str]:
        """The thread's words after one whole turn."""
        return await self.run(user(words), **options)

    async def run(self, input: Json | None, **options: Any) -> list[str]:
        """The thread's words after one whole run."""
        values: Any = await self.client.runs.wait(
            self.id, self.graph, input=input, if_not_exists="create", **options
        )
        return words_of(values["messages"])

    async def begin(self, input: Json | None, **options: Any) -> str:
        """Start a run and return its id."""
        run = await self.client.runs.create(
            self.id, self.graph, input=input, if_not_exists="create", **options
        )
        return run["run_id"]

    async def end(self, run: str) -> str:
        """How a run ended."""
        await self.client.runs.join(self.id, run)
        return (await self.client.runs.get(self.id, run))["status"]

    async def values(self) -> Json:
        state = await self.client.threads.get_state(self.id)
        assert isinstance(state["values"], dict)
        return state["values"]

    async def words(self) -> list[str]:
        return words_of((await self.values()).get("messages", []))

    async def history(self) -> list[Any]:
        """Its checkpoints, newest first."""
        return list(await self.client.threads.get_history(self.id, limit=100))
