"""A step as what the server does for it, one act after the other; nothing is done here."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from app.model_server import faults, wire
from app.model_server.chat import ChatRequest
from app.model_server.steps import (
    Broken,
    EmptyChoices,
    Held,
    HttpAnswer,
    Reply,
    Stall,
    Step,
    Usage,
)

BROKEN_EVENT: wire.Json = {
    "error": {"message": "The server had an error.", "type": "server_error", "code": None}
}


@dataclass(frozen=True)
class Start:
    """Send status and headers."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Send:
    """Send a part of the body."""

    body: bytes
    is_piece: bool = False


@dataclass(frozen=True)
class Pause:
    """Wait for some seconds."""

    seconds: float


@dataclass(frozen=True)
class Meet:
    """Say that a held step is reached, and wait for its release."""

    held: Held


@dataclass(frozen=True)
class Hang:
    """Do nothing more until the client leaves."""


@dataclass(frozen=True)
class Drop:
    """Close the connection with the answer incomplete."""


Act: TypeAlias = Start | Send | Pause | Meet | Hang | Drop


def plan(step: Step, request: ChatRequest, envelope: wire.Envelope, usage: Usage) -> Iterator[Act]:
    """Lay out the acts that answer a request with a step."""
    match step:
        case HttpAnswer():
            yield from answer(step)
        case Stall():
            yield Hang()
        case EmptyChoices():
            yield from _nothing(request, envelope, usage)
        case Reply():
            yield from _reply(step, request, envelope, usage)
        case Held():
            yield from _held(step, request, envelope, usage)
        case Broken():
            yield from _broken(step, request, envelope, usage)


def answer(given: HttpAnswer) -> Iterator[Act]:
    """Lay out an answer that is no completion."""
    length = str(len(given.body))
    head = {"content-type": given.media_type, "content-length": length, **given.headers}
    yield Start(given.status, head)
    yield Send(given.body)


def _nothing(request: ChatRequest, envelope: wire.Envelope, usage: Usage) -> Iterator[Act]:
    if request.stream:
        yield from _stream([wire.Chunk(body=envelope.chunk([]))])
    else:
        yield from _json(envelope.completion([], usage))


def _reply(
    step: Reply, request: ChatRequest, envelope: wire.Envelope, usage: Usage
) -> Iterator[Act]:
    if request.stream:
        yield from _stream(_chunks(step, request, envelope, usage), delay=step.delay)
    else:
        yield Pause(step.delay)
        yield from _json(envelope.completion([wire.whole(step)], usage))


def _held(step: Held, request: ChatRequest, envelope: wire.Envelope, usage: Usage) -> Iterator[Act]:
    if step.after_chunks and request.stream and isinstance(step.step, Reply):
        sent = _chunks(step.step, request, envelope, usage)
        meeting = (Meet(step),)
        yield from _stream(sent, step.after_chunks, meeting, delay=step.step.delay)
    else:
        yield Meet(step)
        yield from plan(step.step, request, envelope, usage)


def _broken(
    step: Broken, request: ChatRequest, envelope: wire.Envelope, usage: Usage
) -> Iterator[Act]:
    if request.stream:
        ends: dict[str, tuple[Act, ...]] = {
            "stall": (Hang(),),
            "cut": (Drop(),),
            "error": (Send(wire.event(BROKEN_EVENT)), Drop()),
        }
        sent = _chunks(step.reply, request, envelope, usage)
        yield from _stream(sent, step.after_chunks, ends[step.how])
    elif step.how == "stall":
        yield Hang()
    elif step.how == "error":
        yield from answer(faults.server_error())
    else:
        start, body = _json(envelope.completion([wire.whole(step.reply)], usage))
        yield start
        yield Send(body.body[: len(body.body) // 2])
        yield Drop()


def _json(body: wire.Json) -> tuple[Start, Send]:
    encoded = json.dumps(body, ensure_ascii=False).encode()
    head = {"content-type": "application/json", "content-length": str(len(encoded))}
    return Start(200, head), Send(encoded)


def _chunks(
    reply: Reply, request: ChatRequest, envelope: wire.Envelope, usage: Usage
) -> list[wire.Chunk]:
    return list(wire.chunks(reply, envelope, usage if request.include_usage else None))


def _stream(
    sent: list[wire.Chunk], after: int | None = None, then: tuple[Act, ...] = (), delay: float = 0.0
) -> Iterator[Act]:
    """Send chunks, and after so many pieces of them (or all there are) do something else first."""
    pieces = sum(chunk.is_piece for chunk in sent)
    due = None if after is None else min(after, pieces)
    yield Start(200, {"content-type": "text/event-stream; charset=utf-8"})
    count = 0
    for chunk in sent:
        if chunk.is_piece and delay:
            yield Pause(delay)
        yield Send(wire.event(chunk.body), is_piece=chunk.is_piece)
        count += chunk.is_piece
        if count == due:
            yield from then
            due = None
    yield Send(wire.DONE)
