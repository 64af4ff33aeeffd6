"""The node that brings back what left the window, when the newest message refers back to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from memory.recall.searcher import Query, Searcher
from memory.transcript import key_of
from nodes.owner import run_owner
from nodes.person import person_or
from state.context import Context
from state.exchanges import group
from state.recalled import Recalled, of_use
from state.refers_back import When, refers_back
from state.said import own_words
from state.session import RowKey, SessionState, SessionUpdate
from state.summary import EMPTY
from state.tombstones import NONE


@dataclass(frozen=True, kw_only=True)
class Recall:
    """Node `recall`."""

    searcher: Callable[[], Searcher]
    tokens: Callable[[], int]
    """Most tokens of passages in a request."""
    elsewhere: Callable[[], bool]
    """Whether the user's other conversations are searched, too."""

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """The passages for the newest message, kept while its tools are called."""
        store, info, trail = runtime.store, runtime.execution_info, state.get("transcript")
        recalled = state["recalled"]
        if store is None or info is None or info.thread_id is None or trail is None:
            return SessionUpdate(recalled={**recalled, "trouble": "there is no transcript"})
        query = Query(
            message=asked_in(state["messages"]),
            owner=run_owner(runtime, info.thread_id),
            thread=info.thread_id,
            trail=trail,
            oldest=_oldest(info.thread_id, state),
            sought=recalled["sought"],
            summary=state.get("summary", EMPTY),
            facts=state.get("facts", {}),
            budget=self.tokens(),
            elsewhere=self.elsewhere(),
            forgotten=state.get("forgotten", NONE)["count"],
        )
        found = await self.searcher().find(store, query)
        told: Recalled = {**recalled, "passages": found.passages, "trouble": found.trouble}
        return SessionUpdate(recalled=of_use(told))


def _oldest(thread: str, state: SessionState) -> RowKey:
    """Where the window's oldest exchange is, if `thread` wrote it."""
    first = state.get("summary", EMPTY)["through"] + 1
    return key_of(thread, first, group(state["messages"])[0])


def gate(
    state: SessionState, messages: Sequence[AnyMessage], when: When, *, asked: str | None = None
) -> Recalled:
    """Whether the newest of `messages`, the window of `state`, calls for a search.

    `asked` stands for what might be said next. There are no passages yet.
    """
    exchanges = group(messages)
    earlier = exchanges if asked is not None else exchanges[:-1]
    decision = refers_back(
        asked_in(messages) if asked is None else asked,
        window=[m.text for exchange in earlier for m in exchange.messages],
        left=state.get("summary", EMPTY)["through"] > 0,
        when=when,
    )
    search, reason, sought = decision
    return Recalled(searched=search, reason=reason, sought=sought, passages=[], trouble="")


def asked_in(messages: Sequence[AnyMessage]) -> str:
    """The user's own words in the newest exchange of `messages`."""
    newest = group(messages)[-1]
    return "\n".join(own_words(m.text) for m in newest.messages if isinstance(m, HumanMessage))


def recall_or_respond(state: SessionState) -> str:
    """What follows `load_memory`: a person who has the thread, a search, or the reply."""
    recalled = state.get("recalled")
    search = recalled is not None and recalled["searched"]
    return person_or(state, other="recall" if search else "respond")
