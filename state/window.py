"""Which exchanges leave the window: a pure plan, at exchange boundaries only."""

from collections.abc import Sequence

from state.exchanges import Exchange
from state.marks import Mark, Marks
from state.tokens import count_messages

FLOOR = 1
"""Exchanges that always stay after a reply: the one that the next message follows."""


def size(exchanges: Sequence[Exchange], mark: Mark) -> int:
    """Size of `exchanges` in the mark's unit."""
    if mark.unit == "turns":
        return len(exchanges)
    return sum(count_messages(exchange.messages) for exchange in exchanges)


def to_fold(exchanges: Sequence[Exchange], marks: Marks, *, archived: int) -> int:
    """How many of the oldest exchanges to fold now; 0 below the high mark.

    `archived` is how many of `exchanges` stand in the transcript: only those may leave. The newest
    FLOOR exchanges stay, whatever their size.
    """
    if size(exchanges, marks.high) <= marks.high.amount:
        return 0
    left = size(exchanges, marks.low)
    for count, exchange in enumerate(exchanges):
        if left <= marks.low.amount or count >= min(archived, len(exchanges) - FLOOR):
            return count
        left -= size([exchange], marks.low)
    return 0
