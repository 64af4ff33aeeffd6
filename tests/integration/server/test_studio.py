"""What LangGraph Studio asks a server for, to draw the graph and the forms."""

from collections.abc import Iterator
from typing import Any

from langgraph_sdk.client import LangGraphClient

from app.lines import GRAPH
from state.context import Context
from state.session import SessionInput, SessionState
from tests.integration.server.served import Served
from tests.integration.server.talk import Json, Talk


def values_of(key: str, schema: object) -> Iterator[Any]:
    """Every value that a key has anywhere in a JSON schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get(key), str):
            yield schema[key]
        for each in schema.values():
            yield from values_of(key, each)
    elif isinstance(schema, list):
        for each in schema:
            yield from values_of(key, each)


async def schemas(client: LangGraphClient) -> Json:
    [assistant] = await client.assistants.search(graph_id=GRAPH)
    found: Any = await client.assistants.get_schemas(assistant["assistant_id"])
    return dict(found)


async def test_the_graph_is_drawn(client: LangGraphClient) -> None:
    drawn: Any = await client.assistants.get_graph(GRAPH)

    edges = {(edge["source"], edge["target"]) for edge in drawn["edges"]}
    assert {
        ("__start__", "load_memory"),
        ("load_memory", "respond"),
        ("respond", "tools"),
        ("tools", "respond"),
    } <= edges
    assert {node["id"] for node in drawn["nodes"]} == {end for edge in edges for end in edge}


async def test_the_context_is_a_form(client: LangGraphClient) -> None:
    form = (await schemas(client))["context_schema"]

    assert form["title"] == "Context"
    assert form["properties"].keys() == Context.__annotations__.keys()
    for field in form["properties"].values():
        assert field["type"] == "string"
        assert field["title"]
        assert field["description"]
        assert field["default"] == ""


async def test_the_state_and_the_input_are_forms(client: LangGraphClient) -> None:
    found = await schemas(client)

    assert found["state_schema"]["properties"].keys() == SessionState.__annotations__.keys()
    assert found["input_schema"]["properties"].keys() == SessionInput.__annotations__.keys()
    for name in ("state_schema", "input_schema", "output_schema"):
        defined = {f"#/$defs/{each}" for each in found[name]["$defs"]}
        for field in found[name]["properties"].values():
            assert field.keys() & {"type", "anyOf", "$ref"}, field
        assert set(values_of("$ref", found[name])) <= defined


async def test_the_context_of_a_run_is_heeded(shared: Served, talk: Talk) -> None:
    words = talk.mark("Who are you?")

    await talk.say(words, context={"persona": "companion", "time_zone": "Pacific/Kiritimati"})

    [request] = shared.requests(words)
    assert "Marlow" in request.messages[0]["content"]
    assert "(Pacific/Kiritimati)" in request.messages[-1]["content"]
