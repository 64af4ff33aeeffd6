"""Replies as the API's JSON: a whole completion, or the chunks of a stream."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from app.model_server.steps import Reply, ToolCall, Usage

Json = dict[str, Any]

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """One event of a stream; a piece carries words or arguments of the reply."""

    body: Json
    is_piece: bool = False


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """What every part of one completion repeats; `created` in seconds since 1970."""

    id: str
    created: int
    model: str

    def completion(self, choices: list[Json], usage: Usage) -> Json:
        """Wrap the choices of a reply that is not streamed."""
        return {**self._head("chat.completion"), "choices": choices, "usage": usage_json(usage)}

    def chunk(self, choices: list[Json], usage: Usage | None = None) -> Json:
        """Wrap the choices of one event."""
        body = {**self._head("chat.completion.chunk"), "choices": choices}
        return body if usage is None else {**body, "usage": usage_json(usage)}

    def _head(self, kind: str) -> Json:
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": "fp_model_server",
        }


def event(body: Json) -> bytes:
    """Encode one server-sent event."""
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


def usage_json(usage: Usage) -> Json:
    """Lay usage out as the API does."""
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def whole(reply: Reply) -> Json:
    """Lay out the one choice of a reply that is not streamed."""
    message: Json = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
    if reply.calls:
        message["tool_calls"] = [_call(each) for each in reply.calls]
    return _choice("message", message, reply.finish_reason)


def chunks(reply: Reply, envelope: Envelope, usage: Usage | None) -> Iterator[Chunk]:
    """Lay out the events of a stream; with usage None the stream does not report it."""
    yield _delta(envelope, {"role": "assistant", "content": "", "refusal": None})
    key = "refusal" if reply.content is None else "content"
    for piece in reply.pieces:
        yield _delta(envelope, {key: piece}, is_piece=True)
    for index, each in enumerate(reply.calls):
        yield from _call_chunks(envelope, index, each)
    yield Chunk(body=envelope.chunk([_choice("delta", {}, reply.finish_reason)]))
    if usage is not None:
        yield Chunk(body=envelope.chunk([], usage))


def _call_chunks(envelope: Envelope, index: int, made: ToolCall) -> Iterator[Chunk]:
    whole_call = _call(made)
    opening = {**whole_call, "function": {**whole_call["function"], "arguments": ""}}
    yield _delta(envelope, {"tool_calls": [{"index": index, **opening}]})
    for start in range(0, len(made.arguments), 8):
        function = {"arguments": made.arguments[start : start + 8]}
        yield _delta(
            envelope, {"tool_calls": [{"index": index, "function": function}]}, is_piece=True
        )


def _call(made: ToolCall) -> Json:
    return {
        "id": made.id or f"call_{uuid4().hex}",
        "type": "function",
        "function": {"name": made.name, "arguments": made.arguments},
    }


def _delta(envelope: Envelope, delta: Json, *, is_piece: bool = False) -> Chunk:
    return Chunk(body=envelope.chunk([_choice("delta", delta, None)]), is_piece=is_piece)


def _choice(key: str, value: Json, finish_reason: str | None) -> Json:
    return {"index": 0, key: value, "logprobs": None, "finish_reason": finish_reason}
