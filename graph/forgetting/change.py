"""What is made of a checkpoint when something of it is forgotten."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Typed = tuple[str, bytes | None]
"""What a serialiser makes of a value."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """Two pure functions; made of what they returned, they return the same."""

    values: Callable[[dict[str, Any]], dict[str, Any]]
    """Of the fields of the state, and of what LangGraph keeps beside them."""
    write: Callable[[Any], Any]
    """Of what a task wrote that is not in the state yet."""


@dataclass
class Done:
    """What a rewriting did."""

    dropped: int = 0
    """Older checkpoints, which are gone."""
    fields: set[str] = field(default_factory=set)
    """Which fields changed."""
    writes: int = 0
    """How many pending writes changed."""


def changed(typed: Typed, serde: Any, change: Callable[[Any], Any]) -> Typed | None:
    """What `change` makes of a serialised value; None when it leaves it as it is."""
    before = serde.loads_typed(typed)
    after: Typed = serde.dumps_typed(change(before))
    return None if after == serde.dumps_typed(before) else after
