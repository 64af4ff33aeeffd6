"""What is said next to an exchange counts a little for it, less over a pause."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
"""One number an exchange, in order of turn."""


def links(hours: NDArray[np.float64], sitting_hours: float, across: float) -> Scores:
    """How well each exchange is linked with the next: 1 in a sitting, `across` over a pause.

    `hours` are the times of the exchanges; a time that is not known (NaN) makes no pause.
    """
    pauses = np.diff(hours) > sitting_hours
    return np.where(pauses, across, 1.0).astype(np.float32)


def reach(link: Scores, weights: Sequence[float]) -> list[Scores]:
    """By distance (1, 2, ...) what each exchange gives to the one that many turns later."""
    passes: list[Scores] = []
    product = link
    for distance, weight in enumerate(weights, 1):
        if distance > 1:
            product = product[:-1] * link[distance - 1 :]
        passes.append((weight * product).astype(np.float32))
    return passes


def spread(scores: Scores, passes: Sequence[Scores]) -> Scores:
    """`scores`, and of each what `passes` (of `reach`) give to its neighbours, both ways."""
    out = scores.copy()
    for distance, share in enumerate(passes, 1):
        if share.size == 0:
            break
        out[distance:] += share * scores[:-distance]
        out[:-distance] += share * scores[distance:]
    return out
