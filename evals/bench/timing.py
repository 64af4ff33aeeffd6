"""What a contestant's process tells of the turns that it played."""

from dataclasses import dataclass

READY = "ready"
"""Its first line."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """When things happened, in nanoseconds of the system's monotonic clock."""

    turn: int
    sent: int
    """The user's message goes in."""
    first: int
    """The reply's first token comes out."""
    last: int
    """Its last token comes out."""
    done: int
    """The run is over: the next message can go in."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Some turns in a row, and what they took in all, the work behind the replies included."""

    turns: list[Turn]
    wall_ns: int
    cpu_ns: int
    """Of the contestant's process: neither the database's nor the model's."""
