"""The server itself, in a thread of its own, with an interface for any thread."""

import asyncio
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Self

import uvicorn

from app.model_server.listener import listener
from app.model_server.recorder import RecordedRequest, Recorder, Wanted
from app.model_server.routes import Api
from app.model_server.script import Answer, Script
from app.model_server.signals import Signal
from app.model_server.steps import HttpAnswer, Step


class ModelServerError(AssertionError):
    """What the server was asked does not fit its script."""


class ModelServer:
    """An OpenAI-compatible server on loopback that plays a script.

        with ModelServer([text("Hello."), faults.server_error()]) as server:
            client = ChatOpenAI(base_url=server.base_url, api_key="any", model="any")

    Leaving the block stops the server and raises `ModelServerError` if the script ran out, if a
    request was invalid, or if steps were left over (unless `allow_unused`). If the block raised
    already, the same is added to that error as a note.

    Args:
        script: A `Script`, its steps, or a function that makes a step for each request.
        strict: Refuse what `validator.violations` names, with status 400.
        allow_unused: Whether steps may be left over; can be set later.
        embedding_faults: What the first requests for embeddings get instead of vectors.
        models: What `GET /v1/models` lists; every name is answered all the same.
        port: 0 for any that is free.
        keep: How many requests are kept; None for all.

    """

    def __init__(
        self,
        script: Script | Iterable[Step] | Answer = (),
        *,
        strict: bool = True,
        allow_unused: bool = False,
        embedding_faults: Iterable[HttpAnswer] = (),
        models: Iterable[str] = ("model",),
        port: int = 0,
        keep: int | None = None,
    ) -> None:
        self.script = script if isinstance(script, Script) else Script(script)
        self.allow_unused = allow_unused
        self._recorder = Recorder(keep=keep)
        self._port = port
        self._stopping = Signal("the server was told to stop")
        self._api = Api(
            self.script,
            self._recorder,
            self._stopping,
            strict=strict,
            embedding_faults=embedding_faults,
            models=models,
        )
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        """Where the API is: `http://127.0.0.1:<port>/v1`; known once the server is started."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> list[RecordedRequest]:
        """The requests for chat, oldest first."""
        return self._recorder.requests("chat")

    @property
    def embedding_requests(self) -> list[RecordedRequest]:
        """The requests for embeddings, oldest first."""
        return self._recorder.requests("embeddings")

    @property
    def problems(self) -> list[str]:
        """What will fail the test."""
        unused = [*self.script.unused(), *self._api.unused_embedding_faults()]
        left = [] if self.allow_unused else [f"a step was not used: {step!r}" for step in unused]
        return [*self._recorder.problems, *left]

    def wait_for(
        self, n: int = 1, *, wanted: Wanted = lambda _: True, within: float = 10.0
    ) -> RecordedRequest:
        """Block until the n-th chat request (of those wanted) has come, and return it."""
        return self._recorder.wait_for(n, wanted, within)

    async def wait_for_async(
        self, n: int = 1, *, wanted: Wanted = lambda _: True, within: float = 10.0
    ) -> RecordedRequest:
        """As `wait_for`, without blocking the loop."""
        return await asyncio.to_thread(self._recorder.wait_for, n, wanted, within)

    def start(self) -> None:
        """Listen; `OSError` if the port is taken."""
        listening = listener(self._port)
        self._port = listening.getsockname()[1]
        config = uvicorn.Config(
            self._api.app(),
            http="h11",
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            log_level="critical",
            access_log=False,
        )
        server = _Server(config, self._stopping)
        self._thread = threading.Thread(
            target=lambda: asyncio.run(server.serve(sockets=[listening])),
            name="model-server",
            daemon=True,
        )
        self._thread.start()
        server.ready.wait()

    def stop(self) -> None:
        """Drop what is being answered, and close; a second call changes nothing."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def verify(self) -> None:
        """Raise `ModelServerError` if there are problems."""
        if self.problems:
            raise ModelServerError("\n".join(self.problems))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        if exc is None:
            self.verify()
        elif self.problems:
            exc.add_note("model server: " + "; ".join(self.problems))


class _Server(uvicorn.Server):
    """Stops by a signal of ours instead of looking ten times a second whether it should."""

    def __init__(self, config: uvicorn.Config, stopping: Signal) -> None:
        super().__init__(config)
        self.ready = Signal("the server listens")
        self._stopping = stopping

    async def main_loop(self) -> None:
        self.ready.set()
        await self._stopping.wait_async(within=None)
