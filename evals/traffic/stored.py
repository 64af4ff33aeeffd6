"""Reading a stored conversation: what was said, turn by turn, and what its facts' log says."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from evals.traffic.planted import Spoken
from graph.resources import Opened
from memory.facts import read_log
from memory.transcript import Row, read_page
from state.session import SessionState

NOTHING = "..."
"""In place of words where there are none: an image, or a reply that never came."""


async def stored(opened: Opened, thread: str) -> tuple[list[Spoken], list[dict[str, Any]]]:
    """The turns of a thread's newest branch, first to last, and its log; none if it said nothing.

    What a tool told is not among the words.
    """
    config: Any = {"configurable": {"thread_id": thread}}
    state = cast("SessionState", (await opened.graph.aget_state(config)).values)
    trail, last = state.get("transcript"), state.get("archived_through", 0)
    store = opened.database.store
    rows = await read_page(store, trail, through=last, count=last) if last else []
    return [_spoken(row) for row in rows], await read_log(store, thread)


def _spoken(row: Row) -> Spoken:
    return Spoken(row["at"], _words(row["messages"], "user"), _words(row["messages"], "assistant"))


def _words(messages: Sequence[Mapping[str, Any]], role: str) -> str:
    texts = [_text(message["content"]) for message in messages if message["role"] == role]
    return "\n".join(text for text in texts if text.strip()) or NOTHING


def _text(content: Any) -> str:
    """The words of a message's content, which is text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = [part for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
    return "\n".join(str(part["text"]) for part in parts)
