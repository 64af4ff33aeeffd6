"""The ways to rank that are compared, each a question's exchanges, best first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evals.recall.talks import Talk
from memory.embeddings import Embedder
from memory.recall.documents import Document, Leg, legs_of
from memory.recall.fusion import Dense, Scored, best_legs, fused, search
from memory.recall.lexical import Lexical
from memory.recall.near import Scores
from memory.recall.passages import FRAME, chosen
from memory.recall.ranking import Ranking
from state.tokens import count_text

Way = Literal["dense", "BM25", "RRF", "fused", "longhaul"]
"""The product's dense legs and its BM25 alone, the two fused by rank (k = 60) and by score, and
what the product does: floor, excerpts and packing included."""

RRF_K = 60


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """What one way finds for one question."""

    keys: Sequence[str]
    """Best first."""
    within: Mapping[int, frozenset[str]]
    """By budget in tokens, what fits it."""


@dataclass(frozen=True)
class Library:
    """A talk, indexed."""

    lexical: Lexical
    legs: Sequence[tuple[str, Leg]]
    vectors: NDArray[np.float32]
    """A row of length 1 for each of `legs`."""

    def nearest(self, vector: Sequence[float], count: int) -> Dense:
        """The `count` legs nearest to `vector`, as the vector store gives them."""
        cosines = self.vectors @ np.asarray(vector, np.float32)
        best = np.argsort(-cosines, kind="stable")[:count]
        return {self.legs[at]: float(cosines[at]) for at in best}


async def indexed(talk: Talk, embedder: Embedder, ranking: Ranking) -> Library:
    """`talk` as the product indexes it. Raises EmbeddingError."""
    lexical = Lexical(ranking=ranking, speakers=talk.speakers)
    lexical.grow(talk.documents)
    texts = {
        (said.key, leg): text
        for said in talk.documents
        for leg, text in legs_of(said, talk.speakers).items()
    }
    vectors = await embedder.documents(list(texts.values()))
    return Library(lexical, list(texts), np.array(vectors, np.float32))


def ranked(
    library: Library, question: str, vector: Sequence[float], budgets: Sequence[int]
) -> dict[Way, Ranked]:
    """What each way finds for `question`, whose vector is `vector`."""
    lexical, documents = library.lexical, library.lexical.documents
    dense = library.nearest(vector, lexical.ranking.candidates)
    words, share = lexical.scores(question)
    meaning = best_legs(lexical, dense)
    unlimited = replace(lexical.ranking, floor=0.0, nothing=0.0, most=len(documents))
    orders: dict[Way, list[Document]] = {
        "dense": _by(meaning, documents),
        "BM25": _by(words, documents),
        "RRF": _by(_reciprocal(meaning) + _reciprocal(words), documents),
        "fused": [each.document for each in fused(lexical, words, share, dense, ranking=unlimited)],
    }
    ways = {way: _whole(order, budgets) for way, order in orders.items()}
    return {
        **ways,
        "longhaul": _product(search(lexical, question, dense), lexical, question, budgets),
    }


def _product(
    found: Sequence[Scored], lexical: Lexical, question: str, budgets: Sequence[int]
) -> Ranked:
    within = {
        budget: chosen(found, question, replace(lexical.ranking, budget=budget))
        for budget in budgets
    }
    return Ranked(
        keys=[each.document.key for each in found],
        within={
            budget: frozenset(each["key"] for each in passages)
            for budget, passages in within.items()
        },
    )


def _by(scores: Scores, documents: Sequence[Document]) -> list[Document]:
    return [documents[at] for at in np.argsort(-scores, kind="stable")]


def _reciprocal(scores: Scores) -> Scores:
    ranks = np.empty(len(scores), np.float32)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return (1 / (RRF_K + ranks)).astype(np.float32)


def _whole(order: Sequence[Document], budgets: Sequence[int]) -> Ranked:
    """Whole exchanges, best first, until the first that does not fit."""
    costs = np.cumsum(
        [FRAME + count_text(each.user) + count_text(each.assistant) for each in order]
    )
    keys = [each.key for each in order]
    return Ranked(
        keys=keys,
        within={
            budget: frozenset(keys[: int(np.searchsorted(costs, budget, side="right"))])
            for budget in budgets
        },
    )
