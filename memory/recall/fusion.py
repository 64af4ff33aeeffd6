"""Words and meaning, weighed together: min-max score fusion, which keeps how far ahead one is.

(Fusing by rank throws that away: it ended below BM25 alone.)
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from memory.recall.documents import Document, Leg
from memory.recall.lexical import Lexical
from memory.recall.near import Scores, reach, spread
from memory.recall.ranking import Ranking

Dense = Mapping[tuple[str, Leg], float]
"""Cosine similarity by row key and leg, of the nearest of the thread; the others are missing."""


@dataclass(frozen=True, kw_only=True)
class Scored:
    """An exchange and why it was found; every part is 0 to 1, the best of the thread having 1."""

    document: Document
    score: float
    """What it is ranked by."""
    lexical: float
    """BM25's part, its neighbours' words counted in."""
    dense: float
    """The dense part, its neighbours' counted in."""
    neighbour: float
    """How much of the dense part its neighbours gave it."""
    evidence: float
    """What the floor is held against: share of the question's words held, and cosine, weighed."""


def search(lexical: Lexical, question: str, dense: Dense) -> list[Scored]:
    """What the floor leaves of the thread, best first. Without dense scores BM25 decides."""
    words, share = lexical.scores(question)
    return fused(lexical, words, share, dense)


def fused(
    lexical: Lexical, words: Scores, share: Scores, dense: Dense, *, ranking: Ranking | None = None
) -> list[Scored]:
    """The documents of `lexical`, ranked by its scores of a question and the dense ones.

    `ranking`: other than the index's own.
    """
    ranking = ranking or lexical.ranking
    by_meaning = ranking.meaning if dense else 0.0
    cosines = best_legs(lexical, dense)
    alone = min_max(cosines)
    near = min_max(spread(alone, reach(lexical.link, ranking.near_meaning)))
    said = min_max(words)
    score = by_meaning * near + (1 - by_meaning) * said
    evidence = by_meaning * np.maximum(cosines, 0) + (1 - by_meaning) * share
    order = np.argsort(-score, kind="stable")
    if evidence.max(initial=0.0) < ranking.nothing:
        return []
    return [
        Scored(
            document=lexical.documents[at],
            score=float(score[at]),
            lexical=float(said[at]),
            dense=float(near[at]),
            neighbour=float(max(near[at] - alone[at], 0)),
            evidence=float(evidence[at]),
        )
        for at in order[evidence[order] >= ranking.floor][: ranking.most]
    ]


def best_legs(lexical: Lexical, dense: Dense) -> Scores:
    """The better leg's cosine of each document; those that are missing have the lowest there is."""
    best = np.full(len(lexical.documents), min(dense.values(), default=0.0), np.float32)
    for (key, _), cosine in dense.items():
        at = lexical.places.get(key)
        if at is not None:
            best[at] = max(best[at], cosine)
    return best


def min_max(scores: Scores) -> Scores:
    """`scores` from 0, the lowest, to 1, the highest; all 0 where they do not differ."""
    if scores.size == 0 or scores.max() <= scores.min():
        return np.zeros_like(scores)
    low, high = scores.min(), scores.max()
    scaled: Scores = (scores - low) / (high - low)
    return scaled
