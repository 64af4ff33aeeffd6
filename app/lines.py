"""Two lines to a conversation: the graph in this process, or a LangGraph Server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Protocol
from uuid import uuid4

import httpx
from anyio import CancelScope
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    convert_to_messages,
)
from langgraph.types import Command, StateSnapshot
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import AuthenticationError, NotFoundError
from langgraph_sdk.schema import Command as ServerCommand
from langgraph_sdk.schema import RunCreateMetadata, StreamPart

from app.names import thread_id
from app.questions import Standing, standing
from graph.database import Database
from graph.guarded import GuardedGraph
from graph.locks import thread_lock
from graph.waiting import waiting_on
from state.context import Context
from state.errors import InputRefused

GRAPH = "longhaul"
"""The graph's name in langgraph.json."""


class ServerError(RuntimeError):
    """A run failed on the server; the text is the server's."""


class Line(Protocol):
    """A way to talk in one thread."""

    @property
    def after_an_error(self) -> str:
        """What a person is told when a turn failed."""
        ...

    def told(self, error: Exception) -> str:
        """What a person is told of the error that a turn failed with."""
        ...

    def say(self, text: str) -> AsyncIterator[str]:
        """The reply to `text`, in pieces as they are written."""
        ...

    def answer(self) -> AsyncIterator[str]:
        """The reply to what waits for one, in pieces; nothing when nothing waits."""
        ...

    def resume(self, id: str, answer: dict[str, Any]) -> AsyncIterator[str]:
        """What follows the answer to the interrupt `id`, in pieces."""
        ...

    async def standing(self) -> Standing:
        """How the thread stands."""
        ...


@dataclass(frozen=True, kw_only=True)
class LocalLine:
    """The graph in this process. Terminals on one thread take turns, by a lock in the database."""

    graph: GuardedGraph
    database: Database
    name: str
    context: Context
    on_wait: Callable[[], None]
    after_an_error: str = "what you said is kept; /retry asks again"

    def told(self, error: Exception) -> str:
        return str(error)

    async def say(self, text: str) -> AsyncIterator[str]:
        async with thread_lock(self.database, self._thread, on_wait=self.on_wait):
            async for piece in self._run({"messages": [{"role": "user", "content": text}]}):
                yield piece

    async def answer(self) -> AsyncIterator[str]:
        async with thread_lock(self.database, self._thread, on_wait=self.on_wait):
            snapshot: StateSnapshot = await self.graph.aget_state(self._config)
            pending = any(not task.interrupts for task in snapshot.tasks)
            if due(_standing(snapshot), pending=pending):
                async for piece in self._run(None):
                    yield piece

    async def resume(self, id: str, answer: dict[str, Any]) -> AsyncIterator[str]:
        async with thread_lock(self.database, self._thread, on_wait=self.on_wait):
            async for piece in self._run(Command(resume={id: answer})):
                yield piece

    async def standing(self) -> Standing:
        return _standing(await self.graph.aget_state(self._config))

    async def _run(self, input: dict[str, Any] | Command[Any] | None) -> AsyncIterator[str]:
        modes = ["messages", "updates"]
        run = self.graph.astream(input, self._config, context=self.context, stream_mode=modes)
        pieces = _Pieces()
        async for mode, part in run:
            yield pieces.of_chunk(part[0]) if mode == "messages" else pieces.of_update(part)

    @property
    def _thread(self) -> str:
        return thread_id(self.name)

    @property
    def _config(self) -> Any:
        return {"configurable": {"thread_id": self._thread}}


@dataclass(kw_only=True)
class ServerLine:
    """A LangGraph Server, which queues the messages of one thread itself."""

    url: str
    name: str
    context: Context
    token: str = ""
    """What signs in; empty for a server to which nobody does."""
    after_an_error: str = "/retry sends again what the server did not get, and asks again"
    _unsure: list[dict[str, str]] = field(default_factory=list, init=False)
    """What was said since a turn last ran to its end: a server that died may not have it."""

    def told(self, error: Exception) -> str:
        match error:
            case AuthenticationError():
                return f"{error} (LONGHAUL_TOKEN is what signs in)"
            case NotFoundError():
                return f"the server at {self.url} has lost this reply: {error}"
            case httpx.TransportError():
                return f"--server {self.url!r} does not answer: {error}"
        return str(error)

    async def say(self, text: str) -> AsyncIterator[str]:
        # By its id the server knows a message that it has already.
        self._unsure.append({"role": "user", "content": text, "id": str(uuid4())})
        async for piece in self._run({"messages": self._unsure}):
            yield piece

    async def answer(self) -> AsyncIterator[str]:
        # The dev server forgets a thread that is younger than its last save; the database does not.
        await self._client.threads.create(
            thread_id=self._thread, graph_id=GRAPH, if_exists="do_nothing"
        )
        if self._unsure:
            async for piece in self._run({"messages": self._unsure}):
                yield piece
            return
        found, pending = await self._look()
        if due(found, pending=pending):
            async for piece in self._run(None):
                yield piece

    async def resume(self, id: str, answer: dict[str, Any]) -> AsyncIterator[str]:
        async for piece in self._run(None, {"resume": {id: answer}}):
            yield piece

    async def standing(self) -> Standing:
        found, _ = await self._look()
        return found

    async def _look(self) -> tuple[Standing, bool]:
        state = await self._client.threads.get_state(self._thread)
        values = state["values"] if isinstance(state["values"], dict) else {}
        messages = convert_to_messages(values.get("messages", []))
        unfinished: list[Any] = [t for t in state["tasks"] if t.get("result") is None]
        waiting = {i["id"]: i["value"] for task in unfinished for i in task["interrupts"]}
        return standing(messages, waiting, values.get("person")), any(
            not task["interrupts"] for task in state["tasks"]
        )

    async def _run(
        self, input: dict[str, Any] | None, command: ServerCommand | None = None
    ) -> AsyncIterator[str]:
        made: list[RunCreateMetadata] = []
        run = self._client.runs.stream(
            self._thread,
            GRAPH,
            input=input,
            command=command,
            context={k: v for k, v in asdict(self.context).items() if v},
            stream_mode=["messages-tuple", "updates"],
            stream_resumable=True,
            multitask_strategy="enqueue",
            if_not_exists="create",
            on_run_created=made.append,
        )
        try:
            async for piece in self._read(run):
                yield piece
        except asyncio.CancelledError:
            with CancelScope(shield=True), suppress(NotFoundError):
                for each in made:
                    await self._client.runs.cancel(self._thread, each["run_id"])
            raise
        self._unsure.clear()

    async def _read(self, run: AsyncIterator[StreamPart]) -> AsyncIterator[str]:
        pieces = _Pieces()
        async for part in run:
            if part.event == "error":
                if part.data["error"] == InputRefused.__name__:
                    self._unsure.clear()
                raise ServerError(part.data["message"])
            if part.event == "messages":
                yield pieces.of_chunk(_message(part.data[0]))
            elif part.event == "updates":
                yield pieces.of_update(part.data)

    async def close(self) -> None:
        """Ends the connections."""
        await self._client.aclose()

    @cached_property
    def _client(self) -> LangGraphClient:
        sign_in = {"Authorization": f"Bearer {self.token}"} if self.token else None
        return get_client(url=self.url, headers=sign_in)

    @property
    def _thread(self) -> str:
        return thread_id(self.name)


def due(found: Standing, *, pending: bool) -> bool:
    """Whether a turn broke off: work of it is pending, or a person waits for nothing."""
    return pending or (found.held and not found.waiting)


def _standing(snapshot: StateSnapshot) -> Standing:
    values = snapshot.values
    return standing(values.get("messages", []), waiting_on(snapshot), values.get("person"))


class _Pieces:
    """What is new in each part of a run's stream; a reply that did not stream comes whole."""

    def __init__(self) -> None:
        self._heard: set[str | None] = set()

    def of_chunk(self, chunk: Any) -> str:
        if isinstance(chunk, AIMessageChunk) and chunk.text:
            self._heard.add(chunk.id)
            return chunk.text
        return ""

    def of_update(self, update: dict[str, Any]) -> str:
        messages = (update.get("respond") or {}).get("messages", [])
        replies = [m for m in map(_message, messages) if isinstance(m, AIMessage)]
        return "".join(m.text for m in replies if m.id not in self._heard)


def _message(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    if data["type"] == "AIMessageChunk":
        return AIMessageChunk(content=data["content"], id=data["id"])
    return convert_to_messages([data])[0]
