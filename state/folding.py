"""Applying a finished compaction to the window, or seeing that it no longer fits."""

from langchain_core.messages import RemoveMessage
from typing_extensions import TypedDict

from state.exchanges import group
from state.session import SessionState, SessionUpdate
from state.summary import EMPTY, Summary


class Post(TypedDict):
    """The result of a compaction, as its job leaves it."""

    version: int
    """The `memory_version` that it started from."""
    ids: list[str]
    """The messages that it folded, in order: whole exchanges, the window's oldest."""
    summary: Summary
    """What the summary is then."""


def fits(state: SessionState, post: Post) -> bool:
    """Whether `post` folded just the oldest exchanges of this window, of this version.

    The newest exchange never goes, whatever a post says.
    """
    exchanges = group(state.get("messages", []))
    left = list(post["ids"])
    count = 0
    for exchange in exchanges[:-1]:
        if not left:
            break
        ids = [str(m.id) for m in exchange.messages]
        if left[: len(ids)] != ids:
            return False
        left = left[len(ids) :]
        count += 1
    return (
        count > 0
        and not left
        and post["version"] == state.get("memory_version", 0)
        and post["summary"]["through"] == state.get("summary", EMPTY)["through"] + count
    )


def apply(post: Post) -> SessionUpdate:
    """The window without what was folded, and the summary that covers it."""
    return SessionUpdate(
        messages=[RemoveMessage(each) for each in post["ids"]],  # type: ignore[misc]
        summary=post["summary"],
        memory_version=post["version"] + 1,
    )
