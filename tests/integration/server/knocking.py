"""Clients that knock at the running server's doors, at copies of one thread."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import uuid4

import httpx

from app.lines import GRAPH
from tests.integration.doors import FIRST, NEWEST, Json
from tests.integration.server.served import Served
from tests.integration.server.talk import Talk


class Knocker:
    """A client that speaks plain HTTP, and copies of one thread to knock at."""

    def __init__(self, served: Served, http: httpx.AsyncClient, talk: Talk, reply: str) -> None:
        self.served = served
        self.http = http
        self.talk = talk
        self.reply = reply
        """Id of the thread's first reply."""

    async def copy(self) -> str:
        return await copied(self.http, self.talk.id)

    async def post(self, path: str, body: Any) -> httpx.Response:
        return await self.http.post(path, json=body)

    async def run(self, thread: str, **body: Any) -> str:
        """What a run that is waited for says in the end."""
        answer = await self.post(f"/threads/{thread}/runs/wait", {"assistant_id": GRAPH, **body})
        return said_by(answer)

    def rows(self, thread: str) -> list[tuple[Any, ...]]:
        """What the database holds of a thread, and how much."""
        return self.served.rows(
            "SELECT 'checkpoints', count(*) FROM checkpoints WHERE thread_id = %s UNION ALL "
            "SELECT 'writes', count(*) FROM checkpoint_writes WHERE thread_id = %s UNION ALL "
            "SELECT 'blobs', count(*) FROM checkpoint_blobs WHERE thread_id = %s UNION ALL "
            "SELECT 'items', count(*) FROM store WHERE prefix LIKE '%%' || %s || '%%'",
            *[thread] * 4,
        )


async def copied(http: httpx.AsyncClient, thread: str) -> str:
    """The id of a copy of a thread."""
    return str((await http.post(f"/threads/{thread}/copy")).json()["thread_id"])


def said_by(answer: httpx.Response) -> str:
    """Why a request or its run was refused; empty if it was not."""
    if answer.status_code >= 400:
        return str(answer.json()["detail"])
    failure: Json = answer.json().get("__error__", {})
    return str(failure.get("message", ""))


Knock = Callable[[Knocker, str, Any], Awaitable[str]]


async def by_run(knocker: Knocker, thread: str, payload: Any) -> str:
    return await knocker.run(thread, input=payload)


async def by_stream(knocker: Knocker, thread: str, payload: Any) -> str:
    client = knocker.talk.client
    parts = [p async for p in client.runs.stream(thread, GRAPH, input=payload)]
    assert {part.event for part in parts} == {"metadata", "error"}
    return str(parts[-1].data["message"])


async def by_state(knocker: Knocker, thread: str, payload: Any) -> str:
    return said_by(await knocker.post(f"/threads/{thread}/state", {"values": payload}))


async def by_steps(knocker: Knocker, thread: str, payload: Any) -> str:
    """As a client does that brings a whole thread; the known ids are of a step before."""
    known = {"messages": [{"role": "user", "content": "Hi", "id": i} for i in (FIRST, NEWEST)]}
    updates = [{"values": values, "as_node": "__start__"} for values in (known, payload)]
    made = str(uuid4())
    body = {
        "thread_id": made,
        "metadata": {"graph_id": GRAPH},
        "supersteps": [{"updates": [update]} for update in updates],
    }
    said = said_by(await knocker.post("/threads", body))
    assert knocker.rows(made) == [(name, 0) for name, _ in knocker.rows(thread)]
    return said


async def all_refused(knocker: Knocker, knock: Knock, cases: Mapping[str, tuple[Any, str]]) -> None:
    """Each case at a copy of the thread, all at once."""

    async def refuse(payload: Any) -> str:
        thread = await knocker.copy()
        before = await asyncio.to_thread(knocker.rows, thread)
        said = await knock(knocker, thread, payload)
        assert await asyncio.to_thread(knocker.rows, thread) == before
        return said

    texts = await asyncio.gather(*(refuse(payload) for payload, _ in cases.values()))
    for (name, (_, said)), text in zip(cases.items(), texts, strict=True):
        assert said in text, name
