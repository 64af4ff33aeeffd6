"""The chosen model over HTTP, as a function: what a request gets from it is a step of a script."""

from collections.abc import Mapping
from typing import Any

import httpx

from app.model_server import faults
from app.model_server.chat import ChatRequest
from app.model_server.steps import HttpAnswer, Reply, Step, ToolCall, Usage, words
from graph.resources import OPENAI
from graph.settings import Settings

_STREAMED = {"stream", "stream_options"}


class Upstream:
    """An OpenAI-compatible server. Its refusals are passed on as they come."""

    def __init__(self, settings: Settings) -> None:
        key = settings.openai_api_key
        headers = {"authorization": f"Bearer {key.get_secret_value()}"} if key else {}
        base = (settings.openai_base_url or OPENAI).rstrip("/")
        self._url = f"{base}/chat/completions"
        self._client = httpx.Client(headers=headers, timeout=settings.request_timeout)

    def __call__(self, request: ChatRequest) -> Step:
        body = {name: value for name, value in request.body.items() if name not in _STREAMED}
        try:
            answer = self._client.post(self._url, json=body)
        except httpx.HTTPError as error:
            return faults.error(502, f"the model does not answer: {error!r}", kind="server_error")
        if answer.status_code != httpx.codes.OK:
            kept = {k: v for k, v in answer.headers.items() if k == "retry-after"}
            return HttpAnswer(status=answer.status_code, body=answer.content, headers=kept)
        return as_step(answer.json())

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()


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
