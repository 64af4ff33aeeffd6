"""What the graph takes for its model, and what a real one says, as steps."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from app.model_server.chat import ChatRequest
from app.model_server.steps import EmptyChoices, HttpAnswer, Reply, Step, Usage, text
from evals.run.gateway import Gateway, Meter, TimedReply, first_token, form_of
from evals.run.upstream import Upstream, as_step, whole
from graph.settings import Settings
from nodes.structured import formats
from state.operations import Operations, operations_schema
from state.summary import Changes, changes_schema


def request(schema: str | None = None) -> ChatRequest:
    form = {"response_format": {"json_schema": {"name": schema}}} if schema else {}
    return ChatRequest({"model": "m", "messages": [{"role": "user", "content": "Hi"}], **form})


def test_a_scripted_turn_costs_no_call_and_all_else_is_asked_and_counted() -> None:
    meter = Meter(most_calls=2)
    used = Usage(prompt_tokens=5, completion_tokens=2)
    gateway = Gateway(lambda _: text("Real.", usage=used), meter)
    gateway.turn("Scripted.")
    scripted = gateway(request())
    assert isinstance(scripted, Reply)
    assert scripted.content == "Scripted."
    assert gateway.asked is not None
    assert (gateway.calls, meter.calls) == (0, 0)
    gateway(request("Operations"))
    assert (gateway.calls, gateway.tokens, meter.spent) == (1, 7, "")
    gateway.turn(None)
    real = gateway(request())
    assert isinstance(real, Reply)
    assert real.content == "Real."
    assert (gateway.calls, gateway.tokens) == (1, 7)
    assert (meter.calls, meter.tokens) == (2, 14)
    assert meter.spent == "the cap of 2 calls is reached"


def test_without_a_cap_nothing_is_ever_spent() -> None:
    meter = Meter()
    meter.add(10**9, calls=10**6)
    assert meter.spent == ""
    meter = Meter(most_tokens=100)
    meter.add(100)
    assert meter.spent == "the cap of 100 tokens is reached"


def test_a_completion_is_passed_on_as_it_came() -> None:
    told = {"prompt_tokens": 9, "completion_tokens": 1}
    call = {"id": "c1", "function": {"name": "look", "arguments": "{}"}}
    message = {"content": "Well, now.", "tool_calls": [call]}
    whole = {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": told}
    step = as_step(whole)
    assert isinstance(step, Reply)
    assert "".join(step.pieces) == step.content == "Well, now."
    assert [(c.name, c.id) for c in step.calls] == [("look", "c1")]
    assert step.finish_reason == "tool_calls"
    assert step.usage == Usage(prompt_tokens=9, completion_tokens=1)
    refused = as_step({"choices": [{"message": {"content": None, "refusal": "No."}}]})
    assert isinstance(refused, Reply)
    assert (refused.content, refused.refusal, refused.pieces) == (None, "No.", ("No.",))
    assert as_step({"choices": []}) == EmptyChoices()


MESSAGE = {"content": "{}"}
SETTINGS = Settings(_env_file=None, OPENAI_BASE_URL="http://models.example/v1/")


def answered_by(answer: Callable[[httpx.Request], httpx.Response], asked: ChatRequest) -> Step:
    upstream = Upstream(SETTINGS, transport=httpx.MockTransport(answer))
    try:
        return upstream(asked)
    finally:
        upstream.close()


def test_a_reply_is_streamed_and_its_first_word_timed() -> None:
    told = {"prompt_tokens": 9, "completion_tokens": 2}
    pieces: list[dict[str, Any]] = [
        {"choices": [{"delta": {"role": "assistant"}}]},
        {"choices": [{"delta": {"content": "Well, "}}]},
        {"choices": [{"delta": {"content": "now."}, "finish_reason": "stop"}]},
        {"choices": [], "usage": told},
    ]

    def stream(sent: httpx.Request) -> httpx.Response:
        assert str(sent.url) == "http://models.example/v1/chat/completions"
        assert json.loads(sent.content)["stream_options"] == {"include_usage": True}
        lines = [f"data: {json.dumps(piece)}\n\n" for piece in pieces]
        return httpx.Response(200, text=": ping\n\n" + "".join(lines) + "data: [DONE]\n\n")

    step = answered_by(stream, request())
    assert isinstance(step, TimedReply)
    assert step.pieces == ("Well, ", "now.")
    assert step.finish_reason == "stop"
    assert step.usage == Usage(prompt_tokens=9, completion_tokens=2)
    assert step.first_token >= 0
    assert first_token(step) == step.first_token
    assert first_token(text("Well, now.")) is None


def test_a_form_comes_in_one_piece_and_is_not_timed() -> None:
    def fill(sent: httpx.Request) -> httpx.Response:
        assert "stream" not in json.loads(sent.content)
        return httpx.Response(200, json={"choices": [{"message": MESSAGE}]})

    step = answered_by(fill, ChatRequest({**request("Operations").body, "stream": True}))
    assert (first_token(step), step) == (None, as_step({"choices": [{"message": MESSAGE}]}))


def test_a_tool_call_that_comes_in_pieces_is_one() -> None:
    def piece(**function: str) -> dict[str, Any]:
        return {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": function}]}}]}

    pieces = [piece(name="look"), piece(arguments='{"at": '), piece(arguments="3}")]
    pieces[0]["choices"][0]["delta"]["tool_calls"][0]["id"] = "c1"
    step = as_step(whole(pieces))
    assert isinstance(step, Reply)
    assert [(c.name, c.arguments, c.id) for c in step.calls] == [("look", '{"at": 3}', "c1")]
    assert as_step(whole([])) == EmptyChoices()


@pytest.mark.parametrize(
    ("wanted", "form"),
    [
        ({"type": "json_schema", "json_schema": {"name": "Operations"}}, "Operations"),
        (formats(Operations, operations_schema())[1], "Operations"),
        (formats(Changes, changes_schema(notes=3))[1], "Changes"),
        ({"type": "json_object"}, "form"),
        ({"type": "text"}, ""),
        (None, ""),
    ],
)
def test_a_form_is_known_however_it_is_asked_for(wanted: Any, form: str) -> None:
    asked = ChatRequest({**request().body, "response_format": wanted})
    assert form_of(asked) == form
    gateway = Gateway(lambda _: text("{}"), Meter())
    gateway.turn("Scripted.")
    step = gateway(asked)
    assert isinstance(step, Reply)
    assert step.content == ("{}" if form else "Scripted.")


def test_what_is_spent_is_told_by_purpose_and_a_refusal_costs_nothing() -> None:
    used = Usage(prompt_tokens=5, completion_tokens=2, cached_tokens=3)
    steps: Iterator[Step] = iter(
        [text("A."), HttpAnswer(status=500, body=b""), text("{}", usage=used)]
    )
    gateway = Gateway(lambda _: next(steps), Meter())
    gateway.turn(None)
    gateway(request())
    gateway(request("Operations"))
    gateway(request("Operations"))
    form, reply = gateway.spent()
    assert (form.purpose, form.calls) == ("Operations", 2)
    assert (form.input, form.cached, form.output) == (5, 3, 2)
    assert (reply.purpose, reply.model, reply.calls) == ("reply", "m", 1)
    assert reply.input > 0
    gateway.turn(None)
    assert gateway.spent() == []


@pytest.mark.parametrize("status", [429, 500])
@pytest.mark.parametrize("schema", [None, "Operations"])
def test_a_refusal_of_the_model_is_passed_on(status: int, schema: str | None) -> None:
    def refuse(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, content=b"{}", headers={"retry-after": "3", "server": "x"})

    step = answered_by(refuse, request(schema))
    assert step == HttpAnswer(status=status, body=b"{}", headers={"retry-after": "3"})


def test_a_model_that_is_not_there_is_an_error_of_the_server() -> None:
    def fail(sent: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError(f"no server for {json.loads(sent.content)['model']}")

    step = answered_by(fail, request())
    assert isinstance(step, HttpAnswer)
    assert step.status == 502
    assert b"no server for m" in step.body
