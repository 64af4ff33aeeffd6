"""The node that writes finished exchanges to the transcript, and counts them."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from memory import counts, transcript
from nodes.corrections import Corrections
from nodes.indexing_job import Due, Indexing
from nodes.owner import run_owner
from state.asked_again import asked_again
from state.context import Context
from state.counts import Counts, Turn, counted, seconds_between
from state.exchanges import Exchange, group
from state.said import Said, said_in
from state.session import SessionState, SessionUpdate, Trail
from state.summary import EMPTY


@dataclass(frozen=True)
class Archive:
    """Node `archive`."""

    release: Callable[[str], str]
    """Names the release of a turn that the given model writes. Reads files at its first call."""
    corrections: Corrections
    indexing: Indexing

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """A row for each exchange after `archived_through`; for an edited one again."""
        store = runtime.store
        info = runtime.execution_info
        if store is None or info is None or info.thread_id is None:
            return SessionUpdate()
        first = state.get("summary", EMPTY)["through"] + 1
        exchanges = dict(enumerate(group(state["messages"]), first))
        trail = await _that_holds(exchanges, state.get("transcript"), store)
        done = transcript.turn_of(trail["last"]) if trail else 0
        numbered = [(turn, exchange) for turn, exchange in exchanges.items() if turn > done]
        owner = run_owner(runtime, info.thread_id)
        user = owner.id if owner.kind == "user" else ""
        trail = await transcript.write(store, info.thread_id, numbered, trail, user=user)
        if trail is None:
            return SessionUpdate()
        if first > 1:
            # Only what left the window is searched: a short conversation needs no vectors.
            mark = str(state["messages"][0].id)
            oldest = transcript.key_of(info.thread_id, first, exchanges[first])
            self.indexing.start(info.thread_id, Due(trail, store, first - 1, oldest, mark))
        now = await self._counted(state, info.thread_id, runtime.context.model)
        await counts.keep(store, now)
        return SessionUpdate(archived_through=max(exchanges), transcript=trail, counts=now)

    async def _counted(self, state: SessionState, thread: str, model: str) -> Counts:
        """The counters of `thread` after the newest turn of `state`."""
        turn = state["turn"]
        *before, said = said_in(group(state["messages"])[-2:], turn - 1)
        one = Turn(
            number=turn,
            corrected=bool(before) and await self.corrections.told(said),
            asked_again=asks_again(said, state),
            gap=seconds_between(before[0].at, said.at) if before else None,
        )
        release = await asyncio.to_thread(self.release, model)
        usage = state.get("usage", {})
        return counted(state.get("counts"), one, usage, thread=thread, release=release)


def asks_again(said: Said, state: SessionState) -> bool:
    """Whether the bot asks in `said` for a fact that it had before; a person may ask anything."""
    known = {
        kind: [fact for fact in facts if fact["turn"] < said.turn]
        for kind, facts in state.get("facts", {}).items()
    }
    return not state.get("person") and bool(asked_again(said.assistant, known))


async def _that_holds(
    exchanges: Mapping[int, Exchange], trail: Trail | None, store: BaseStore
) -> Trail | None:
    """`trail`, cut back before the rows of numbered `exchanges` that no longer are what they were.

    An edit or a reply that was stopped changes them, perhaps some turns before it is noticed.
    """
    while trail is not None and (turn := transcript.turn_of(trail["last"])) >= min(exchanges):
        if turn in exchanges and transcript.is_row_of(trail["last"], turn, exchanges[turn]):
            break
        trail = await transcript.step_back(store, trail)
    return trail
