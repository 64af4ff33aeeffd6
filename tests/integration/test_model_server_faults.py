"""Every fault over real HTTP, as the client that the bot uses meets it, streamed and not."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from app.model_server import faults
from app.model_server.server import ModelServer
from app.model_server.steps import Step, text

MESSAGES = [("system", "Be kind."), ("user", "Hello")]

Ask = Callable[..., AIMessage]


@contextmanager
def client(server: ModelServer, *, retries: int = 0, timeout: float = 30) -> Iterator[ChatOpenAI]:
    with openai.DefaultHttpxClient() as pool:
        yield ChatOpenAI(
            model_name="any",
            openai_api_base=server.base_url,
            openai_api_key=SecretStr("k"),
            max_retries=retries,
            request_timeout=timeout,
            http_client=pool,
        )


def whole(server: ModelServer, *, timeout: float = 30) -> AIMessage:
    with client(server, timeout=timeout) as model:
        return model.invoke(MESSAGES)


def streamed(server: ModelServer, *, timeout: float = 30) -> AIMessage:
    with client(server, timeout=timeout) as model:
        total, *rest = model.stream(MESSAGES)
    assert isinstance(total, AIMessageChunk)
    for chunk in rest:
        total += chunk
    return total


both_ways = pytest.mark.parametrize("ask", [whole, streamed])


@both_ways
@pytest.mark.parametrize(
    ("step", "error", "code"),
    [
        (faults.unauthorized(), openai.AuthenticationError, "invalid_api_key"),
        (faults.rate_limited(), openai.RateLimitError, "rate_limit_exceeded"),
        (faults.server_error(), openai.InternalServerError, None),
        (faults.server_error(status=503), openai.InternalServerError, None),
        (faults.context_length_exceeded(), openai.BadRequestError, "context_length_exceeded"),
    ],
)
def test_a_refused_request(
    step: Step, error: type[openai.APIStatusError], code: str | None, ask: Ask
) -> None:
    with ModelServer([step]) as server, pytest.raises(error) as caught:
        ask(server)
    assert caught.value.code == code


def test_a_client_that_retries_after_a_rate_limit() -> None:
    server = ModelServer([faults.rate_limited(retry_after=0.01), text("At last")])
    with server, client(server, retries=1) as model:
        assert model.invoke(MESSAGES).text == "At last"


def test_the_seconds_to_wait_are_in_a_header() -> None:
    with ModelServer([faults.rate_limited(retry_after=7)]) as server:
        answer = _post(server)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")


@both_ways
@pytest.mark.parametrize("step", [faults.stall(), faults.stall_midstream()])
def test_a_stall(step: Step, ask: Ask) -> None:
    with ModelServer([step]) as server:
        with pytest.raises((openai.APITimeoutError, httpx.TimeoutException)):
            ask(server, timeout=0.5)
        request = server.wait_for(1)
        request.finished.wait()
        assert request.disconnected


@both_ways
def test_a_cut_connection(ask: Ask) -> None:
    with ModelServer([faults.cut_stream()]) as server:
        with pytest.raises(openai.APIConnectionError):
            ask(server)
        server.requests[0].finished.wait()
        assert not server.requests[0].disconnected


@both_ways
def test_an_error_in_the_middle(ask: Ask) -> None:
    with ModelServer([faults.error_midstream()]) as server, pytest.raises(openai.APIError):
        ask(server)


@both_ways
def test_malformed_arguments(ask: Ask) -> None:
    with ModelServer([faults.malformed_arguments("look_up_parcel")]) as server:
        message = ask(server)
    assert message.tool_calls == []
    assert message.invalid_tool_calls[0]["args"] == "number=LH20481137"


@pytest.mark.parametrize("stream", [True, False])
def test_empty_choices(stream: bool) -> None:
    with ModelServer([faults.empty_choices()]) as server:
        parts = _raw_events(server) if stream else [_post(server).json()]
    assert [part["choices"] for part in parts] == [[]]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("status", [200, 502])
def test_html(status: int, stream: bool) -> None:
    with ModelServer([faults.html(status=status)]) as server:
        answer = _post(server, stream=stream)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html")
    assert answer.text.startswith("<!DOCTYPE html>")


@both_ways
@pytest.mark.parametrize(
    ("step", "reason", "content"),
    [
        (faults.cut_at_length("A reply that"), "length", "A reply that"),
        (faults.content_filter("A reply"), "content_filter", "A reply"),
        (faults.content_filter(), "content_filter", ""),
    ],
)
def test_a_reply_that_ends_early(step: Step, reason: str, content: str, ask: Ask) -> None:
    with ModelServer([step]) as server:
        message = ask(server)
    assert (message.response_metadata["finish_reason"], message.text) == (reason, content)


def test_a_refusal() -> None:
    with ModelServer([faults.refusal("No."), faults.refusal("Not that.")]) as server:
        assert whole(server).additional_kwargs["refusal"] == "No."
        chunks = [event["choices"][0]["delta"].get("refusal") for event in _raw_events(server)]
    assert chunks == [None, "Not ", "that.", None]


def _post(server: ModelServer, *, stream: bool = False) -> httpx.Response:
    messages = [{"role": role, "content": content} for role, content in MESSAGES]
    given = {"model": "any", "messages": messages, "stream": stream}
    return httpx.post(f"{server.base_url}/chat/completions", json=given)


def _raw_events(server: ModelServer) -> list[dict[str, Any]]:
    lines = [line[6:] for line in _post(server, stream=True).text.split("\n\n") if line]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]
