"""Replies that are odd but whole: what of them is kept, shown, counted and sent again."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from langchain_core.runnables import RunnableConfig

from app.model_server import faults
from app.model_server.recorder import RecordedRequest
from app.model_server.server import ModelServer
from app.model_server.steps import HttpAnswer, Step, Usage, call, text, tool_calls
from graph.environment import read_settings
from graph.guarded import GuardedGraph
from graph.migrate import migrate
from graph.resources import open_graph
from nodes.asking import ModelError
from tests.integration.doors import user
from tests.integration.server.dev_server import free_port
from tests.integration.server.served import fresh_database

pytestmark = pytest.mark.asyncio(loop_scope="module")

PARCEL = {"number": "LH20481137"}
LOOK_UP = call("look_up_parcel", PARCEL)


class Talk:
    """A thread with a scripted model."""

    def __init__(self, graph: GuardedGraph, model: ModelServer) -> None:
        self.graph = graph
        self.model = model
        self.thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}

    async def say(self, *steps: Step, words: str = "Hello", **choices: Any) -> list[Any]:
        """What one turn adds behind the user's words."""
        before = len(await self.messages())
        self.model.script.add(*steps)
        context: Any = choices
        await self.graph.ainvoke(user(words), self.thread, context=context)
        return (await self.messages())[before + 1 :]

    async def fail(self, *steps: Step) -> str:
        """The error that one turn ends in."""
        with pytest.raises(ModelError) as caught:
            await self.say(*steps)
        return str(caught.value)

    async def values(self) -> dict[str, Any]:
        return dict((await self.graph.aget_state(self.thread)).values)

    async def messages(self) -> list[Any]:
        return list((await self.values()).get("messages", []))

    @property
    def sent(self) -> RecordedRequest:
        """The newest request."""
        return self.model.requests[-1]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def database(postgres_server: str) -> AsyncIterator[str]:
    """A database for all threads."""
    with fresh_database(postgres_server) as url:
        await migrate(url)
        yield url


@asynccontextmanager
async def talking(database: str, **more: Any) -> AsyncIterator[Talk]:
    """A new thread of the shipped graph; its model server takes what a strict provider takes."""
    with ModelServer() as model:
        given: dict[str, Any] = {"OPENAI_BASE_URL": model.base_url, "model": "main", **more}
        settings = read_settings(
            _env_file=None,
            database=database,
            extract_every=1000,  # the scripts hold replies only
            **given,
        )
        async with open_graph(settings) as opened:
            yield Talk(opened.graph, model)


@pytest_asyncio.fixture(loop_scope="module")
async def talk(database: str) -> AsyncIterator[Talk]:
    """A new thread with the usual settings."""
    async with talking(database) as made:
        yield made


def raw(*deltas: dict[str, Any]) -> HttpAnswer:
    """A stream of these deltas, without usage."""
    ends = [*((delta, None) for delta in deltas), ({}, "stop")]
    choices = [{"index": 0, "delta": delta, "finish_reason": end} for delta, end in ends]
    events = [json.dumps({"model": "m", "choices": [choice]}) for choice in choices]
    body = "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"]).encode()
    return HttpAnswer(status=200, body=body, media_type="text/event-stream")


async def test_the_seconds_of_retry_after_are_waited(talk: Talk) -> None:
    await talk.say(faults.rate_limited(retry_after=1.2), text("At last."))
    first, second = talk.model.requests
    assert second.at - first.at >= 1.2


async def test_a_refusal_is_streamed_and_stored_as_the_reply(talk: Talk) -> None:
    talk.model.script.add(faults.refusal("I can't help with that."))
    pieces = []
    async for chunk, _ in talk.graph.astream(user("Hello"), talk.thread, stream_mode="messages"):
        pieces.append(chunk.text)
    assert len(pieces) > 3
    assert "".join(pieces) == "I can't help with that."
    [_, reply] = await talk.messages()
    assert reply.text == "I can't help with that."
    assert reply.additional_kwargs == {"refused": True}
    await talk.say(text("All right."))
    assert talk.sent.messages[2] == {"role": "assistant", "content": "I can't help with that."}


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (faults.cut_at_length("It ends in the middle of"), "length"),
        (faults.content_filter("It ends in the middle of"), "content_filter"),
    ],
)
async def test_a_reply_that_was_cut_is_kept_and_marked(talk: Talk, step: Step, reason: str) -> None:
    [reply] = await talk.say(step)
    assert reply.text == "It ends in the middle of"
    assert reply.additional_kwargs == {"cut": reason}


async def test_usage_is_asked_for_and_added_up_by_model(database: str) -> None:
    async with talking(database, models="other") as talk:
        used = Usage(prompt_tokens=100, completion_tokens=5, cached_tokens=80)
        await talk.say(tool_calls(LOOK_UP, usage=used), text("Here.", usage=used))
        await talk.say(text("Hm.", usage=used), model="other")
        totals = (await talk.values())["usage"]
        once = {"requests": 1, "input_tokens": 100, "cached_tokens": 80, "output_tokens": 5}
        assert totals == {"main": {name: 2 * n for name, n in once.items()}, "other": once}
        for request in talk.model.requests:
            assert request.body["stream_options"] == {"include_usage": True}


async def test_a_server_that_tells_no_usage_is_counted_all_the_same(talk: Talk) -> None:
    await talk.say(raw({"role": "assistant", "content": "Hi"}))
    nothing = {"requests": 1, "input_tokens": 0, "cached_tokens": 0, "output_tokens": 0}
    assert (await talk.values())["usage"] == {"main": nothing}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("number=LH20481137", "The arguments were not valid JSON."),
        ('{"number": "LH2048', "The arguments were not valid JSON."),
        ('["LH20481137"]', "The arguments were not valid JSON."),
        ("null", "The arguments were not valid JSON."),
        ("[" * 1200, "The arguments were not valid JSON."),
        ('{"number": ' + "[" * 150 + "]" * 150 + "}", "The arguments were not valid JSON."),
        ("", "The arguments do not fit: number: Field required."),
        ('{"number": 7}', "The arguments do not fit: number: Input should be a valid string."),
        ('{"number": "LH\x00"}', "No parcel has the number 'LH'."),
    ],
)
async def test_bad_arguments_are_told_to_the_model_and_poison_nothing(
    talk: Talk, arguments: str, told: str
) -> None:
    calls = tool_calls(call("look_up_parcel", arguments))
    [asked, result, reply] = await talk.say(calls, text("Which number?"))
    assert result.text.startswith(told)
    assert result.status == "error"
    assert reply.text == "Which number?"
    [sent] = talk.sent.messages[-2]["tool_calls"]
    assert json.loads(sent["function"]["arguments"]) == asked.tool_calls[0]["args"]
    await talk.say(text("Still here."))


async def test_an_unknown_tool_is_told_to_the_model(talk: Talk) -> None:
    [_, result, _] = await talk.say(tool_calls(call("fly", {})), text("I cannot fly."))
    assert result.text.startswith("There is no tool 'fly'; there are: look_up_parcel, ")


async def test_two_calls_of_one_id_are_both_answered(talk: Talk) -> None:
    one, other = (call("look_up_parcel", {"number": n}, id="same") for n in ("LH1", "LH2"))
    [asked, first, second, _] = await talk.say(tool_calls(one, other), text("Neither."))
    assert len({made["id"] for made in asked.tool_calls}) == 2
    assert [first.text, second.text] == [f"No parcel has the number '{n}'." for n in ("LH1", "LH2")]


@pytest.mark.parametrize("given", ["", None])
async def test_a_call_without_an_id_gets_one(talk: Talk, given: str | None) -> None:
    function = {"name": "look_up_parcel", "arguments": json.dumps(PARCEL)}
    delta = {"role": "assistant", "tool_calls": [{"index": 0, "id": given, "function": function}]}
    [asked, result, _] = await talk.say(raw(delta), text("Here."))
    assert asked.tool_calls[0]["id"]
    assert result.tool_call_id == asked.tool_calls[0]["id"]
    assert result.status == "success"


async def test_ids_that_begin_anew_in_every_reply_do_not_collide(talk: Talk) -> None:
    named = {"id": "chatcmpl-0", "role": "assistant"}
    for words in ("One.", "Two."):
        calls = tool_calls(call("look_up_parcel", PARCEL, id="call_0"))
        new = await talk.say(calls, raw({**named, "content": words}))
        assert [m.type for m in new] == ["ai", "tool", "ai"]
        assert new[-1].text == words
    ids = [m.id for m in await talk.messages()]
    assert len(ids) == len(set(ids)) == 8


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (None, "I could not finish looking this up. Could you ask me once more?"),
        (" ", "I could not finish looking this up. Could you ask me once more?"),
        ("It is on its way.", "It is on its way."),
    ],
)
async def test_rounds_of_tools_have_an_end(database: str, words: str | None, kept: str) -> None:
    async with talking(database, tool_rounds=1) as talk:
        again = tool_calls(LOOK_UP, content=words)
        [_, _, reply] = await talk.say(tool_calls(LOOK_UP), again)
        assert (reply.text, reply.tool_calls) == (kept, [])
        assert [r.body["tool_choice"] for r in talk.model.requests] == ["auto", "none"]
        first, second = (r.body["tools"] for r in talk.model.requests)
        assert first == second
        await talk.say(text("Still here."))


async def test_a_reply_has_its_time_in_all(database: str) -> None:
    async with talking(database, request_timeout=1, turn_timeout=1.5) as talk:
        error = await talk.fail(text("word " * 100, delay=0.1))
        assert error.endswith("no reply within 1.5 s, after part of the reply")
        assert [m.type for m in await talk.messages()] == ["human"]


@pytest.mark.parametrize("words", ["{x} {0} %s", "<b>[bold]</b> &amp;", "a\n\n```\nb\n```"])
async def test_braces_and_markup_are_text(talk: Talk, words: str) -> None:
    [reply] = await talk.say(text(words), words=words)
    assert reply.text == words
    await talk.say(text("Yes."))
    assert [m["content"] for m in talk.sent.messages[1:3]] == [words, words]


async def test_nul_never_reaches_a_store(talk: Talk) -> None:
    [reply] = await talk.say(text("a\x00b"))
    assert reply.text == "ab"


async def test_both_models_failing_is_one_error_that_names_both(database: str) -> None:
    async with talking(database, fallback_model="spare", retries=0) as talk:
        error = await talk.fail(faults.unauthorized(), faults.server_error())
        first, second = error.split("; then ")
        assert first.startswith("model 'main' at ")
        assert "the key was refused" in first
        assert second.startswith("model 'spare' at ")
        assert second.endswith("HTTP 500: The server had an error.")


async def test_no_password_of_a_base_url_is_told(database: str) -> None:
    async with talking(database) as talk:
        host = talk.model.base_url.removeprefix("http://")
        url = f"http://me:hunter2@{host}"
        async with talking(database, retries=0, OPENAI_BASE_URL=url) as hidden:
            hidden.model = talk.model
            error = await hidden.fail(faults.error(418, "No tea."))
    assert error == f"model 'main' at http://{host}: HTTP 418: No tea."


async def test_a_server_that_is_not_there(database: str) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    async with talking(database, retries=0, OPENAI_BASE_URL=url) as talk:
        error = await talk.fail()
    assert error.startswith(f"model 'main' at {url}: the connection failed (")
