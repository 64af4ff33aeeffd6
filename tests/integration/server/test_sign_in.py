"""Two users of one server: every route and verb, tried with the other's token and with forged ones.

The rows are checked against the routes that the server itself lists, so that a route which comes
with a newer LangGraph fails this test until somebody has said what it may do.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.errors import AuthenticationError
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from app.lines import GRAPH
from app.open_line import open_line
from graph.environment import read_settings
from state.context import Context
from tests.integration.scripted_talk import Plot, new_thread, open_talk
from tests.integration.server.served import Served, served
from tests.integration.server.signing_in import SIGN_IN, as_user, forged, token
from tests.integration.server.talk import Talk

SECRET_WORDS = "LH20481137"
"""What Ann alone knows."""
EVERY_HOUR = "0 * * * *"

OPEN = {
    ("GET", path)
    for path in ("/", "/ok", "/info", "/metrics", "/docs", "/openapi.json", "/app", "/app/{path}")
}
"""What tells nothing of anybody."""


@dataclass(frozen=True)
class Anns:
    """What Ann has on the server."""

    thread: str
    run: str
    cron: str
    checkpoint: str
    assistant: str
    fact: str

    def path(self, template: str) -> str:
        named = {
            "thread_id": self.thread,
            "thread": self.thread,
            "run_id": self.run,
            "cron_id": self.cron,
            "checkpoint_id": self.checkpoint,
            "assistant_id": self.assistant,
            "namespace": "x",
            "fact": self.fact,
            "graph_id": GRAPH,
            "operation_id": "x",
        }
        return template.format(**named)

    @property
    def runs(self) -> dict[str, Any]:
        """A run that would answer in Ann's thread."""
        said = {"messages": [{"role": "user", "content": "What do you know?"}]}
        return {"assistant_id": self.assistant, "input": said}


ITEM = {"namespace": ["longhaul"], "key": "k", "value": {}}
FOUND_NOTHING: tuple[Any, ...] = ([], 0)

REFUSED: dict[tuple[str, str], Any] = {
    ("POST", "/assistants"): {"graph_id": GRAPH},
    ("DELETE", "/assistants/{assistant_id}"): None,
    ("PATCH", "/assistants/{assistant_id}"): {"name": "mine"},
    ("POST", "/assistants/{assistant_id}/latest"): {"version": 1},
    ("POST", "/threads/prune"): {"thread_ids": ["{thread_id}"], "strategy": "delete"},
    ("GET", "/threads/{thread_id}"): None,
    ("PATCH", "/threads/{thread_id}"): {"metadata": {"owner": "bob"}},
    ("DELETE", "/threads/{thread_id}"): None,
    ("GET", "/threads/{thread_id}/storage"): None,
    ("GET", "/threads/{thread_id}/state"): None,
    ("POST", "/threads/{thread_id}/state"): {"values": {"messages": []}},
    ("GET", "/threads/{thread_id}/state/{checkpoint_id}"): None,
    ("POST", "/threads/{thread_id}/state/checkpoint"): {
        "checkpoint": {"checkpoint_id": "{checkpoint_id}", "checkpoint_ns": ""}
    },
    ("GET", "/threads/{thread_id}/history"): None,
    ("POST", "/threads/{thread_id}/history"): {},
    ("POST", "/threads/{thread_id}/copy"): None,
    ("GET", "/threads/{thread_id}/stream"): None,
    ("POST", "/threads/{thread_id}/stream/events"): {"channels": ["messages"]},
    ("POST", "/threads/{thread_id}/commands"): {
        "id": 1,
        "method": "run.start",
        "params": {"assistant_id": GRAPH, "input": {"messages": []}},
    },
    ("GET", "/threads/{thread_id}/runs"): None,
    ("POST", "/threads/{thread_id}/runs"): "runs",
    ("POST", "/threads/{thread_id}/runs/stream"): "runs",
    ("POST", "/threads/{thread_id}/runs/wait"): "runs",
    ("POST", "/threads/{thread_id}/runs/crons"): {
        "assistant_id": "{assistant_id}",
        "schedule": EVERY_HOUR,
    },
    ("GET", "/threads/{thread_id}/runs/{run_id}"): None,
    ("DELETE", "/threads/{thread_id}/runs/{run_id}"): None,
    ("GET", "/threads/{thread_id}/runs/{run_id}/join"): None,
    ("GET", "/threads/{thread_id}/runs/{run_id}/stream"): None,
    ("POST", "/threads/{thread_id}/runs/{run_id}/cancel"): None,
    ("POST", "/runs/cancel"): {"thread_id": "{thread_id}", "run_ids": ["{run_id}"]},
    ("GET", "/runs/crons/{cron_id}"): None,
    ("PATCH", "/runs/crons/{cron_id}"): {"enabled": False},
    ("DELETE", "/runs/crons/{cron_id}"): None,
    ("PUT", "/store/items"): ITEM,
    ("DELETE", "/store/items"): ITEM,
    ("GET", "/store/items"): None,
    ("POST", "/store/items/search"): {"namespace_prefix": []},
    ("POST", "/store/namespaces"): {},
    ("GET", "/.well-known/agent-card.json"): None,
    ("GET", "/a2a/{assistant_id}"): None,
    ("POST", "/a2a/{assistant_id}"): {"jsonrpc": "2.0", "id": "1", "method": "tasks/get"},
    ("DELETE", "/a2a/{assistant_id}"): None,
    ("GET", "/a2a/{assistant_id}/.well-known/agent-card.json"): None,
    ("GET", "/a2a/{assistant_id}/.well-known/agent.json"): None,
    **{(verb, path): {} for verb in ("GET", "POST", "DELETE") for path in ("/mcp", "/mcp/")},
    ("POST", "/ui/{graph_id}"): {},
    ("GET", "/memory/threads/{thread}"): None,
    ("GET", "/memory/threads/{thread}/facts"): None,
    ("POST", "/memory/threads/{thread}/facts"): {"kind": "note", "value": "x"},
    ("PUT", "/memory/threads/{thread}/facts/{fact}"): {"value": "LH99999999"},
    ("DELETE", "/memory/threads/{thread}/facts/{fact}"): None,
    ("GET", "/memory/threads/{thread}/transcript"): None,
    ("GET", "/memory/threads/{thread}/export"): None,
    ("DELETE", "/memory/threads/{thread}"): None,
    # What LangGraph Server does not list, and what is not there:
    ("GET", "/internal/debug/thread/{thread_id}"): None,
    ("POST", "/internal/truncate"): None,
    ("GET", "/deploy"): None,
    ("POST", "/deploy"): {},
    ("GET", "/deploy/{operation_id}/stream"): None,
    ("POST", "/app"): {},
    ("PUT", "/memory/profile/{fact}"): {"value": "Mallory"},
    ("DELETE", "/memory/profile/{fact}"): None,
}
"""What the other user may not do, with the body that would do it."""

OWN: dict[tuple[str, str], tuple[Any, str]] = {
    ("POST", "/assistants/search"): ({}, "shared"),
    ("POST", "/assistants/count"): ({}, "shared"),
    ("GET", "/assistants/{assistant_id}"): (None, "shared"),
    ("GET", "/assistants/{assistant_id}/graph"): (None, "shared"),
    ("GET", "/assistants/{assistant_id}/subgraphs"): (None, "shared"),
    ("GET", "/assistants/{assistant_id}/subgraphs/{namespace}"): (None, "shared"),
    ("GET", "/assistants/{assistant_id}/schemas"): (None, "shared"),
    ("POST", "/assistants/{assistant_id}/versions"): ({}, "shared"),
    ("POST", "/threads"): ({}, "own"),
    ("POST", "/threads/search"): ({"metadata": {"owner": "ann"}}, "nothing"),
    ("POST", "/threads/count"): ({"metadata": {"owner": "ann"}}, "nothing"),
    ("POST", "/runs/crons/search"): ({"thread_id": "{thread_id}"}, "nothing"),
    ("POST", "/runs/crons/count"): ({"thread_id": "{thread_id}"}, "nothing"),
    ("POST", "/runs/crons"): ({"assistant_id": GRAPH, "schedule": EVERY_HOUR}, "own"),
    ("POST", "/runs"): ("runs", "own"),
    ("POST", "/runs/stream"): ("runs", "own"),
    ("POST", "/runs/wait"): ("runs", "own"),
    ("POST", "/runs/batch"): (["runs"], "own"),
    ("GET", "/memory/profile"): (None, "own"),
    ("POST", "/memory/profile"): ({"kind": "preference", "value": "mornings"}, "own"),
    ("GET", "/memory/export"): (None, "own"),
    ("DELETE", "/memory/me"): (None, "own"),
    ("GET", "/memory/openapi.json"): (None, "shared"),
    ("GET", "/memory/export/schema.json"): (None, "shared"),
}
"""What the other user may do for themselves: they find nothing of Ann's."""


@pytest.fixture(scope="module")
def signed(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server to which users sign in."""
    with served(postgres_server, tmp_path_factory.mktemp("signed"), settings=SIGN_IN) as running:
        yield running


@pytest.fixture(scope="module")
def anns(signed: Served) -> Anns:
    """What Ann has there, after a turn."""

    async def settle() -> Anns:
        async with get_client(url=signed.dev.url, headers=as_user("ann")) as client:
            talk = Talk(client=client)
            run = await talk.begin(
                {"messages": [{"role": "user", "content": f"It is about {SECRET_WORDS}."}]}
            )
            assert await talk.end(run) == "success"
            state: Any = await client.threads.get_state(talk.id)
            cron: Any = await client.crons.create(GRAPH, schedule=EVERY_HOUR)
            [assistant] = await client.assistants.search(graph_id=GRAPH)
            facts: Any = await client.http.get(f"/memory/threads/{talk.id}/facts")
            [fact] = facts["facts"]
            assert fact["value"] == SECRET_WORDS
            return Anns(
                thread=talk.id,
                run=run,
                cron=cron["cron_id"],
                checkpoint=state["checkpoint"]["checkpoint_id"],
                assistant=assistant["assistant_id"],
                fact=fact["id"],
            )

    return asyncio.run(settle())


@pytest.fixture
async def http(signed: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=signed.dev.url, timeout=30) as client:
        yield client


def filled(body: Any, anns: Anns) -> Any:
    """`body` with Ann's ids in their places."""
    match body:
        case "runs":
            return anns.runs
        case str():
            return anns.path(body)
        case dict():
            return {key: filled(value, anns) for key, value in body.items()}
        case list():
            return [filled(each, anns) for each in body]
    return body


async def knock(
    http: httpx.AsyncClient, anns: Anns, where: tuple[str, str], body: Any, sign: dict[str, str]
) -> httpx.Response:
    method, template = where
    content = None if body is None else filled(body, anns)
    return await http.request(method, anns.path(template), json=content, headers=sign)


async def routes(http: httpx.AsyncClient) -> set[tuple[str, str]]:
    """Every route and verb that the server says it has, ours included."""
    verbs = {"get", "post", "put", "patch", "delete"}
    listed = (await http.get("/openapi.json")).json()["paths"]
    ours = (await http.get("/memory/openapi.json", headers=as_user("ann"))).json()["paths"]
    return {
        (verb.upper(), path)
        for paths in (listed, ours)
        for path, told in paths.items()
        for verb in told
        if verb in verbs
    }


def is_refused(answer: httpx.Response) -> bool:
    """Whether nothing was done, and nothing told; a stream that has begun says so in its words.

    409 is how the server says that there is nothing to copy, 501 that it counts no bytes here, and
    a stream of events that ends without one has nobody to listen to.
    """
    if answer.status_code == 200:
        return answer.text == "" or "404: " in answer.text
    return answer.status_code in (403, 404, 409, 501)


async def test_every_route_has_its_row(http: httpx.AsyncClient) -> None:
    assert await routes(http) - OPEN - {*REFUSED} - {*OWN} == set()


async def test_nobody_gets_in_where_they_do_not_belong(
    signed: Served, http: httpx.AsyncClient, anns: Anns
) -> None:
    rows = {**REFUSED, **{where: body for where, (body, _) in OWN.items()}}
    before = await asyncio.to_thread(kept, signed, anns.thread)
    strangers = forged("ann")
    answers = {
        f"{who}: {' '.join(where)}": await knock(http, anns, where, body, sign)
        for who, sign in strangers.items()
        for where, body in rows.items()
    }
    wrong = {row: a.status_code for row, a in answers.items() if a.status_code not in (401, 404)}
    assert wrong == {}
    assert [row for row, answer in answers.items() if SECRET_WORDS in answer.text] == []
    missing = {row for row, answer in answers.items() if answer.status_code == 404}
    assert {row for row in missing if not row.partition(" /")[2].startswith(NOT_THERE)} == set()
    assert await asyncio.to_thread(kept, signed, anns.thread) == before


NOT_THERE = ("a2a", "mcp", ".well-known", "internal", "deploy")
"""What a server that users sign in to does not serve at all."""


async def test_the_other_user_gets_at_nothing(
    signed: Served, http: httpx.AsyncClient, anns: Anns
) -> None:
    before = await asyncio.to_thread(kept, signed, anns.thread)
    bob = as_user("bob")
    answers = {
        " ".join(where): await knock(http, anns, where, body, bob)
        for where, body in REFUSED.items()
    }
    wrong = {row: (a.status_code, a.text) for row, a in answers.items() if not is_refused(a)}
    assert wrong == {}
    own = {
        " ".join(where): (await knock(http, anns, where, body, bob), finds)
        for where, (body, finds) in OWN.items()
    }
    assert {row: a.text for row, (a, _) in own.items() if a.status_code != 200} == {}
    nothing = {row: a.json() for row, (a, finds) in own.items() if finds == "nothing"}
    assert {row: found for row, found in nothing.items() if found not in FOUND_NOTHING} == {}
    every = [*answers.values(), *(answer for answer, _ in own.values())]
    assert [a.url for a in every if SECRET_WORDS in a.text] == []
    assert await asyncio.to_thread(kept, signed, anns.thread) == before


async def test_no_detour_leads_into_anothers_thread(
    signed: Served, http: httpx.AsyncClient, anns: Anns
) -> None:
    before = await asyncio.to_thread(kept, signed, anns.thread)
    bob, mine = as_user("bob"), str(uuid4())
    await http.post("/threads", json={"thread_id": mine}, headers=bob)
    there = {"thread_id": anns.thread}
    said = {"messages": [{"role": "user", "content": "What do you know?"}]}
    run = {"assistant_id": GRAPH, "input": said}
    detours = [
        ("/threads", {"thread_id": anns.thread, "if_exists": "do_nothing"}),
        ("/threads", {"thread_id": anns.thread, "if_exists": "raise"}),
        ("/threads", {"supersteps": [{"updates": [{"values": said, "as_node": "__start__"}]}]}),
        ("/runs/wait", {**run, "config": {"configurable": there}}),
        ("/runs/wait", {**run, "context": {"user": "ann"}}),
        ("/runs/wait", {**run, "metadata": {"owner": "ann", **there}}),
        (f"/threads/{mine}/runs/wait", {**run, "config": {"configurable": there}}),
        (f"/threads/{mine}/runs/wait", {**run, "checkpoint_id": anns.checkpoint}),
        (
            f"/threads/{mine}/runs/wait",
            {**run, "checkpoint": {**there, "checkpoint_id": anns.checkpoint}},
        ),
        (f"/threads/{anns.thread}/runs/wait", {**run, "if_not_exists": "create"}),
        (
            f"/threads/{mine}/state/checkpoint",
            {"checkpoint": {**there, "checkpoint_id": anns.checkpoint, "checkpoint_ns": ""}},
        ),
        (f"/threads/{mine}/history", {"checkpoint": {**there, "checkpoint_id": anns.checkpoint}}),
    ]
    for path, body in detours:
        answer = await http.post(path, json=body, headers=bob)
        assert SECRET_WORDS not in answer.text, (path, body)
        assert answer.status_code < 500, (path, body)
    assert await asyncio.to_thread(kept, signed, anns.thread) == before
    found = await http.post("/threads/search", json={"metadata": {}}, headers=as_user("ann"))
    assert [each["thread_id"] for each in found.json()] == [anns.thread]


async def test_nobody_listens_in(signed: Served, http: httpx.AsyncClient, anns: Anns) -> None:
    """The streams of a thread's events: what the server refuses of them it refuses late."""
    mark = f"Whisper {uuid4().hex}"
    path = f"/threads/{anns.thread}/stream/events"

    async def streamed(sign: dict[str, str]) -> str:
        heard = b""
        with suppress(TimeoutError, httpx.ReadTimeout):
            async with (
                asyncio.timeout(4),
                http.stream(
                    "POST", path, json={"channels": ["values", "messages"]}, headers=sign
                ) as stream,
            ):
                async for chunk in stream.aiter_bytes():
                    heard += chunk
        return heard.decode()

    async def socketed(sign: dict[str, str]) -> str:
        heard = ""
        url = signed.dev.url.replace("http", "ws") + path
        with suppress(TimeoutError, ConnectionClosed, InvalidStatus):
            async with (
                asyncio.timeout(4),
                connect(url, additional_headers=sign) as socket,
            ):
                subscribe = {"channels": ["values", "messages"]}
                asked = {"id": 1, "method": "subscription.subscribe", "params": subscribe}
                await socket.send(json.dumps(asked))
                async for message in socket:
                    heard += str(message)
        return heard

    listeners = [as_user("ann"), as_user("bob"), *forged("ann").values()]
    listening = [asyncio.create_task(by(sign)) for sign in listeners for by in (streamed, socketed)]
    await asyncio.sleep(1)
    said = {"messages": [{"role": "user", "content": mark}]}
    run = {"id": 1, "method": "run.start", "params": {"assistant_id": GRAPH, "input": said}}
    answer = await http.post(f"/threads/{anns.thread}/commands", json=run, headers=as_user("ann"))
    assert answer.json()["type"] == "success", answer.text
    heard = [mark in text for text in await asyncio.gather(*listening)]
    assert heard == [True, True] + [False] * (len(heard) - 2)


def kept(signed: Served, thread: str) -> list[tuple[Any, ...]]:
    """What the database holds of a thread, and how much."""
    return signed.rows(
        "SELECT 'checkpoints', count(*), max(checkpoint_id) FROM checkpoints "
        "WHERE thread_id = %s UNION ALL "
        "SELECT 'items', count(*), md5(string_agg(value::text, '' ORDER BY prefix, key)) "
        "FROM store WHERE prefix LIKE '%%' || %s || '%%'",
        thread,
        thread,
    )


async def test_the_context_names_nobody_where_users_sign_in(
    signed: Served, http: httpx.AsyncClient
) -> None:
    likes = {"kind": "preference", "value": "whispers at dawn"}
    await http.post("/memory/profile", json=likes, headers=as_user("ann"))

    async def asked(user: str, named: str) -> str:
        words = f"I am {uuid4().hex}"
        said = {"messages": [{"role": "user", "content": words}]}
        run = {"assistant_id": GRAPH, "input": said, "context": {"user": named}}
        answer = await http.post("/runs/wait", json=run, headers=as_user(user))
        assert answer.status_code == 200
        return str(signed.requests(words)[-1].chat.messages)

    assert likes["value"] in await asked("ann", "bob")
    assert likes["value"] not in await asked("bob", "ann")


async def test_a_thread_that_the_server_lost_is_still_its_owners(
    signed: Served, http: httpx.AsyncClient, anns: Anns
) -> None:
    """As after a crash of the dev server, whose own list is saved now and then."""
    lost = new_thread()
    async with open_talk(signed.database, Plot()) as terminal:
        await terminal.say(f"{SECRET_WORDS} again", lost, after=timedelta(0), user="ann")
    bob = as_user("bob")
    for path, body in (
        ("/threads", {"thread_id": lost, "if_exists": "do_nothing"}),
        (f"/threads/{lost}/runs/wait", {**anns.runs, "if_not_exists": "create"}),
    ):
        answer = await http.post(path, json=body, headers=bob)
        assert answer.status_code == 404, answer.text
    answer = await http.post("/threads", json={"thread_id": lost}, headers=as_user("ann"))
    assert answer.status_code == 200


async def test_the_terminal_signs_in_by_its_setting(signed: Served) -> None:
    async def said(**settings: str) -> str:
        chosen = read_settings(_env_file=None, **settings)
        async with open_line(signed.dev.url, thread, Context(), chosen) as line:
            return "".join([piece async for piece in line.say("Hello!")])

    thread = new_thread()
    with pytest.raises(AuthenticationError, match="a bearer token is missing"):
        await said()
    assert await said(token=token("ann")) == "I hear you: Hello!"
