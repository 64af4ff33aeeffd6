"""Every namespace and key of the LangGraph store: writer and reader both call here."""

import hashlib
import json
from collections.abc import Sequence
from urllib.parse import quote, unquote

from langchain_core.messages import ToolCall


def encoded(id: str) -> str:
    """`id` as one namespace label: a dot or a slash in it neither ends the label nor adds one."""
    return quote(id, safe="").replace(".", "%2E") or "%"


THREADS = ("longhaul", "threads")
"""Prefix of all that belongs to threads; the label after it is the thread's encoded id."""


ERASED = ("longhaul", "erased")
"""Namespace of the erased threads whose vectors still have to go, keyed by encoded id."""


FORGETTING = ("longhaul", "forgetting")
"""Namespace of what is being forgotten, an item each, until a check found nothing of it."""


EPOCHS = ("longhaul", "epochs")
"""Namespace of when something of a thread was last forgotten, keyed by encoded id: work that
began before must leave nothing."""


USERS = ("longhaul", "users")
"""Prefix of all that belongs to users; the label after it is the user's encoded id."""


def user(id: str) -> tuple[str, ...]:
    """Prefix of all that outlives the conversations of the user `id`."""
    return (*USERS, encoded(id))


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


COUNTS = "counts"


def counts(thread: str) -> tuple[str, ...]:
    """Namespace of the counters of `thread`."""
    return (*THREADS, encoded(thread), COUNTS)


def spilled(thread: str) -> tuple[str, ...]:
    """Namespace of the facts that the state of `thread` has no room for, an item a fact."""
    return (*THREADS, encoded(thread), "facts")


def spilled_words(thread: str) -> tuple[str, ...]:
    """Namespace of the words of those facts, an item a word: which of them hold it."""
    return (*THREADS, encoded(thread), "fact-words")


def ledger(thread: str) -> tuple[str, ...]:
    """Namespace of the actions done in `thread`, keyed by `action_key`."""
    return (*THREADS, encoded(thread), "actions")


def action_key(reply: str, call: ToolCall) -> str:
    """Key of the action that a tool call of the message `reply` asks for.

    The call's id leads; some servers count theirs from zero again, so what was asked follows.
    """
    asked = json.dumps([reply, call["id"], call["name"], call["args"]], sort_keys=True)
    return f"{call['id']}-{hashlib.sha256(asked.encode()).hexdigest()[:16]}"


OWNER = "owner"


def owner(thread: str) -> tuple[str, ...]:
    """Namespace of whose `thread` is: one item, under OWNER."""
    return (*THREADS, encoded(thread), OWNER)


def user_threads(user: str) -> tuple[str, ...]:
    """Namespace of the threads of `user`, keyed by their encoded ids."""
    return (*USERS, encoded(user), "threads")


def profile(user: str) -> tuple[str, ...]:
    """Namespace of what outlives the threads of `user`: see `profile_key`."""
    return (*USERS, encoded(user), "profile")


def profile_key(fact: str, thread: str, *, ends: bool) -> str:
    """Key of what `thread` said of the fact with an id: that it stands, or that it `ends`.

    No two threads write the same item, so none can undo what the other wrote meanwhile.
    """
    digest = hashlib.sha256(thread.encode()).hexdigest()[:16]
    return f"{fact}-{'ends' if ends else 'said'}-{digest}"


def by_hand(thread: str) -> tuple[str, ...]:
    """Namespace of what was set by hand in `thread`, an item a change, keyed by its time."""
    return (*THREADS, encoded(thread), "by-hand")


HANDOVER = "handover"


def handover(thread: str) -> tuple[str, ...]:
    """Namespace of the packet that waits for a person who takes `thread`."""
    return (*THREADS, encoded(thread), HANDOVER)


PACKET = "packet"
