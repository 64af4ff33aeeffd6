"""An instant model over real HTTP, in a process of its own: `python -m evals.bench.model`.

Every contestant asks it through the same client. It answers at once, in few pieces, so that what
is measured is the contestant and that client; and it writes down each request and when it came.
"""

import asyncio
import json
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.model_server import wire
from app.model_server.chat import ChatRequest, text_of
from app.model_server.listener import listener
from app.model_server.steps import Reply, Usage, text
from evals.bench.conversation import conversation
from evals.bench.extraction import extraction
from evals.bench.summaries import summary
from state.tokens import PER_MESSAGE, count_text

REPLY = "reply-model"
"""Name of the model that answers the user."""
SUMMARY = "summary-model"
"""Name of the model that writes summaries."""
EXTRACT = "extract-model"
"""Name of the model that takes facts out."""
OTHER_WORDS = "that was none of the conversation."
"""What it answers to words that are not the conversation's."""
_PIECES = 4
_KEEP_ALIVE_SECONDS = 600
"""Contestants take turns: one that waits for its next block keeps its connection."""


class InstantModel:
    """The conversation's replies, summaries, facts; each model answers after a delay of its own."""

    def __init__(
        self, turns: int, seed: int, *, log: Path, delays: dict[str, float] | None = None
    ) -> None:
        self._replies = {each.user: each.reply for each in conversation(turns, seed)}
        self._log = log
        self._delays = delays or {}

    def app(self) -> Starlette:
        """The ASGI application: each contestant has a base URL, `/<contestant>/v1`."""
        path = "/{contestant}/v1/chat/completions"
        return Starlette(routes=[Route(path, self._answer, methods=["POST"])])

    async def _answer(self, request: Request) -> Response:
        raw = await request.body()
        at = time.monotonic_ns()
        chat = ChatRequest(json.loads(raw))
        reply = self._reply(chat)
        await asyncio.sleep(self._delays.get(chat.model, 0.0))
        entry = b'{"at": %d, "body": %s}\n' % (at, raw)
        file = self._log / f"{request.path_params['contestant']}.jsonl"
        return _response(chat, reply, BackgroundTask(_append, file, entry))

    def _reply(self, chat: ChatRequest) -> Reply:
        if chat.model == SUMMARY:
            return _in_pieces(summary(chat))
        if chat.model == EXTRACT:
            return _in_pieces(extraction(chat))
        asked = next((m for m in reversed(chat.messages) if m["role"] == "user"), {})
        words = text_of(asked).partition("\n\n<context>")[0]
        return _in_pieces(self._replies.get(words, OTHER_WORDS))


def _in_pieces(content: str) -> Reply:
    size = -(-len(content) // _PIECES)
    return text(content, pieces=[content[i : i + size] for i in range(0, len(content), size)])


def _response(chat: ChatRequest, reply: Reply, after: BackgroundTask) -> Response:
    sizes = [PER_MESSAGE + count_text(text_of(message)) for message in chat.messages]
    usage = Usage(prompt_tokens=sum(sizes), completion_tokens=count_text(reply.content or ""))
    envelope = wire.Envelope(id=f"chatcmpl-{time.time_ns()}", created=0, model=chat.model)
    if not chat.stream:
        return JSONResponse(envelope.completion([wire.whole(reply)], usage), background=after)
    told = usage if chat.include_usage else None
    events = [wire.event(chunk.body) for chunk in wire.chunks(reply, envelope, told)]
    body = b"".join([*events, wire.DONE])
    return Response(body, media_type="text/event-stream", background=after)


async def _append(file: Path, entry: bytes) -> None:
    with file.open("ab") as log:
        log.write(entry)


def serve(
    log: Annotated[Path, typer.Option(help="Folder of the requests, a file a contestant.")],
    turns: Annotated[int, typer.Option(help="Turns of the conversation.")],
    seed: Annotated[int, typer.Option(help="Seed of the conversation.")] = 0,
    delays: Annotated[str, typer.Option(help="Seconds by model, as JSON.")] = "{}",
) -> None:
    """Serve until killed; the first line printed is the URL."""
    waits: dict[str, Any] = json.loads(delays)
    model = InstantModel(turns, seed, log=log, delays=waits)
    listening = listener()
    sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    run([listening], model)


def run(listeners: Sequence[socket.socket], model: InstantModel) -> None:
    """Serve on open sockets."""
    config = uvicorn.Config(
        model.app(),
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
    )
    asyncio.run(uvicorn.Server(config).serve(sockets=list(listeners)))


if __name__ == "__main__":
    typer.run(serve)
