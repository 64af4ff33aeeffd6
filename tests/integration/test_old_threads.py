"""Threads that an older release wrote, as its rows stand in Postgres, go on under this one."""

import base64
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from psycopg import sql
from psycopg.types.json import Jsonb

from app.model_server.server import ModelServer
from app.model_server.steps import text
from graph.environment import read_settings
from graph.guarded import GuardedGraph
from graph.migrate import migrate
from graph.resources import open_graph
from state.session import SCHEMA_VERSION
from tests.data.make_thread_v1 import BROKEN_OFF, FILE, FINISHED
from tests.integration.doors import user

AT = "2023-11-14T22:14:20.500000+00:00"
"""What `last_seen` of the turn that broke off says."""


def thread(id: str, **place: str) -> RunnableConfig:
    return {"configurable": {"thread_id": id, **place}}


def stored(value: Any) -> Any:
    match value:
        case {"base64": str(data)}:
            return base64.b64decode(data)
        case dict():
            return Jsonb(value)
        case _:
            return value


def restore(url: str) -> None:
    tables = json.loads(FILE.read_text(encoding="utf-8"))
    with psycopg.connect(url) as connection:
        for table, rows in tables.items():
            for row in rows:
                insert = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
                    sql.Identifier(table),
                    sql.SQL(", ").join(map(sql.Identifier, row)),
                    sql.SQL(", ").join(sql.Placeholder() * len(row)),
                )
                connection.execute(insert, [stored(value) for value in row.values()])


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """The model, with nothing to say yet."""
    with ModelServer() as server:
        yield server


@pytest.fixture
async def graph(postgres_url: str, model: ModelServer) -> AsyncIterator[GuardedGraph]:
    """The shipped graph on a database that an older release filled."""
    await migrate(postgres_url)
    restore(postgres_url)
    settings = read_settings(
        _env_file=None,
        OPENAI_BASE_URL=model.base_url,
        database=postgres_url,
        extract_every=1000,  # the script holds replies only
    )
    async with open_graph(settings) as opened:
        yield opened.graph


async def values(graph: GuardedGraph, id: str) -> dict[str, Any]:
    return dict((await graph.aget_state(thread(id))).values)


def said(found: dict[str, Any]) -> list[str]:
    return [message.text for message in found["messages"]]


async def test_a_finished_thread_goes_on(graph: GuardedGraph, model: ModelServer) -> None:
    before = await values(graph, FINISHED)
    assert before["last_seen"] == 1_700_000_060.5
    model.script.add(text("Welcome back."))

    await graph.ainvoke(user("It's me again."), thread(FINISHED))

    after = await values(graph, FINISHED)
    assert said(after) == [*said(before), "It's me again.", "Welcome back."]
    assert (after["turn"], after["schema_version"]) == (3, SCHEMA_VERSION)
    assert after["at"] == after["messages"][-2].additional_kwargs["at"]
    assert after["last_seen"] is None
    roles = [message["role"] for message in model.requests[0].messages]
    assert roles == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]


async def test_a_turn_that_broke_off_is_answered(graph: GuardedGraph, model: ModelServer) -> None:
    model.script.add(text("I am."))

    await graph.ainvoke(None, thread(BROKEN_OFF))

    after = await values(graph, BROKEN_OFF)
    assert said(after) == ["Hello, I'm Bob.", "Answer 1.", "Are you there?", "I am."]
    assert (after["turn"], after["at"], after["last_seen"]) == (2, AT, None)
    assert after["schema_version"] == SCHEMA_VERSION
    asked = model.requests[0].messages[-1]["content"]
    assert asked == (
        "Are you there?\n\n<context>\nNow: Tuesday, 2023-11-14 22:14 (UTC)\n</context>"
    )


async def test_somebody_goes_on_where_a_turn_broke_off(
    graph: GuardedGraph, model: ModelServer
) -> None:
    model.script.add(text("Here I am."))
    await graph.ainvoke(user("Hello?"), thread(BROKEN_OFF))
    after = await values(graph, BROKEN_OFF)
    assert said(after)[2:] == ["Are you there?", "Hello?", "Here I am."]
    assert after["turn"] == 2


async def test_every_old_checkpoint_can_be_read_and_forked(
    graph: GuardedGraph, model: ModelServer
) -> None:
    history = [each async for each in graph.aget_state_history(thread(FINISHED))]
    assert len(history) == 10
    first = next(s for s in history if s.next == () and s.values["turn"] == 1)
    model.script.add(text("Another way."))

    await graph.ainvoke(user("Let us begin anew."), first.config)

    after = await values(graph, FINISHED)
    assert said(after) == ["Hello, I'm Ann.", "Answer 1.", "Let us begin anew.", "Another way."]
    assert after["turn"] == 2


@pytest.mark.parametrize("input", [user("Hello?"), None])
async def test_a_thread_of_a_newer_release_says_so(graph: GuardedGraph, input: Any) -> None:
    newer: Any = {"schema_version": SCHEMA_VERSION + 1}
    await graph.host_update(thread(FINISHED), newer)
    if input is None:
        place = await graph.aupdate_state(thread(FINISHED), user("Hello?"))
    else:
        place = thread(FINISHED)
    with pytest.raises(ValueError, match=f"schema_version {SCHEMA_VERSION + 1} .* newer release"):
        await graph.ainvoke(input, place)
