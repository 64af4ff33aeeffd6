"""Every door of the running server: what is refused says why, and changes nothing.

Crons, webhooks and the protocol of commands create runs as the routes here do; their input comes in
by the same `astream`, whose every payload `tests/integration/test_doors.py` tries.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from app.lines import GRAPH
from tests.integration.doors import (
    ADDRESSES,
    COMMANDS,
    CONTEXTS,
    FIRST,
    NEWEST,
    REFUSED,
    REPLY,
    Json,
    addressed,
    user,
)
from tests.integration.server.knocking import (
    Knock,
    Knocker,
    all_refused,
    by_run,
    by_state,
    by_steps,
    by_stream,
    copied,
    said_by,
)
from tests.integration.server.served import Served
from tests.integration.server.talk import Talk, connected


@pytest.fixture(scope="module")
def settled(shared: Served) -> tuple[str, str]:
    """A thread of two turns, for copies; and the id of its first reply."""

    async def settle() -> tuple[str, str]:
        async with connected(shared.dev.url) as client:
            talk = Talk(client=client)
            await talk.run(user(talk.mark("First"), id=FIRST))
            await talk.run(user(talk.mark("Second"), id=NEWEST))
            return talk.id, (await talk.values())["messages"][1]["id"]

    return asyncio.run(settle())


@pytest.fixture
async def knocker(
    shared: Served, client: LangGraphClient, settled: tuple[str, str]
) -> AsyncIterator[Knocker]:
    """A client with a copy of that thread."""
    original, reply = settled
    limits = httpx.Limits(max_connections=20)
    async with httpx.AsyncClient(base_url=shared.dev.url, timeout=60, limits=limits) as http:
        talk = Talk(client=client, id=await copied(http, original))
        yield Knocker(shared, http, talk, reply)


@pytest.mark.parametrize("knock", [by_run, by_stream, by_state, by_steps])
async def test_refused(knocker: Knocker, knock: Knock) -> None:
    cases = {n: c for n, c in REFUSED.items() if knock is not by_steps or REPLY not in str(c)}
    payloads = addressed({n: payload for n, (payload, _) in cases.items()}, knocker.reply)
    await all_refused(knocker, knock, {n: (payloads[n], cases[n][1]) for n in cases})


async def test_a_thread_that_refused_goes_on(knocker: Knocker) -> None:
    talk = knocker.talk
    for payload, _ in list(REFUSED.values())[:3]:
        assert await by_run(knocker, talk.id, payload)
    words = await talk.say(talk.mark("Still there?"))
    assert len(words) == 6
    assert words[-1] == f"ai: I hear you: {talk.mark('Still there?')}"


async def test_half_a_character_is_not_even_json(knocker: Knocker) -> None:
    body = b'{"assistant_id": "longhaul", "input": {"messages": "half \\ud800"}}'
    headers = {"content-type": "application/json"}
    answer = await knocker.http.post(
        f"/threads/{knocker.talk.id}/runs/wait", content=body, headers=headers
    )
    assert answer.status_code == 422


async def test_a_stateless_run_is_checked_too(knocker: Knocker) -> None:
    payload, said = REFUSED["a system message"]
    answer = await knocker.post("/runs/wait", {"assistant_id": GRAPH, "input": payload})
    assert said in said_by(answer)


async def by_command(knocker: Knocker, thread: str, command: Any) -> str:
    return await knocker.run(thread, command=command)


async def test_commands_may_only_resume(knocker: Knocker) -> None:
    await all_refused(knocker, by_command, COMMANDS)


async def test_a_resume_where_nothing_waits_is_refused(knocker: Knocker) -> None:
    before = await knocker.talk.words()
    said = await knocker.run(knocker.talk.id, command={"resume": "yes"})
    assert said == "nothing waits for an answer: command field 'resume' is refused"
    assert await knocker.talk.words() == before


async def by_place_of_a_run(knocker: Knocker, thread: str, checkpoint: Any) -> str:
    return await knocker.run(thread, input=user("Hi"), checkpoint=checkpoint)


async def by_place_of_a_state(knocker: Knocker, thread: str, checkpoint: Any) -> str:
    body = {"values": user("Hi"), "checkpoint": checkpoint}
    return said_by(await knocker.post(f"/threads/{thread}/state", body))


@pytest.mark.parametrize("knock", [by_place_of_a_run, by_place_of_a_state])
async def test_an_address_that_is_none(knocker: Knocker, knock: Knock) -> None:
    await all_refused(knocker, knock, ADDRESSES)


async def test_a_thread_of_another_name_cannot_be_put_in(knocker: Knocker) -> None:
    other = await knocker.copy()
    before = knocker.rows(other)
    words = knocker.talk.mark("Mine")
    await knocker.run(knocker.talk.id, input=user(words), checkpoint={"thread_id": other})
    mine = knocker.talk.mark("Mine too")
    await knocker.run(
        knocker.talk.id, input=user(mine), config={"configurable": {"thread_id": other}}
    )
    assert knocker.rows(other) == before
    assert {f"human: {words}", f"human: {mine}"} < set(await knocker.talk.words())


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "state/a%00b", None),
        ("POST", "state", {"values": user("Hi"), "checkpoint_id": "a\x00b"}),
        ("POST", "history", {"before": {"checkpoint_id": "a\x00b"}}),
        ("POST", "history", {"metadata": {"source": "a\x00b"}}),
    ],
)
async def test_what_no_store_can_hold_cannot_be_looked_for(
    knocker: Knocker, method: str, path: str, body: Json | None
) -> None:
    url = f"/threads/{knocker.talk.id}/{path}"
    answer = await knocker.http.request(method, url, json=body)
    assert answer.status_code == 400
    assert "cannot be looked for" in said_by(answer)


async def by_context(knocker: Knocker, thread: str, context: Any) -> str:
    return await knocker.run(thread, input=user("Hi"), context=context)


async def test_a_context_that_is_refused(knocker: Knocker) -> None:
    await all_refused(knocker, by_context, CONTEXTS)


async def test_what_a_client_may_not_choose_is_passed_over(knocker: Knocker) -> None:
    chosen = {"base_url": "http://example.org", "openai_api_key": "sk-1", "user": "ann"}
    words = knocker.talk.mark("To your own server")
    assert await knocker.run(knocker.talk.id, input=user(words), context=chosen) == ""
    assert len(knocker.served.requests(words)) == 1
    assert knocker.served.holding("sk-1") == []


@pytest.mark.parametrize("node", ["respond", "tools", "__input__", "__copy__", "__end__"])
@pytest.mark.parametrize("values", [user("Hi"), None, [[{"turn": 9}, "respond"]]])
async def test_nobody_writes_as_a_node(knocker: Knocker, node: str, values: Any) -> None:
    if (node, values) == ("__copy__", None):
        return  # a fork, as Studio makes it
    before = knocker.rows(knocker.talk.id)
    body = {"values": values, "as_node": node}
    answer = await knocker.post(f"/threads/{knocker.talk.id}/state", body)
    assert "state cannot be written as node" in said_by(answer)
    assert knocker.rows(knocker.talk.id) == before


async def test_a_step_cannot_hold_a_command(knocker: Knocker) -> None:
    update = {"command": {"update": {"turn": 9}}, "as_node": "__start__"}
    body = {"metadata": {"graph_id": GRAPH}, "supersteps": [{"updates": [update]}]}
    assert "input must be an object" in said_by(await knocker.post("/threads", body))


async def test_metadata_of_a_thread_is_not_its_state(knocker: Knocker) -> None:
    before = await knocker.talk.values(), knocker.rows(knocker.talk.id)
    forged = {"metadata": {"turn": 9}, "values": {"turn": 9}}
    answer = await knocker.http.patch(f"/threads/{knocker.talk.id}", json=forged)
    assert answer.status_code == 200
    assert (await knocker.talk.values(), knocker.rows(knocker.talk.id)) == before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/store/items", {"namespace": ["longhaul"], "key": "k", "value": {}}),
        ("DELETE", "/store/items", {"namespace": ["longhaul"], "key": "k"}),
        ("GET", "/store/items?namespace=longhaul&key=k", None),
        ("POST", "/store/items/search", {"namespace_prefix": []}),
        ("POST", "/store/namespaces", {}),
    ],
)
async def test_the_store_has_no_door(
    knocker: Knocker, method: str, path: str, body: Json | None
) -> None:
    """langgraph.json takes its routes away: `disable_store`."""
    items = "SELECT count(*) FROM store"
    before = knocker.served.rows(items)
    answer = await knocker.http.request(method, path, json=body)
    assert answer.status_code == 404
    assert knocker.served.rows(items) == before


async def test_another_protocol_is_another_way_to_the_same_door(
    knocker: Knocker, client: LangGraphClient
) -> None:
    """Agent2Agent: a text is a user's message, data is a field, and an agent may say nothing."""
    [assistant] = await client.assistants.search(graph_id=GRAPH)
    words = knocker.talk.mark("By another protocol")

    async def send(role: str, *parts: Json) -> str:
        message = {"role": role, "parts": parts, "messageId": "m1", "contextId": knocker.talk.id}
        call = {"jsonrpc": "2.0", "id": "1", "method": "message/send"}
        body = {**call, "params": {"message": message}}
        answer = await knocker.post(f"/a2a/{assistant['assistant_id']}", body)
        return str(answer.json()["result"]["status"])

    text, data = {"kind": "text", "text": words}, {"kind": "data", "data": {"turn": 9}}
    before = knocker.rows(knocker.talk.id)
    assert "InputRefused" in await send("agent", text)
    assert "InputRefused" in await send("user", text, data)
    assert knocker.rows(knocker.talk.id) == before
    assert "completed" in await send("user", text)
    assert (await knocker.talk.words())[-2] == f"human: {words}"
