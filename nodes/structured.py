"""Asking a model for data of a given shape, also where the server knows no JSON schema."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import openai
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

from nodes.asking import Candidate, ModelError, ask
from state.text import clean_json
from state.usage import ModelUsage, added, reported

Shape = TypeVar("Shape", bound=BaseModel)

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass
class Spent:
    """What the requests behind the replies cost."""

    usage: dict[str, ModelUsage] = field(default_factory=dict)
    """By model name."""

    def add(self, writer: Candidate, reply: AIMessage) -> None:
        """Counts an answer, whether it was of use or not."""
        self.usage = added(self.usage, {writer.name: reported(reply)})


class Malformed(ModelError):
    """The model answered, but not with the data that was asked for."""


async def ask_for(
    shape: type[Shape],
    candidates: Sequence[Candidate],
    messages: Sequence[BaseMessage],
    *,
    seconds: float,
    schema: dict[str, Any] | None = None,
    spent: Spent | None = None,
) -> Shape:
    """The answer as `shape`: by JSON schema, else as a JSON object; validated in any case.

    `schema` is what the server is told when that is more than the shape demands; `spent` counts
    what it cost. Raises ModelError
    when no model answers, Malformed when the answer is blank, was cut at its length or does not
    fit the shape.
    """
    spent = spent or Spent()
    answer = await _answer(candidates, messages, formats(shape, schema), seconds, spent)
    found = _OBJECT.search(answer)
    if found is None:
        raise Malformed(f"model {candidates[0].name!r} answered without an object: {answer[:80]!r}")
    try:
        return shape.model_validate(clean_json(json.loads(found.group(), strict=False)))
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise Malformed(
            f"model {candidates[0].name!r} answered malformed data: {reason}"
        ) from error


_WAY = "response format"
"""Under which a candidate keeps the number of the first of the ways that its server knows."""


async def _answer(
    candidates: Sequence[Candidate],
    messages: Sequence[BaseMessage],
    ways: Sequence[dict[str, Any]],
    seconds: float,
    spent: Spent,
) -> str:
    learnt, last = candidates[0].learnt, len(ways) - 1
    for number in range(learnt.get(_WAY, 0), last):
        try:
            answer = await _text(candidates, messages, ways[number], seconds, spent)
        except ModelError as error:
            if not _unknown_format(error):
                raise
        else:
            learnt[_WAY] = number
            return answer
    answer = await _text(candidates, messages, ways[last], seconds, spent)
    learnt[_WAY] = last
    return answer


def _unknown_format(error: ModelError) -> bool:
    """Whether the server does not know this response format; some say so with a 500."""
    cause = error.__cause__
    if not isinstance(cause, openai.APIStatusError) or error.overflow:
        return False
    return isinstance(cause, openai.BadRequestError) or "response_format" in str(cause)


async def _text(
    candidates: Sequence[Candidate],
    messages: Sequence[BaseMessage],
    response_format: dict[str, Any],
    seconds: float,
    spent: Spent,
) -> str:
    # As a plain part of the body: given by name it sends the client through its own parsing,
    # which takes seconds to import and raises for answers that are handled here.
    asked = [c.asking(extra_body={"response_format": response_format}) for c in candidates]
    reply, writer = await ask(asked, messages, seconds=seconds)
    spent.add(writer, reply)
    if reply.response_metadata.get("finish_reason") == "length":
        raise Malformed(f"model {writer.name!r} was cut off at its length")
    if reply.additional_kwargs.get("refusal"):
        raise Malformed(f"model {writer.name!r} refused")
    return reply.text


def formats(shape: type[BaseModel], schema: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """The ways to ask for `shape`, the most exact first: OpenAI's, llama.cpp's, everybody's."""
    schema = schema or shape.model_json_schema()
    named = {"name": shape.__name__, "schema": schema, "strict": False}
    return [
        {"type": "json_schema", "json_schema": named},
        {"type": "json_object", "schema": schema},
        {"type": "json_object"},
    ]


def is_refusal(error: ModelError) -> bool:
    """Whether the model answered and the answer was no use, so that asking again may not help."""
    return isinstance(error, Malformed) or isinstance(
        error.__cause__, openai.BadRequestError | openai.UnprocessableEntityError | None
    )
