"""The HTTP routes: chat completions, embeddings, models."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from json import JSONDecodeError
from typing import Any
from uuid import uuid4

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.model_server import embeddings, faults, plan, wire
from app.model_server.chat import BadRequestError, ChatRequest
from app.model_server.player import PlayedResponse
from app.model_server.recorder import RecordedRequest, Recorder
from app.model_server.script import Script, ScriptExhaustedError
from app.model_server.signals import Signal
from app.model_server.steps import Broken, Held, HttpAnswer, Reply, Step
from app.model_server.usage import UsageMeter
from app.model_server.validator import violations

NO_RETRY = {"x-should-retry": "false"}
"""OpenAI's clients obey it: what fails the test need not fail three times."""


class Api:
    """Answers from a script, and records what it is asked."""

    def __init__(
        self,
        script: Script,
        recorder: Recorder,
        stopping: Signal,
        *,
        strict: bool,
        embedding_faults: Iterable[HttpAnswer],
        models: Iterable[str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._script = script
        self._recorder = recorder
        self._stopping = stopping
        self._strict = strict
        self._embedding_faults = deque(embedding_faults)
        self._models = list(models)
        self._clock = clock
        self._meter = UsageMeter()

    def app(self) -> Starlette:
        """Build the ASGI application."""
        routes = [
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/embeddings", self._embeddings, methods=["POST"]),
            Route("/v1/models", self._list_models, methods=["GET"]),
        ]
        handlers = {BadRequestError: self._refused, Exception: self._failed}
        return Starlette(routes=routes, exception_handlers=handlers)

    def unused_embedding_faults(self) -> list[HttpAnswer]:
        """List the faults that no request for embeddings has met yet."""
        return list(self._embedding_faults)

    async def _chat(self, request: Request) -> Response:
        body = await _json_object(request)
        chat = ChatRequest(body)
        recorded = self._recorder.add("chat", body, request.headers, self._clock())
        step = self._step(chat, recorded)
        model, now = chat.model, int(recorded.at)
        envelope = wire.Envelope(id=f"chatcmpl-{uuid4().hex}", created=now, model=model)
        measured = self._meter.measure(chat, _reply_of(step))
        usage = _reply_of(step).usage or measured
        acts = plan.plan(step, chat, envelope, usage)
        return PlayedResponse(acts, recorded, self._stopping)

    def _step(self, chat: ChatRequest, recorded: RecordedRequest) -> Step:
        if self._strict:
            recorded.violations = violations(chat.messages)
        if recorded.violations:
            reason = "; ".join(recorded.violations)
            self._recorder.blame(f"request {recorded.number} is invalid: {reason}")
            return faults.error(400, reason, code="invalid_messages", headers=NO_RETRY)
        try:
            return self._script.next(chat)
        except ScriptExhaustedError as error:
            reason = f"request {recorded.number}: {error}"
            self._recorder.blame(reason)
            return faults.error(
                500, reason, kind="server_error", code="script_exhausted", headers=NO_RETRY
            )

    async def _embeddings(self, request: Request) -> Response:
        body = await _json_object(request)
        answer = embeddings.response(body)
        recorded = self._recorder.add("embeddings", body, request.headers, self._clock())
        if self._embedding_faults:
            acts = plan.answer(self._embedding_faults.popleft())
            return PlayedResponse(acts, recorded, self._stopping)
        recorded.finished.set()
        return JSONResponse(answer)

    async def _list_models(self, _request: Request) -> Response:
        data = [
            {"id": name, "object": "model", "created": 0, "owned_by": "longhaul"}
            for name in self._models
        ]
        return JSONResponse({"object": "list", "data": data})

    async def _refused(self, _request: Request, error: Exception) -> Response:
        if self._strict:
            self._recorder.blame(f"a request is none that the API defines: {error}")
        body = {"error": {"message": str(error), "type": "invalid_request_error", "code": None}}
        return JSONResponse(body, status_code=400)

    async def _failed(self, _request: Request, error: Exception) -> Response:
        """Answer what nothing else caught, such as a script's function that raises."""
        self._recorder.blame(f"the server failed: {error!r}")
        body = {"error": {"message": f"The model server failed: {error!r}", "type": "server_error"}}
        return JSONResponse(body, status_code=500, headers=NO_RETRY)


def _reply_of(step: Step) -> Reply:
    """Find the reply whose tokens are counted."""
    match step:
        case Held():
            return _reply_of(step.step)
        case Broken():
            return step.reply
        case Reply():
            return step
        case _:
            return Reply()


async def _json_object(request: Request) -> Mapping[str, Any]:
    try:
        body = await request.json()
    except (JSONDecodeError, UnicodeDecodeError) as error:
        raise BadRequestError(f"the body is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise BadRequestError("the body must be a JSON object")
    return body
