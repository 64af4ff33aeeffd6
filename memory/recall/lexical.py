"""BM25 over a thread's exchanges and their neighbours, which grows as the thread does.

Own code because the libraries cannot grow: bm25s and its like weigh every word when the index is
built, so that one more exchange means building all of it again. Here postings hold plain
counts, and what depends on the whole is reckoned when a question comes.
"""

from __future__ import annotations  # `array[int]` is for the type checker: 3.11 has it not

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from memory.recall.documents import UNNAMED, Document, Speakers, spoken
from memory.recall.near import Scores, links, reach, spread
from memory.recall.ranking import DEFAULT, Ranking
from memory.recall.terms import asked, terms

_LEGS = 2


class Lexical:
    """An inverted index of one thread. Not for two threads (of the machine) at once."""

    def __init__(self, *, ranking: Ranking = DEFAULT, speakers: Speakers = UNNAMED) -> None:
        self.ranking = ranking
        self._speakers = speakers
        self._documents: list[Document] = []
        self._postings: dict[str, tuple[array[int], array[float]]] = {}
        self._lengths = array("f")
        self._hours = array("d")
        self.link: Scores = np.zeros(0, np.float32)
        """How well each document is linked with the next (see `links`)."""
        self.passes: list[Scores] = []
        """How the words of each document count for its neighbours (see `reach`)."""
        self._norms = np.zeros(0, np.float32)

    @property
    def documents(self) -> Sequence[Document]:
        """What is indexed, in order of turn."""
        return self._documents

    def grow(self, documents: Sequence[Document]) -> None:
        """Adds `documents`, which follow what is there, in order of turn."""
        for said in documents:
            for leg, text in enumerate(spoken(said, self._speakers)):
                found = terms(text)
                self._lengths.append(len(found))
                self._post(_LEGS * len(self._documents) + leg, found)
            self._hours.append(_hours(said.at))
            self._documents.append(said)
        self._settle()

    def scores(self, question: str) -> tuple[Scores, Scores]:
        """BM25 of each document, in order, and the share (0 to 1) of the question that it holds."""
        size, k1 = len(self._documents), np.float32(self.ranking.saturation)
        share = np.zeros(size, np.float32)
        most = 0.0
        for term in asked(question):
            posting = self._postings.get(term)
            heard = self._heard(*posting) if posting else share[:0]
            found = int(np.count_nonzero(heard))
            weight = math.log1p((size - found + 0.5) / (found + 0.5))
            most += weight
            if found:
                share += np.float32(weight) * (heard / (heard + k1))
        if most:
            share /= np.float32(most)
        return share * np.float32(most) * (k1 + 1), share

    def _heard(self, places: array[int], counts: array[float]) -> Scores:
        """How often each document and its neighbours say a term, by the length of who says it."""
        at = np.array(places)
        weights = np.array(counts) / self._norms[at]
        size = len(self._documents)
        own = np.bincount(at // _LEGS, weights, size).astype(np.float32)
        return spread(own, self.passes)

    def _settle(self) -> None:
        b = self.ranking.length
        lengths = np.array(self._lengths)
        spoken_lengths = lengths[lengths > 0]
        mean = float(spoken_lengths.mean()) if spoken_lengths.size else 1.0
        self._norms = (1 - b + b * lengths / mean).astype(np.float32)
        self.link = links(np.array(self._hours), self.ranking.sitting_hours, self.ranking.across)
        self.passes = reach(self.link, self.ranking.near)

    def _post(self, place: int, found: Sequence[str]) -> None:
        for term, count in Counter(found).items():
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = (array("i"), array("f"))
            posting[0].append(place)
            posting[1].append(count)


def _hours(at: str) -> float:
    return datetime.fromisoformat(at).timestamp() / 3600 if at else math.nan
