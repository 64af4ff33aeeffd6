"""Data of a given shape: by schema, by object, or a clear failure."""

from collections.abc import Sequence
from typing import Any

import httpx
import openai
import pytest
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessageChunk, HumanMessage
from pydantic import BaseModel

from nodes.asking import ModelError
from nodes.structured import Malformed, ask_for
from tests.scripted import Asked, Scripted, candidate, whole

Step = AIMessageChunk | Exception


class Shape(BaseModel):
    """What is asked for."""

    words: list[str]


def model(*steps: Step) -> Any:
    """A candidate that gives these answers in order."""
    left = list(steps)

    async def answer(_: Asked) -> AIMessageChunk:
        step = left.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    return candidate(answer)


async def ask(*candidates: Any) -> Shape:
    return await ask_for(Shape, candidates, [HumanMessage("Which?")], seconds=5)


def asked(chosen: Any) -> Sequence[Asked]:
    scripted: Scripted = chosen.model
    return scripted.asked


def refused(said: str, *, status: int = 400) -> Exception:
    response: Any = httpx.Response(status, request=httpx.Request("POST", "http://models.example"))
    kind = openai.BadRequestError if status == 400 else openai.InternalServerError
    return kind(said, response=response, body=None)


class Overflow(openai.BadRequestError, ContextOverflowError):
    """As langchain-openai raises it."""


def overflow() -> Exception:
    response: Any = httpx.Response(400, request=httpx.Request("POST", "http://models.example"))
    return Overflow("context_length_exceeded", response=response, body=None)


@pytest.mark.parametrize(
    "text",
    [
        '{"words": ["a", "b"]}',
        'Here you are:\n```json\n{"words": ["a",\n"b"]}\n```\nGood luck!',
        '{"words": ["a", "b"], "sure": true}',
        '{"words": ["a\\u0000", "b\\ud800"]}',
    ],
)
async def test_an_answer_of_the_shape(text: str) -> None:
    chosen = model(whole(text))
    assert await ask(chosen) == Shape(words=["a", "b"])
    assert [each.format for each in asked(chosen)] == ["json_schema"]


async def test_the_schema_is_that_of_the_shape() -> None:
    chosen = model(whole('{"words": []}'))
    await ask(chosen)
    wanted = asked(chosen)[0].options["extra_body"]["response_format"]["json_schema"]
    assert (wanted["name"], wanted["schema"]) == ("Shape", Shape.model_json_schema())


async def test_a_server_without_schemas_is_asked_for_an_object() -> None:
    chosen = model(refused("response_format is not supported"), whole('{"words": ["a"]}'))
    assert await ask(chosen) == Shape(words=["a"])
    formats = [each.format for each in asked(chosen)]
    assert formats[0] == "json_schema"
    assert formats[-1] != "json_schema"


async def test_the_form_that_a_server_knows_is_asked_for_at_once_the_next_time() -> None:
    unknown = refused("response_format is not supported")
    chosen = model(unknown, unknown, *[whole('{"words": ["a"]}')] * 2)
    await ask(chosen)
    await ask(chosen)
    first, second, *known = [each.format for each in asked(chosen)]
    assert first == "json_schema"
    assert second == known[0] == known[1] == "json_object"
    assert len(known) == 2


@pytest.mark.parametrize(
    "reply",
    [
        whole("I cannot do that."),
        whole('{"words": ["a"'),
        whole('{"words": "a"}'),
        whole('{"other": ["a"]}'),
        whole("[]"),
        whole("{}"),
        whole('{"words": ["a"]} and {"words": ["b"]}'),
        whole('{"words": ["a"]}', finish="length"),
        whole('{"words": ["a"]}', refusal="No."),
        whole('{"words": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        whole('{"words": [], "n": ' + "9" * 5000 + "}"),
    ],
    ids=lambda reply: reply.text[:20],
)
async def test_what_is_no_answer_is_malformed(reply: AIMessageChunk) -> None:
    with pytest.raises(Malformed, match="model 'm'"):
        await ask(model(reply))


@pytest.mark.parametrize("blank", ["", "  \n"])
async def test_a_blank_answer_is_a_failure(blank: str) -> None:
    with pytest.raises(ModelError, match="an empty reply"):
        await ask(model(whole(blank)))


async def test_a_request_that_is_too_long_is_not_tried_in_another_form() -> None:
    chosen = model(overflow())
    with pytest.raises(ModelError) as raised:
        await ask(chosen)
    assert raised.value.overflow
    assert len(asked(chosen)) == 1


@pytest.mark.parametrize("error", [refused("down", status=503), TimeoutError()], ids=repr)
async def test_an_outage_is_no_malformed_answer(error: Exception) -> None:
    chosen = model(error)
    with pytest.raises(ModelError) as raised:
        await ask(chosen)
    assert not isinstance(raised.value, Malformed)
    assert len(asked(chosen)) == 1


async def test_the_fallback_answers_for_a_model_that_is_down() -> None:
    assert await ask(model(TimeoutError()), model(whole('{"words": []}'))) == Shape(words=[])
