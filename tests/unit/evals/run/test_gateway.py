"""What the graph takes for its model, and what a real one says, as steps."""

from typing import Any

import httpx
import pytest

from app.model_server.chat import ChatRequest
from app.model_server.steps import EmptyChoices, HttpAnswer, Reply, Usage, text
from evals.run.gateway import Gateway, Meter
from evals.run.upstream import Upstream, as_step
from graph.settings import Settings


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


@pytest.mark.parametrize("status", [429, 500])
def test_a_refusal_of_the_model_is_passed_on(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: httpx.Client, url: str, *, json: Any) -> httpx.Response:
        assert url == "http://models.example/v1/chat/completions"
        assert "stream" not in json
        return httpx.Response(status, content=b"{}", headers={"retry-after": "3", "server": "x"})

    monkeypatch.setattr(httpx.Client, "post", refuse)
    upstream = Upstream(Settings(_env_file=None, OPENAI_BASE_URL="http://models.example/v1/"))
    asked = ChatRequest({**request().body, "stream": True, "stream_options": {}})
    step = upstream(asked)
    upstream.close()
    assert step == HttpAnswer(status=status, body=b"{}", headers={"retry-after": "3"})


def test_a_model_that_is_not_there_is_an_error_of_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_self: httpx.Client, _url: str, *, json: Any) -> httpx.Response:
        raise httpx.ConnectError(f"no server for {json['model']}")

    monkeypatch.setattr(httpx.Client, "post", fail)
    upstream = Upstream(Settings(_env_file=None, OPENAI_BASE_URL="http://models.example/v1"))
    step = upstream(request())
    upstream.close()
    assert isinstance(step, HttpAnswer)
    assert step.status == 502
    assert b"no server for m" in step.body
