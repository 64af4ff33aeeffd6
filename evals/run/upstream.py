"""The chosen model over HTTP, as a function: what a request gets from it is a step of a script."""

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from app.model_server import faults
from app.model_server.chat import ChatRequest
from app.model_server.steps import HttpAnswer, Reply, Step, ToolCall, Usage, words
from evals.run.gateway import TimedReply, form_of
from graph.resources import OPENAI
from graph.settings import Settings

_STREAMED = {"stream", "stream_options"}
_AS_STREAM = {"stream": True, "stream_options": {"include_usage": True}}
_DATA = "data:"
_DONE = "[DONE]"


class Upstream:
    """An OpenAI-compatible server. Its refusals are passed on as they come."""

    def __init__(self, settings: Settings, transport: httpx.BaseTransport | None = None) -> None:
        key = settings.openai_api_key
        headers = {"authorization": f"Bearer {key.get_secret_value()}"} if key else {}
        base = (settings.openai_base_url or OPENAI).rstrip("/")
        self._url = f"{base}/chat/completions"
        self._client = httpx.Client(
            headers=headers, timeout=settings.request_timeout, transport=transport
        )

    def __call__(self, request: ChatRequest) -> Step:
        """The answer; that of a reply is streamed, so that its first word can be timed."""
        body = {name: value for name, value in request.body.items() if name not in _STREAMED}
        streamed = not form_of(request)
        began = time.monotonic()
        try:
            with self._client.stream(
                "POST", self._url, json=body | (_AS_STREAM if streamed else {})
            ) as answer:
                if answer.status_code != httpx.codes.OK:
                    kept = {k: v for k, v in answer.headers.items() if k == "retry-after"}
                    return HttpAnswer(status=answer.status_code, body=answer.read(), headers=kept)
                if not streamed:
                    answer.read()
                    return as_step(answer.json())
                return _timed(answer.iter_lines(), began)
        except httpx.HTTPError as error:
            return faults.error(502, f"the model does not answer: {error!r}", kind="server_error")

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()


def _timed(lines: Iterable[str], began: float) -> Step:
    """The step of a stream, and when its first word came."""
    pieces: list[Mapping[str, Any]] = []
    first: float | None = None
    for line in lines:
        data = line.removeprefix(_DATA).strip()
        if not line.startswith(_DATA) or data == _DONE:
            continue
        pieces.append(json.loads(data))
        if first is None and _says(pieces[-1]):
            first = time.monotonic() - began
    step = as_step(whole(pieces))
    if not isinstance(step, Reply) or first is None:
        return step
    return TimedReply(**vars(step), first_token=first)


def _says(piece: Mapping[str, Any]) -> bool:
    deltas = [choice.get("delta") or {} for choice in piece.get("choices") or ()]
    return any(d.get("content") or d.get("tool_calls") or d.get("refusal") for d in deltas)


def whole(pieces: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The completion that a stream told in pieces."""
    said: dict[str, str] = {}
    calls: dict[int, dict[str, Any]] = {}
    finish, usage, begun = None, None, False
    for piece in pieces:
        usage = piece.get("usage") or usage
        for choice in piece.get("choices") or ():
            begun = True
            delta = choice.get("delta") or {}
            finish = choice.get("finish_reason") or finish
            for name in ("content", "refusal"):
                if delta.get(name):
                    said[name] = said.get(name, "") + delta[name]
            for call in delta.get("tool_calls") or ():
                _add(calls.setdefault(call.get("index", 0), {"name": "", "arguments": ""}), call)
    message = {
        **said,
        "tool_calls": [{"id": c.get("id"), "function": c} for _, c in sorted(calls.items())],
    }
    choices = [{"message": message, "finish_reason": finish}] if begun else []
    return {"choices": choices, "usage": usage}


def _add(call: dict[str, Any], more: Mapping[str, Any]) -> None:
    """The next piece of a tool call."""
    function = more.get("function") or {}
    call["id"] = call.get("id") or more.get("id")
    for name in ("name", "arguments"):
        call[name] += function.get(name) or ""


def as_step(completion: Mapping[str, Any]) -> Step:
    """A completion, as one that is sent again."""
    if not (choices := completion.get("choices")):
        return faults.empty_choices()
    message = choices[0]["message"]
    content, refusal = message.get("content"), message.get("refusal")
    calls = [
        ToolCall(name=c["function"]["name"], arguments=c["function"]["arguments"], id=c.get("id"))
        for c in message.get("tool_calls") or ()
    ]
    return Reply(
        content=content,
        pieces=words(content or refusal or ""),
        refusal=refusal,
        calls=tuple(calls),
        finish_reason=choices[0].get("finish_reason") or "stop",
        usage=_usage(completion.get("usage") or {}),
    )


def _usage(told: Mapping[str, Any]) -> Usage | None:
    if "prompt_tokens" not in told:
        return None
    cached = (told.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return Usage(
        prompt_tokens=told["prompt_tokens"],
        completion_tokens=told.get("completion_tokens") or 0,
        cached_tokens=cached,
    )
