"""The server over real HTTP: what it answers, what it records, and what it raises."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import SecretStr

from app.model_server import faults, standin
from app.model_server.chat import ChatRequest
from app.model_server.listener import listener
from app.model_server.script import Lane, Script
from app.model_server.server import ModelServer, ModelServerError
from app.model_server.steps import Reply, Usage, call, hold, text, tool_calls

MESSAGES = [("system", "Be kind."), ("user", "Hello")]

fails = partial(pytest.raises, ModelServerError)


def body(*, stream: bool = False, model: str = "any", words: str = "Hello") -> dict[str, Any]:
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": words}]
    return {"model": model, "messages": messages, "stream": stream}


def ask(server: ModelServer, given: dict[str, Any] | None = None) -> httpx.Response:
    return httpx.post(f"{server.base_url}/chat/completions", json=given or body())


@contextmanager
def model_of(server: ModelServer) -> Iterator[ChatOpenAI]:
    with openai.DefaultHttpxClient() as pool:
        yield ChatOpenAI(
            model_name="any",
            openai_api_base=server.base_url,
            openai_api_key=SecretStr("secret"),
            max_retries=0,
            stream_usage=True,
            http_client=pool,
        )


def whole(server: ModelServer) -> AIMessage:
    with model_of(server) as model:
        return model.invoke(MESSAGES)


def streamed(server: ModelServer) -> AIMessage:
    with model_of(server) as model:
        total, *rest = model.stream(MESSAGES)
    assert isinstance(total, AIMessageChunk)
    for chunk in rest:
        total += chunk
    return total


def test_a_client_reads_words_and_usage_both_ways() -> None:
    step = text("Hello there.", usage=Usage(prompt_tokens=9, completion_tokens=3, cached_tokens=4))
    with ModelServer([step, step]) as server:
        for message in (whole(server), streamed(server)):
            assert message.text == "Hello there."
            assert message.response_metadata["finish_reason"] == "stop"
            assert message.response_metadata["model_name"] == "any"
            assert message.usage_metadata is not None
            assert message.usage_metadata["input_tokens"] == 9
            assert message.usage_metadata["input_token_details"]["cache_read"] == 4
        assert server.requests[1].chunks_sent == 2


def test_a_client_reads_tool_calls_both_ways() -> None:
    step = tool_calls(call("f", {"number": "LH12345678"}, id="one"), call("g", {}, id="two"))
    with ModelServer([step, step]) as server:
        for message in (whole(server), streamed(server)):
            assert [(made["name"], made["args"], made["id"]) for made in message.tool_calls] == [
                ("f", {"number": "LH12345678"}, "one"),
                ("g", {}, "two"),
            ]


def test_a_stream_tells_usage_only_when_asked() -> None:
    with ModelServer([text("a b"), text("a b")]) as server:
        plain = ask(server, body(stream=True))
        asked = ask(server, {**body(stream=True), "stream_options": {"include_usage": True}})
    assert plain.headers["content-type"].startswith("text/event-stream")
    assert plain.text.endswith("data: [DONE]\n\n")
    assert "usage" not in plain.text
    assert json.loads(asked.text.split("\n\n")[-3][6:])["usage"]["completion_tokens"] == 1


def test_a_client_reads_embeddings() -> None:
    with ModelServer() as server, openai.DefaultHttpxClient() as pool:
        client = OpenAIEmbeddings(
            model="any",
            openai_api_base=server.base_url,
            openai_api_key=SecretStr("k"),
            check_embedding_ctx_length=False,
            http_client=pool,
        )
        vectors = client.embed_documents(["a dog", "a cat"])
        assert vectors[0] == pytest.approx(client.embed_query("a dog"))
        assert [each.body["input"] for each in server.embedding_requests] == [
            ["a dog", "a cat"],
            ["a dog"],
        ]


def test_embeddings_fail_as_told_and_then_work() -> None:
    with ModelServer(embedding_faults=[faults.rate_limited()]) as server:
        url, given = f"{server.base_url}/embeddings", {"model": "any", "input": "a dog"}
        assert [httpx.post(url, json=given).status_code for _ in range(2)] == [429, 200]


def test_models_are_listed() -> None:
    with ModelServer(models=["one", "two"]) as server:
        listed = httpx.get(f"{server.base_url}/models").json()
    assert [each["id"] for each in listed["data"]] == ["one", "two"]


def test_requests_are_recorded_without_secrets() -> None:
    with ModelServer([text("a")]) as server:
        whole(server)
        [request] = server.requests
        request.finished.wait()
        assert request.number == 1
        assert request.messages[-1] == {"role": "user", "content": "Hello"}
        assert request.headers["content-type"] == "application/json"
        assert "secret" not in str(request.headers)
        assert not request.disconnected


async def test_a_held_reply_waits_for_its_release() -> None:
    held = hold(text("one two three"), after_chunks=2)
    with ModelServer([held]) as server:
        async with (
            httpx.AsyncClient() as client,
            client.stream(
                "POST", f"{server.base_url}/chat/completions", json=body(stream=True)
            ) as response,
        ):
            lines = response.aiter_lines()
            await held.reached.wait_async()
            request = await server.wait_for_async(1)
            assert (request.chunks_sent, request.finished.is_set) == (2, False)
            before = [await anext(lines) for _ in range(6)]
            held.release()
            after = [line async for line in lines]
    assert "two " in before[4]
    assert "three" in after[0]
    assert request.finished.is_set


async def test_held_requests_are_answered_in_the_order_of_the_test() -> None:
    steps = {"first": hold(text("1")), "second": hold(text("2"))}
    script = Script(lambda request: steps[request.messages[-1]["content"]])
    with ModelServer(script) as server:
        async with httpx.AsyncClient() as client:
            url = f"{server.base_url}/chat/completions"
            tasks = {
                name: asyncio.create_task(client.post(url, json=body(words=name))) for name in steps
            }
            await server.wait_for_async(2)
            steps["second"].release()
            assert (await tasks["second"]).json()["choices"][0]["message"]["content"] == "2"
            assert not tasks["first"].done()
            steps["first"].release()
            assert (await tasks["first"]).json()["choices"][0]["message"]["content"] == "1"


def test_a_client_that_leaves_is_recorded() -> None:
    held = hold(text("one two three"), after_chunks=1)
    with ModelServer([held]) as server:
        url = f"{server.base_url}/chat/completions"
        with httpx.stream("POST", url, json=body(stream=True)):
            server.wait_for(1).first_chunk.wait()
        server.requests[0].finished.wait()
        assert server.requests[0].disconnected


def test_the_server_stops_while_a_reply_is_held() -> None:
    held = hold(text("one two"), after_chunks=1)
    server = ModelServer([held])
    server.start()
    with httpx.stream(
        "POST", f"{server.base_url}/chat/completions", json=body(stream=True)
    ) as response:
        held.reached.wait()
        server.stop()
        with pytest.raises(httpx.RemoteProtocolError):
            response.read()
    server.stop()
    server.verify()
    held.release()


def test_a_server_comes_back_on_its_port() -> None:
    with ModelServer([text("a")]) as server:
        ask(server)
        port = httpx.URL(server.base_url).port
    with pytest.raises(httpx.ConnectError):
        ask(server)
    assert port is not None
    with ModelServer([text("b")], port=port) as again:
        assert again.base_url == server.base_url
        assert ask(again).json()["choices"][0]["message"]["content"] == "b"


def test_a_port_that_is_taken_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        ModelServer(port=taken.getsockname()[1]).start()


def test_roles_have_lanes_of_their_own() -> None:
    script = Script(Lane([text("summary")], model="summariser"), [text("reply")])
    with ModelServer(script) as server:
        contents = [
            ask(server, body(model=name)).json()["choices"][0]["message"]["content"]
            for name in ("any", "summariser")
        ]
        assert contents == ["reply", "summary"]
        later = server.wait_for(1, wanted=lambda request: request.chat.model == "summariser")
        assert later.number == 2


def test_a_script_that_ran_out_answers_500_and_raises() -> None:
    with fails(match="request 2: the script ran out"), ModelServer([text("a")]) as server:
        ask(server)
        answer = ask(server)
        assert answer.status_code == 500
        assert answer.json()["error"]["code"] == "script_exhausted"
        assert answer.headers["x-should-retry"] == "false"


def test_unused_steps_raise_unless_allowed() -> None:
    with fails(match="not used: Reply"), ModelServer([text("a")]):
        pass
    unmet = ModelServer(embedding_faults=[faults.server_error()])
    with fails(match="not used: HttpAnswer"), unmet:
        pass
    with ModelServer([text("a")]) as server:
        server.allow_unused = True


def test_an_error_of_the_test_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError) as caught, ModelServer([text("a")]):
        raise ZeroDivisionError
    assert "a step was not used" in caught.value.__notes__[0]


def test_a_request_that_a_strict_provider_refuses_gets_400_and_raises() -> None:
    given = {**body(), "messages": [{"role": "user", "content": ""}]}
    strict = ModelServer([text("a")], allow_unused=True)
    with fails(match=r"request 1 is invalid: .*system.*is empty"), strict:
        assert ask(strict, given).status_code == 400
        assert len(strict.requests[0].violations) == 2
        assert strict.script.unused() == [text("a")]
    with ModelServer([text("a")], strict=False) as server:
        assert ask(server, given).status_code == 200


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b'{"model": "any"}'])
def test_a_body_that_is_no_request_gets_400_and_raises(content: bytes) -> None:
    with (
        fails(match="none that the API defines"),
        ModelServer() as server,
    ):
        answer = httpx.post(f"{server.base_url}/chat/completions", content=content)
        assert answer.status_code == 400


def test_a_function_that_raises_fails_the_test() -> None:
    def broken(_: ChatRequest) -> Reply:
        raise KeyError("surprise")

    with fails(match="surprise"), ModelServer(broken) as server:
        assert ask(server).status_code == 500


def test_the_stand_in_speaks_the_same_http() -> None:
    with ModelServer(standin.answer) as server:
        assert whole(server).text == streamed(server).text
        assert server.requests[1].chunks_sent > 10


async def test_a_small_piece_of_a_stream_does_not_wait_for_the_next() -> None:
    set_by: list[int] = []

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = writer.get_extra_info("socket")
        set_by.append(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async with await asyncio.start_server(serve, sock=listener()) as server:
        host, port = server.sockets[0].getsockname()
        reader, writer = await asyncio.open_connection(host, port)
        await reader.read()
        writer.close()
    assert set_by == [1]
