"""Work that outlives the run which started it, on the same event loop."""

import asyncio
import contextvars
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

log = logging.getLogger(__name__)


@dataclass
class Background:
    """The background tasks of one process: held, for a task that nobody holds may be collected."""

    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Sets `work` going in a fresh context: in the run's own, a model's tokens would stream."""
        task = asyncio.create_task(work, context=contextvars.Context())
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def settled(self, seconds: float) -> None:
        """Waits for what runs, at most so long; then gives it up."""
        if self._running:
            _, late = await asyncio.wait(set(self._running), timeout=seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("work behind a reply failed", exc_info=error)
