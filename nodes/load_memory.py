"""The first node of a turn: upgrades, applies a finished compaction, numbers and dates the turn."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from memory import posts
from state.admission import AT
from state.context import Context
from state.exchanges import group
from state.folding import Post, apply, fits
from state.marks import Marks
from state.session import SessionState, SessionUpdate
from state.summary import EMPTY
from state.tokens import count_messages
from state.upgrade import upgrade
from state.window import size

log = logging.getLogger(__name__)

_FULL = 0.75
"""Share of the hard limit at which a window waits for the summary that is being written."""
_POLL_SECONDS = 0.2


@dataclass(frozen=True, kw_only=True)
class LoadMemory:
    """Node `load_memory`."""

    marks: Callable[[], Marks]
    patience: Callable[[], float]
    """Seconds to wait for a summary when the window is full."""
    clock: Callable[[], datetime]

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """The newest exchange's number and time, counted from the window: it can run twice."""
        exchanges = group(state["messages"])
        said = exchanges[-1].asked[0].additional_kwargs.get(AT) or self.clock().isoformat()
        turn = state.get("summary", EMPTY)["through"] + len(exchanges)
        update = upgrade(state) | SessionUpdate(turn=turn, at=said)
        info = runtime.execution_info
        marks = self.marks()
        if (
            runtime.store
            and info
            and info.thread_id
            and size(exchanges, marks.low) > marks.low.amount
        ):
            post = await self._finished(state, runtime.store, info.thread_id, marks)
            if post is not None:
                update |= apply(post)
        return update

    async def _finished(
        self, state: SessionState, store: BaseStore, thread: str, marks: Marks
    ) -> Post | None:
        """The compaction that fits this window; a full window waits while one is at work."""
        full = count_messages(state["messages"]) > marks.hard * _FULL
        end = asyncio.get_running_loop().time() + self.patience()
        waited = False
        while True:
            desk = await posts.look(store, thread)
            if desk.result is not None and fits(state, desk.result):
                return desk.result
            late = asyncio.get_running_loop().time() > end
            if not full or late or not desk.busy(self.clock()):
                break
            if not waited:
                log.warning("thread %s: the window is full; waiting for its summary", thread)
            waited = True
            await asyncio.sleep(_POLL_SECONDS)
        if full:
            log.warning("thread %s: the window is full; a shortened view is sent", thread)
        return None
