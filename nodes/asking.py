"""Asking a model, with a fallback, so that every fault is a reply or one clear error."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import openai
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    InvalidToolCall,
    ToolCall,
    message_chunk_to_message,
)
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.runnables import Runnable
from pydantic import SecretStr

from state.replies import is_silent


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A model that may be asked, with the name and the server that an error text gives."""

    name: str
    server: str
    model: Runnable[LanguageModelInput, AIMessage]
    key: SecretStr | None = None
    """What no error text may hold, even where the server repeats it."""
    learnt: dict[str, int] = field(default_factory=dict)
    """What was found out about its server, for as long as its opener keeps it."""

    def asking(self, **options: Any) -> "Candidate":
        """The same model, asked with these options of the request."""
        return replace(self, model=self.model.bind(**options))


class ModelError(RuntimeError):
    """A model gave no usable reply. The text names the model, its server and the cause."""

    def __init__(self, text: str, *, heard: bool = False, overflow: bool = False) -> None:
        super().__init__(text)
        self.heard = heard
        """Whether some of its words were streamed already."""
        self.overflow = overflow
        """Whether the request was longer than the model's context."""


_FAULTS = (
    openai.OpenAIError,
    TimeoutError,
    ValueError,  # not JSON, words that are no text, no chunk at all
    TypeError,  # a choice that is no object
    AttributeError,  # an event that is no object
)
"""What langchain-openai raises for an answer that is late, broken or none."""

_TOO_LONG = re.compile(r"context (length|size|window|overflow)|prompt is too long", re.IGNORECASE)
"""How servers without OpenAI's code say so: vLLM, llama.cpp, LM Studio, proxies to Anthropic."""


async def _dropped(_: AIMessageChunk) -> None:
    """What is read of a reply that is stopped is worth nothing."""


async def ask(
    candidates: Sequence[Candidate],
    messages: Sequence[BaseMessage],
    *,
    seconds: float,
    on_stop: Callable[[AIMessageChunk], Awaitable[None]] = _dropped,
) -> tuple[AIMessage, Candidate]:
    """The whole reply, streamed through the run's callbacks, and who wrote it.

    A candidate that fails before its first word is followed by the next one; after it, the words
    are on somebody's screen already. `seconds` bounds each candidate. `on_stop` gets what was
    read when the run is cancelled. Raises ModelError.
    """
    failures: list[ModelError] = []
    for candidate in candidates:
        try:
            return await _reply(candidate, messages, seconds, on_stop), candidate
        except ModelError as error:
            failures.append(error)
            if error.heard:
                break
    raise ModelError(
        "; then ".join(str(error) for error in failures),
        heard=failures[-1].heard,
        overflow=any(error.overflow for error in failures),
    ) from failures[-1].__cause__


async def _reply(
    candidate: Candidate,
    messages: Sequence[BaseMessage],
    seconds: float,
    on_stop: Callable[[AIMessageChunk], Awaitable[None]],
) -> AIMessage:
    reply: AIMessageChunk | None = None
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            async for chunk in candidate.model.astream(list(messages)):
                if isinstance(chunk, AIMessageChunk):
                    reply = chunk if reply is None else reply + chunk
    except asyncio.CancelledError:
        if reply is not None and not is_silent(reply):
            await on_stop(reply)
        raise
    except _FAULTS as error:
        cause = f"no reply within {seconds:g} s" if limit.expired() else explain(error)
        raise _failed(candidate, cause, reply, overflow=is_overflow(error)) from error
    if reply is None or not (finish := reply.response_metadata.get("finish_reason")):
        broken = EOFError("no finish reason")
        raise _failed(candidate, "the stream ended before the reply did", reply) from broken
    message = _strictly_read(reply)
    if is_silent(message) and not (message.tool_calls or message.invalid_tool_calls):
        raise _failed(candidate, f"an empty reply (finish reason {finish!r})", reply)
    return message


def _failed(
    candidate: Candidate, cause: str, reply: AIMessageChunk | None, *, overflow: bool = False
) -> ModelError:
    heard = reply is not None and not is_silent(reply)
    cut = ", after part of the reply" if heard else ""
    text = f"model {candidate.name!r} at {candidate.server}: {cause}{cut}"
    if candidate.key is not None:
        text = text.replace(candidate.key.get_secret_value(), "[key]")
    return ModelError(text, heard=heard, overflow=overflow)


def _strictly_read(streamed: AIMessageChunk) -> AIMessage:
    """The message, its tool arguments read from the raw stream: LangChain mends broken JSON.

    Arguments that were cut off must not run as if they had been meant that way.
    """
    message = message_chunk_to_message(streamed)
    calls: list[ToolCall] = []
    broken: list[InvalidToolCall] = []
    for chunk in streamed.tool_call_chunks:
        name, raw, call_id = chunk["name"], chunk["args"], chunk["id"]
        if (args := _object(raw or "{}")) is not None:
            calls.append(tool_call(name=name or "", args=args, id=call_id))
        else:
            broken.append(invalid_tool_call(name=name, args=raw, id=call_id))
    read = message.model_copy(update={"tool_calls": calls, "invalid_tool_calls": broken})
    return cast("AIMessage", read)


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, strict=False)
    except (json.JSONDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_overflow(error: Exception) -> bool:
    """Whether a server said that the request was longer than the model's context.

    langchain-openai looks for OpenAI's code in a text that no longer holds it.
    """
    match error:
        case ContextOverflowError() | openai.APIError(code="context_length_exceeded"):
            return True
        case openai.BadRequestError():
            return _TOO_LONG.search(error.message) is not None
        case _:
            return False


def explain(error: Exception) -> str:
    """The cause in a few words, without the request, its headers or a key."""
    match error:
        case _ if is_overflow(error):
            return "the request is longer than the model's context"
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return f"the key was refused (HTTP {error.status_code}); check OPENAI_API_KEY"
        case openai.RateLimitError():
            return "too many requests (HTTP 429), also after waiting"
        case openai.APIStatusError():
            said = error.message.removeprefix(f"Error code: {error.status_code}").strip(" -")
            return (
                f"HTTP {error.status_code}: {_short(said)}" if said else f"HTTP {error.status_code}"
            )
        case openai.APITimeoutError() | TimeoutError():
            return "the server went silent (LONGHAUL_REQUEST_TIMEOUT)"
        case openai.APIConnectionError():
            return f"the connection failed ({_short(str(_first_cause(error)))})"
        case openai.APIError():
            return _short(error.message)
        case _:
            return f"the answer could not be read ({_short(str(error))})"


def _first_cause(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _short(text: str) -> str:
    return " ".join(text.split())[:200]
