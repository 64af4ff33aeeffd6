"""The node that writes finished exchanges to the transcript."""

from collections.abc import Mapping
from dataclasses import dataclass

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from memory import transcript
from state.context import Context
from state.exchanges import Exchange, group
from state.session import SessionState, SessionUpdate, Trail
from state.summary import EMPTY


@dataclass(frozen=True)
class Archive:
    """Node `archive`."""

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
        trail = await transcript.write(store, info.thread_id, numbered, trail)
        if trail is None:
            return SessionUpdate()
        return SessionUpdate(archived_through=max(exchanges), transcript=trail)


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
