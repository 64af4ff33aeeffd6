"""The node that writes finished exchanges to the transcript."""

from dataclasses import dataclass

from langgraph.runtime import Runtime

from memory import transcript
from state.context import Context
from state.exchanges import group
from state.session import SessionState, SessionUpdate
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
        exchanges = group(state["messages"])
        first = state.get("summary", EMPTY)["through"] + 1
        done, trail = state.get("archived_through", 0), state.get("transcript")
        last = first + len(exchanges) - 1
        if done >= last and trail is not None:
            done, trail = last - 1, await transcript.step_back(store, trail)
        numbered = [(n, e) for n, e in enumerate(exchanges, first) if n > done]
        trail = await transcript.write(store, info.thread_id, numbered, trail)
        if trail is None:
            return SessionUpdate()
        return SessionUpdate(archived_through=last, transcript=trail)
