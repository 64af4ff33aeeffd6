"""Tokens by model, as the providers report them, added up."""

from collections.abc import Mapping

from langchain_core.messages import AIMessage
from typing_extensions import TypedDict


class ModelUsage(TypedDict):
    """Running totals of what one model was sent and wrote in this thread."""

    requests: int
    input_tokens: int
    cached_tokens: int
    """Part of `input_tokens` that the provider read from its prompt cache."""
    output_tokens: int


NONE = ModelUsage(requests=0, input_tokens=0, cached_tokens=0, output_tokens=0)


def reported(reply: AIMessage) -> ModelUsage:
    """What the provider reported for `reply`; one request of no tokens when it did not."""
    told = reply.usage_metadata
    if told is None:
        return {**NONE, "requests": 1}
    return ModelUsage(
        requests=1,
        input_tokens=told["input_tokens"],
        cached_tokens=told.get("input_token_details", {}).get("cache_read", 0),
        output_tokens=told["output_tokens"],
    )


def added(one: Mapping[str, ModelUsage], other: Mapping[str, ModelUsage]) -> dict[str, ModelUsage]:
    """The sum of both, by model."""
    return {name: _sum(one.get(name, NONE), other.get(name, NONE), 1) for name in {**one, **other}}


def less(one: Mapping[str, ModelUsage], other: Mapping[str, ModelUsage]) -> dict[str, ModelUsage]:
    """By model, how much `one` is above `other`; models that are not above it are left out."""
    over = {name: _sum(usage, other.get(name, NONE), -1) for name, usage in one.items()}
    return {name: usage for name, usage in over.items() if usage["requests"] > 0}


def _sum(one: ModelUsage, other: ModelUsage, sign: int) -> ModelUsage:
    return ModelUsage(
        requests=one["requests"] + sign * other["requests"],
        input_tokens=one["input_tokens"] + sign * other["input_tokens"],
        cached_tokens=one["cached_tokens"] + sign * other["cached_tokens"],
        output_tokens=one["output_tokens"] + sign * other["output_tokens"],
    )
