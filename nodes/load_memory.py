"""The first node of a turn: upgrades, applies a finished compaction, numbers and dates the turn."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from memory import handover, ownership, posts, profile
from memory.facts import log_events
from memory.refresh import refreshed
from memory.stopped import kept
from nodes.owner import run_owner
from nodes.recall import asked_in, gate
from state.admission import AT
from state.context import Context
from state.exchanges import group
from state.extraction import reopened
from state.folding import apply, fits
from state.handover import undone
from state.marks import Marks
from state.messages import merge_messages
from state.recalled import Recalled
from state.refers_back import When
from state.replies import stopped_reply, was_cut_short
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
    recall: Callable[[], When]
    """When old turns are searched."""
    facts: Callable[[], int]
    """Most tokens of facts that a request holds without being asked."""
    clock: Callable[[], datetime]

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """The newest exchange's number and time, counted from the window: it can run twice."""
        update = upgrade(state)
        store, info = runtime.store, runtime.execution_info
        messages = state["messages"]
        if store is not None and info is not None and info.thread_id is not None:
            stopped = await self._stopped(messages, store, info.thread_id)
            messages = merge_messages(messages, stopped)
            update |= reopened(state, _turn(state, messages))
            now: SessionState = {**state, **update, "messages": messages}
            remembered, desk = await asyncio.gather(
                self._remembered(now, runtime, store, info.thread_id),
                self._desk(now, store, info.thread_id),
            )
            seen: SessionState = {**now, **remembered}
            update |= remembered
            update |= await self._folded(seen, desk, store, info.thread_id)
            if undone(state):
                update["person"] = None
                await handover.drop(store, info.thread_id)
            if stopped:
                update["messages"] = [*stopped, *update.get("messages", [])]
        update["turn"] = _turn(state, messages)
        said = group(messages)[-1].asked[0].additional_kwargs.get(AT)
        update["at"] = said or self.clock().isoformat()
        update["recalled"] = self._gate(state, update)
        return update

    def _gate(self, state: SessionState, update: SessionUpdate) -> Recalled:
        """Whether to search for the newest message, and why."""
        now: SessionState = {**state, **update}
        messages = merge_messages(state["messages"], update.get("messages", []))
        if now.get("person"):
            reason = "a person replies"
            return Recalled(searched=False, reason=reason, sought="", passages=[], trouble="")
        return gate(now, messages, self.recall())

    async def _remembered(
        self, state: SessionState, runtime: Runtime[Context], store: BaseStore, thread: str
    ) -> SessionUpdate:
        """The facts with what was set by hand, and with what the user's other threads know."""
        owner, turn = run_owner(runtime, thread), _turn(state, state["messages"])
        if owner.kind == "user" and ownership.is_new(thread, state):
            await ownership.claim(store, thread, owner.id, state)
        fresh = await refreshed(
            store,
            thread,
            owner,
            state,
            turn=turn,
            budget=self.facts(),
            message=asked_in(state["messages"]),
        )
        if fresh.unsaid:
            await profile.unlearn(store, owner.id, fresh.unsaid)
        await profile.tidy(store, owner.id, fresh.learnt)
        await log_events(store, thread, at=self.clock().isoformat(), events=fresh.events)
        # Before anything was summarised, what is known from before is the only thing pinned.
        pinned = fresh.pinned if turn > 1 or state.get("pinned") else fresh.facts
        # What stays as it was is not written once more.
        update = SessionUpdate()
        if fresh.facts != state.get("facts", {}):
            update["facts"] = fresh.facts
        if pinned != state.get("pinned", {}):
            update["pinned"] = pinned
        if fresh.by_hand_through != state.get("by_hand_through", ""):
            update["by_hand_through"] = fresh.by_hand_through
        return update

    async def _stopped(
        self, messages: list[AnyMessage], store: BaseStore, thread: str
    ) -> list[AnyMessage]:
        """What was read of the reply that the newest message put an end to, if any was."""
        newest = group(messages)[-1]
        if len(newest.asked) < 2:
            return []
        stopped = await kept(store, thread)
        if stopped is None or not was_cut_short(newest.messages, stopped["after"]):
            return []
        return [stopped_reply(stopped["text"], id=stopped["id"], after=stopped["after"])]

    async def _desk(self, state: SessionState, store: BaseStore, thread: str) -> posts.Desk | None:
        """What the work behind the replies left; None while the window is too small for any."""
        low = self.marks().low
        if size(group(state["messages"]), low) <= low.amount:
            return None
        return await posts.look(store, thread)

    async def _folded(
        self, state: SessionState, desk: posts.Desk | None, store: BaseStore, thread: str
    ) -> SessionUpdate:
        """The finished compaction that fits this window; a full one waits for one at work."""
        if desk is None:
            return SessionUpdate()
        full = count_messages(state["messages"]) > self.marks().hard * _FULL
        end = asyncio.get_running_loop().time() + self.patience()
        waited = False
        while True:
            if desk.result is not None and fits(state, desk.result):
                return apply(desk.result, state)
            late = asyncio.get_running_loop().time() > end
            if not full or late or not desk.busy(self.clock()):
                break
            if not waited:
                log.warning("thread %s: the window is full; waiting for its summary", thread)
            waited = True
            await asyncio.sleep(_POLL_SECONDS)
            desk = await posts.look(store, thread)
        if full:
            log.warning("thread %s: the window is full; a shortened view is sent", thread)
        return SessionUpdate()


def _turn(state: SessionState, messages: list[AnyMessage]) -> int:
    """The number of the newest exchange of `messages`, the window of `state`."""
    return state.get("summary", EMPTY)["through"] + len(group(messages))
