"""Applying a finished compaction to the window, or seeing that it no longer fits."""

from typing import NotRequired

from langchain_core.messages import RemoveMessage
from typing_extensions import TypedDict

from state.exchanges import group
from state.session import SessionState, SessionUpdate
from state.summary import EMPTY, Summary
from state.usage import ModelUsage, added
from state.window import staying


class Post(TypedDict):
    """The result of a compaction, as its job leaves it."""

    version: int
    """The `memory_version` that it started from."""
    ids: list[str]
    """The messages that it folded, in order: whole exchanges, the window's oldest."""
    summary: Summary
    """What the summary is then."""
    usage: NotRequired[dict[str, ModelUsage]]
    """What it cost, by model name."""


def fits(state: SessionState, post: Post) -> bool:
    """Whether `post` folded just the oldest exchanges of this window, of this version.

    What has to stay, is not in this branch's transcript or has not given its facts never goes: a
    post may be of another branch, which was further on.
    """
    exchanges = group(state.get("messages", []))
    left = list(post["ids"])
    count = 0
    for exchange in exchanges[: -staying(exchanges)]:
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
        and post["summary"]["through"] <= state.get("archived_through", 0)
        and post["summary"]["through"] <= state.get("extracted_through", 0)
    )


def apply(post: Post, state: SessionState) -> SessionUpdate:
    """The window without what was folded, the summary that covers it, the facts pinned beside."""
    return SessionUpdate(
        messages=[RemoveMessage(each) for each in post["ids"]],  # type: ignore[misc]
        summary=post["summary"],
        memory_version=post["version"] + 1,
        pinned=state.get("facts", {}),
        usage=added(state.get("usage", {}), post.get("usage", {})),
    )
