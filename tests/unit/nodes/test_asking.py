"""Asking models in turn: whose reply counts, and what a failure says."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import httpx
import openai
import pytest
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, HumanMessageChunk
from langchain_core.messages.tool import ToolCallChunk
from langchain_core.runnables import RunnableGenerator
from pydantic import SecretStr

from nodes.asking import Candidate, ModelError, ask, explain

KEY = "sk-123456"
ASKED = [HumanMessage("Hi")]
END = AIMessageChunk(content="", response_metadata={"finish_reason": "stop"}, chunk_position="last")

Part = AIMessageChunk | HumanMessageChunk | Exception | float


def response(status: int) -> Any:
    return httpx.Response(status, request=httpx.Request("POST", "http://models.example/v1"))


class Overflow(openai.BadRequestError, ContextOverflowError):
    """As langchain-openai raises it."""


def status_error(kind: type[openai.APIStatusError], status: int, said: str = "") -> Exception:
    message = f"Error code: {status} - {said}" if said else f"Error code: {status}"
    return kind(message, response=response(status), body=None)


def unreachable() -> Exception:
    error = openai.APIConnectionError(request=response(200).request)
    error.__cause__ = openai.APIConnectionError(request=response(200).request)
    error.__cause__.__cause__ = OSError("[Errno 111] Connection refused")
    return error


def candidate(*parts: Part, name: str = "m", asked: list[str] | None = None) -> Candidate:
    """A model that streams `parts`: chunks, seconds to wait, or an error to end with."""

    async def stream(_: AsyncIterator[Any]) -> AsyncIterator[Any]:
        if asked is not None:
            asked.append(name)
        for part in parts:
            if isinstance(part, Exception):
                raise part
            if isinstance(part, float):
                await asyncio.sleep(part)
            else:
                yield part

    model: Any = RunnableGenerator(stream)
    return Candidate(name=name, server="http://models.example/v1", model=model, key=SecretStr(KEY))


async def reply(*candidates: Candidate, seconds: float = 5) -> tuple[AIMessage, str]:
    message, writer = await ask(candidates, ASKED, seconds=seconds)
    return message, writer.name


async def failure(*candidates: Candidate, seconds: float = 5) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await ask(candidates, ASKED, seconds=seconds)
    return caught.value


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (
            status_error(openai.AuthenticationError, 401, f"Incorrect API key provided: {KEY}"),
            "the key was refused (HTTP 401); check OPENAI_API_KEY",
        ),
        (
            status_error(openai.PermissionDeniedError, 403, "no"),
            "the key was refused (HTTP 403); check OPENAI_API_KEY",
        ),
        (
            status_error(openai.RateLimitError, 429, "Slow down"),
            "too many requests (HTTP 429), also after waiting",
        ),
        (status_error(openai.NotFoundError, 404, "no such model"), "HTTP 404: no such model"),
        (status_error(openai.InternalServerError, 502), "HTTP 502"),
        (
            status_error(openai.BadRequestError, 400, f"a\n  b {'x' * 300}"),
            f"HTTP 400: a b {'x' * 196}",
        ),
        (
            openai.APITimeoutError(response(200).request),
            "the server went silent (LONGHAUL_REQUEST_TIMEOUT)",
        ),
        (TimeoutError("No chunk"), "the server went silent (LONGHAUL_REQUEST_TIMEOUT)"),
        (unreachable(), "the connection failed ([Errno 111] Connection refused)"),
        (openai.APIError("Overloaded", response(200).request, body=None), "Overloaded"),
        (status_error(Overflow, 400), "the request is longer than the model's context"),
        (
            status_error(openai.BadRequestError, 400, "This model's maximum context length is 8"),
            "the request is longer than the model's context",
        ),
        (
            status_error(openai.BadRequestError, 400, "request exceeds the available context size"),
            "the request is longer than the model's context",
        ),
        (
            openai.APIError("No", response(200).request, body={"code": "context_length_exceeded"}),
            "the request is longer than the model's context",
        ),
        (
            status_error(openai.InternalServerError, 500, "context length"),
            "HTTP 500: context length",
        ),
        (ValueError("No chunks"), "the answer could not be read (No chunks)"),
    ],
)
def test_the_cause_in_a_few_words(error: Exception, cause: str) -> None:
    assert explain(error) == cause


async def test_the_reply_is_all_that_was_streamed() -> None:
    usage: Any = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    parts = [AIMessageChunk(content="Hel", id="r1"), AIMessageChunk(content="lo"), END]
    message, _ = await reply(candidate(*parts, AIMessageChunk(content="", usage_metadata=usage)))
    assert type(message) is AIMessage
    assert (message.text, message.id, message.usage_metadata) == ("Hello", "r1", usage)


async def test_the_first_model_that_answers_is_the_last_one_asked() -> None:
    asked: list[str] = []
    broken = candidate(openai.OpenAIError("no"), name="a", asked=asked)
    works = [candidate(AIMessageChunk(content="Hi"), END, name=n, asked=asked) for n in ("b", "c")]
    message, writer = await reply(broken, *works)
    assert (message.text, writer, asked) == ("Hi", "b", ["a", "b"])


async def test_after_its_first_word_a_model_has_no_successor() -> None:
    asked: list[str] = []
    first = candidate(
        AIMessageChunk(content="The"), openai.OpenAIError("no"), name="a", asked=asked
    )
    error = await failure(
        first, candidate(AIMessageChunk(content="Hi"), END, name="b", asked=asked)
    )
    assert asked == ["a"]
    assert error.heard
    assert str(error).endswith(", after part of the reply")


async def test_every_failure_is_told_and_none_holds_the_key() -> None:
    overflow = status_error(Overflow, 400)
    leak = status_error(openai.BadRequestError, 400, f"bad header 'Bearer {KEY}'")
    error = await failure(candidate(overflow, name="a"), candidate(leak, name="b"))
    assert str(error) == (
        "model 'a' at http://models.example/v1: the request is longer than the model's context; "
        "then model 'b' at http://models.example/v1: HTTP 400: bad header 'Bearer [key]'"
    )
    assert (error.heard, error.overflow) == (False, True)
    assert error.__cause__ is leak


@pytest.mark.parametrize(
    ("parts", "cause"),
    [
        ([], "the stream ended before the reply did"),
        ([AIMessageChunk(content="The begin")], "the stream ended before the reply did"),
        ([HumanMessageChunk(content="Hi"), END], "an empty reply (finish reason 'stop')"),
        ([END], "an empty reply (finish reason 'stop')"),
        ([AIMessageChunk(content="\x00 "), END], "an empty reply (finish reason 'stop')"),
        ([AIMessageChunk(content="The begin"), 10.0, END], "no reply within 0.05 s"),
    ],
)
async def test_what_is_no_whole_reply_is_an_error(parts: Sequence[Part], cause: str) -> None:
    stalls = any(isinstance(part, float) for part in parts)
    error = await failure(candidate(*parts), seconds=0.05 if stalls else 60)
    assert str(error).startswith(f"model 'm' at http://models.example/v1: {cause}")


async def test_a_mistake_of_ours_is_not_taken_for_the_models() -> None:
    with pytest.raises(LookupError, match="ours"):
        await reply(candidate(LookupError("ours")))


async def test_a_stopped_reply_is_handed_over_and_the_stop_goes_on() -> None:
    heard = asyncio.Event()
    kept: list[str] = []

    async def keep(read: AIMessageChunk) -> None:
        kept.append(read.text)

    async def run() -> None:
        begun = [AIMessageChunk(content="The begin"), AIMessageChunk(content="ning")]
        model = _signalling(candidate(*begun, 10.0, END), heard.set)
        await ask([model], ASKED, seconds=60, on_stop=keep)

    running = asyncio.create_task(run())
    await heard.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert kept == ["The beginning"]


def _signalling(given: Candidate, on_second: Callable[[], None]) -> Candidate:
    async def stream(_: AsyncIterator[Any]) -> AsyncIterator[Any]:
        number = 0
        async for chunk in given.model.astream(ASKED):
            yield chunk
            number += 1
            if number == 2:
                on_second()

    model: Any = RunnableGenerator(stream)
    return Candidate(name=given.name, server=given.server, model=model)


def chunk(name: str | None, args: str | None, id: str | None, index: int) -> ToolCallChunk:
    return ToolCallChunk(name=name, args=args, id=id, index=index, type="tool_call_chunk")


@pytest.mark.parametrize(
    ("args", "read"),
    [
        (['{"number": ', '"LH1"}'], {"number": "LH1"}),
        (["{}"], {}),
        ([""], {}),
        ([None], {}),
        (['{"words": "two\nlines"}'], {"words": "two\nlines"}),
        (['{"number": "LH1'], None),
        (["number=LH1"], None),
        (["[1]"], None),
        (["null"], None),
    ],
)
async def test_arguments_are_what_was_sent_and_are_never_mended(
    args: list[str | None], read: dict[str, Any] | None
) -> None:
    parts = [
        AIMessageChunk(content="", tool_call_chunks=[chunk("f" if n == 0 else None, part, "c1", 0)])
        for n, part in enumerate(args)
    ]
    message, _ = await reply(candidate(*parts, END))
    assert [call["args"] for call in message.tool_calls] == ([] if read is None else [read])
    assert [call["name"] for call in message.invalid_tool_calls] == (["f"] if read is None else [])


async def test_two_calls_of_one_id_are_read_each_by_its_own_arguments() -> None:
    calls = [chunk("f", '{"a": 1}', "same", 0), chunk("g", "broken", "same", 1)]
    message, _ = await reply(candidate(AIMessageChunk(content="", tool_call_chunks=calls), END))
    assert [(c["name"], c["args"]) for c in message.tool_calls] == [("f", {"a": 1})]
    assert [(c["name"], c["args"]) for c in message.invalid_tool_calls] == [("g", "broken")]
