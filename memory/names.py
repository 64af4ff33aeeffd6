"""Every namespace and key of the LangGraph store: writer and reader both call here."""

import hashlib
from collections.abc import Sequence
from urllib.parse import quote, unquote


def encoded(id: str) -> str:
    """`id` as one namespace label: a dot or a slash in it neither ends the label nor adds one."""
    return quote(id, safe="").replace(".", "%2E") or "%"


THREADS = ("longhaul", "threads")
"""Prefix of all that belongs to threads; the label after it is the thread's encoded id."""


def decoded(label: str) -> str:
    """The id that `encoded` made `label` of."""
    return "" if label == "%" else unquote(label)


def thread(id: str) -> tuple[str, ...]:
    """Prefix of all that belongs to the thread `id`."""
    return (*THREADS, encoded(id))


def images(thread: str) -> tuple[str, ...]:
    """Namespace of the images that came into `thread`, keyed by the SHA-256 of their bytes."""
    return (*THREADS, encoded(thread), "images")


def transcript(thread: str) -> tuple[str, ...]:
    """Namespace of the rows that `thread` wrote, keyed by turn and message ids."""
    return (*THREADS, encoded(thread), "transcript")


def row_key(turn: int, ids: Sequence[str]) -> str:
    """Key of the row of exchange `turn`: another branch's exchange of that turn has another key."""
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()[:12]
    return f"{turn:08d}-{digest}"


def desk(thread: str) -> tuple[str, ...]:
    """Namespace of what the work behind the replies leaves for `thread`: see the keys below."""
    return (*THREADS, encoded(thread), "compaction")


RESULT = "result"
FAILURES = "failures"
STOPPED = "stopped"
DRAFT = "draft"


def leases(thread: str) -> tuple[str, ...]:
    """Namespace of the leases on `thread`, keyed by who holds them: one at most is at work."""
    return (*THREADS, encoded(thread), "leases")


def log(thread: str) -> tuple[str, ...]:
    """Namespace of what happened to the memory of `thread`, an item an event."""
    return (*THREADS, encoded(thread), "log")


def fact_log(thread: str) -> tuple[str, ...]:
    """Namespace of what happened to the facts of `thread`, an item an event."""
    return (*THREADS, encoded(thread), "fact-log")


def spilled(thread: str) -> tuple[str, ...]:
    """Namespace of the facts that the state of `thread` has no room for, an item a fact."""
    return (*THREADS, encoded(thread), "facts")
