"""Who owns a conversation's memory: the one place that decides."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Owner:
    """The owner of what a thread remembers: a user, or the thread itself when there is none."""

    kind: Literal["user", "thread"]
    id: str


def resolve_owner(*, signed_in: str | None, named: str, thread: str) -> Owner:
    """The signed-in user of the server, else the user that the Context names, else the thread."""
    if user := signed_in or named:
        return Owner(kind="user", id=user)
    return Owner(kind="thread", id=thread)
