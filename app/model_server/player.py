"""Doing what a plan says, over one connection."""

import asyncio
from collections.abc import Iterable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.model_server import plan
from app.model_server.recorder import RecordedRequest
from app.model_server.signals import Signal


class PlayedResponse(Response):
    """An answer played act by act, given up when the client leaves or the server stops."""

    def __init__(
        self, acts: Iterable[plan.Act], recorded: RecordedRequest, stopping: Signal
    ) -> None:
        super().__init__()
        self._acts = acts
        self._recorded = recorded
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Play, as ASGI asks: returning early closes the connection."""
        playing = asyncio.create_task(self._play(send))
        leaving = asyncio.create_task(_until_disconnected(receive))
        stopping = asyncio.create_task(self._stopping.wait_async(within=None))
        tasks = {playing, leaving, stopping}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if playing in done:
            playing.result()
        elif leaving in done:
            self._recorded.disconnected = True
        self._recorded.finished.set()

    async def _play(self, send: Send) -> None:
        for act in self._acts:
            match act:
                case plan.Start():
                    await send(_start(act))
                case plan.Send():
                    await send({"type": "http.response.body", "body": act.body, "more_body": True})
                    self._count(act)
                case plan.Pause():
                    await asyncio.sleep(act.seconds)
                case plan.Meet():
                    act.held.reached.set()
                    await act.held.released.wait_async(within=None)
                case plan.Hang():
                    await asyncio.Event().wait()
                case plan.Drop():
                    return
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _count(self, act: plan.Send) -> None:
        if act.is_piece:
            self._recorded.chunks_sent += 1
            self._recorded.first_chunk.set()


def _start(act: plan.Start) -> dict[str, object]:
    headers = [(name.encode(), value.encode()) for name, value in act.headers.items()]
    return {"type": "http.response.start", "status": act.status, "headers": headers}


async def _until_disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
