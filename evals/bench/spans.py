"""Which turns are compared: the first after the warm-up with the last."""

from dataclasses import dataclass
from itertools import pairwise

WARM_UP = 250
"""Turns until every window has been folded several times, and summary, pins and facts are full.

The tokens of a request rise by an eighth between turns 100 and 250, and stay there up to 2,000.
"""
EDGE = 50
"""Turns at either end that are compared."""
BLOCK = 25
"""Turns that a contestant plays before the next one has its turn."""


@dataclass(frozen=True, kw_only=True)
class Spans:
    """The warm-up and the two ends of a conversation of `turns` turns."""

    turns: int
    warm_up: int
    edge: int

    @property
    def first(self) -> range:
        """Turns of the first end."""
        return range(self.warm_up + 1, self.warm_up + self.edge + 1)

    @property
    def last(self) -> range:
        """Turns of the last end."""
        return range(self.turns - self.edge + 1, self.turns + 1)

    @property
    def steady(self) -> range:
        """Every turn after the warm-up."""
        return range(self.warm_up + 1, self.turns + 1)

    @property
    def young(self) -> "Spans":
        """Those of a conversation that ends with the first end, which is its last, too."""
        return Spans(turns=self.first.stop - 1, warm_up=self.warm_up, edge=self.edge)

    @property
    def blocks(self) -> list[range]:
        """The turns in blocks, none of which crosses the border of an end."""
        ends = {self.warm_up, self.warm_up + self.edge, self.turns - self.edge, self.turns}
        ends |= set(range(BLOCK, self.turns, BLOCK))
        borders = [0, *sorted(end for end in ends if end > 0)]
        return [range(a + 1, b + 1) for a, b in pairwise(borders)]


def spans(turns: int) -> Spans:
    """The spans of a conversation; a short one has a short warm-up and short ends.

    Raises ValueError for fewer than 12 turns.
    """
    if turns < 12:
        raise ValueError(f"{turns} turns are too few to compare anything: at least 12")
    warm_up = WARM_UP if turns >= 2 * WARM_UP else turns // 4
    return Spans(turns=turns, warm_up=warm_up, edge=min(EDGE, (turns - warm_up) // 2))
