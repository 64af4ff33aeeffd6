"""What a script may say: replies, and the handles to hold them."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from app.model_server.signals import Signal

FinishReason: TypeAlias = Literal["stop", "length", "tool_calls", "content_filter"]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens of one reply; `cached_tokens` is the part of the prompt read from a cache."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A call as it goes over the wire, arguments as JSON text. No id: the server makes one."""

    name: str
    arguments: str
    id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A completion. No usage: the server counts a token for every four characters."""

    content: str | None = None
    pieces: tuple[str, ...] = ()
    """How a stream cuts the content, or the refusal if there is no content."""
    refusal: str | None = None
    calls: tuple[ToolCall, ...] = ()
    finish_reason: FinishReason = "stop"
    usage: Usage | None = None
    delay: float = 0.0
    """Seconds before each piece of a stream, or once before a reply in one piece."""


@dataclass(frozen=True, kw_only=True)
class EmptyChoices:
    """A completion that holds no choice."""


@dataclass(frozen=True, kw_only=True)
class HttpAnswer:
    """An answer that is no completion: status, headers and body, the same streamed or not."""

    status: int
    body: bytes
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Stall:
    """No answer at all until the client gives up."""


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A reply that goes wrong once a stream has sent `after_chunks` pieces.

    Not streamed, a stall never answers, a cut drops the connection in the middle of the body, and
    an error is answered with status 500.
    """

    reply: Reply
    how: Literal["stall", "cut", "error"]
    after_chunks: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Held:
    """A step that waits: `reached` happens by itself, `release()` is the test's to call."""

    step: "Step"
    after_chunks: int
    reached: Signal = field(default_factory=lambda: Signal("the held step was reached"))
    released: Signal = field(default_factory=lambda: Signal("the held step was released"))

    def release(self) -> None:
        """Let the step go on; allowed before it is reached."""
        self.released.set()


Step: TypeAlias = Reply | EmptyChoices | HttpAnswer | Stall | Broken | Held


def text(
    content: str,
    *,
    pieces: Sequence[str] | None = None,
    finish_reason: FinishReason = "stop",
    usage: Usage | None = None,
    delay: float = 0.0,
) -> Reply:
    """Make a reply in words, streamed word by word unless its pieces are given."""
    cut = words(content) if pieces is None else tuple(pieces)
    if "".join(cut) != content:
        raise ValueError(f"the pieces {cut!r} do not make up {content!r}")
    return Reply(content=content, pieces=cut, finish_reason=finish_reason, usage=usage, delay=delay)


def call(
    name: str,
    arguments: Mapping[str, Any] | str,
    *,
    id: str | None = None,
) -> ToolCall:
    """Make one tool call; arguments given as a string are sent as they stand, valid JSON or not."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(name=name, arguments=raw, id=id)


def tool_calls(
    *calls: ToolCall, content: str | None = None, usage: Usage | None = None, delay: float = 0.0
) -> Reply:
    """Make a reply that calls tools, with words before the calls if content is given."""
    if not calls:
        raise ValueError("a reply that calls tools needs a call")
    return Reply(
        content=content,
        pieces=() if content is None else words(content),
        calls=calls,
        finish_reason="tool_calls",
        usage=usage,
        delay=delay,
    )


def hold(step: Step, *, after_chunks: int = 0) -> Held:
    """Make a step wait until the test releases it.

    With `after_chunks=0`, and whenever the request asks for no stream, nothing is sent before the
    release. Otherwise a stream sends that many pieces first (all of them, if the reply has fewer)
    and holds its end back.
    """
    if after_chunks and not isinstance(step, Reply):
        raise ValueError(f"only a reply can be held after {after_chunks} chunks, not {step!r}")
    return Held(step=step, after_chunks=after_chunks)


def words(content: str) -> tuple[str, ...]:
    """Cut a text before each word, losing nothing."""
    return tuple(piece for piece in re.split(r"(?<=\s)(?=\S)", content) if piece)
