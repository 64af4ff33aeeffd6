"""Which exchanges leave the window: a pure plan, at exchange boundaries only."""

from collections.abc import Sequence

from state.exchanges import Exchange
from state.marks import Mark, Marks
from state.tokens import count_messages


def staying(exchanges: Sequence[Exchange]) -> int:
    """How many of the newest `exchanges` never leave: the one that the next message follows.

    While a reply is awaited that is the one before it, and both stay.
    """
    return 1 if exchanges and exchanges[-1].answered else 2


def size(exchanges: Sequence[Exchange], mark: Mark) -> int:
    """Size of `exchanges` in the mark's unit."""
    if mark.unit == "turns":
        return len(exchanges)
    return sum(count_messages(exchange.messages) for exchange in exchanges)


def to_fold(exchanges: Sequence[Exchange], marks: Marks, *, safe: int) -> int:
    """How many of the oldest exchanges to fold now; 0 below the high mark.

    `safe` is how many of them stand in the transcript and gave their facts: only those leave.
    """
    if size(exchanges, marks.high) <= marks.high.amount:
        return 0
    left = size(exchanges, marks.low)
    most = min(safe, len(exchanges) - staying(exchanges))
    for count, exchange in enumerate(exchanges):
        if left <= marks.low.amount or count >= most:
            return count
        left -= size([exchange], marks.low)
    return 0
