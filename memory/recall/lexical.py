"""BM25 over a thread's exchanges and their neighbours, which grows as the thread does.

Own code because the libraries cannot grow: bm25s and its like weigh every word when the index is
built, so that one more exchange means building all of it again. Here postings hold plain
counts, and what depends on the whole is reckoned when a question comes.
"""

from __future__ import annotations  # `array[int]` is for the type checker: 3.11 has it not

import math
from array import array
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from memory.recall.documents import UNNAMED, Document, Speakers, spoken
from memory.recall.near import Scores, links, reach, spread
from memory.recall.ranking import DEFAULT, Ranking
from memory.recall.terms import asked, inner_runs, terms_of, words

_HALVES = 2


class Lexical:
    """An inverted index of one thread. Not for two threads (of the machine) at once."""

    def __init__(self, *, ranking: Ranking = DEFAULT, speakers: Speakers = UNNAMED) -> None:
        self.ranking = ranking
        self._speakers = speakers
        self._documents: list[Document] = []
        self._postings: defaultdict[str, array[int]] = defaultdict(lambda: array("i"))
        """By term the places where it is said, as often as it is; a place is half a document."""
        self.places: dict[str, int] = {}
        """By key, which of `documents` it is."""
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
        # By word first: a word has some seven terms, and most words are said often.
        by_word: defaultdict[str, list[int]] = defaultdict(list)
        for said in documents:
            for leg, text in enumerate(spoken(said, self._speakers)):
                found = words(text)
                self._lengths.append(sum(len(terms_of(word)) for word in found))
                for word in found:
                    by_word[word].append(_HALVES * len(self._documents) + leg)
            self.places[said.key] = len(self._documents)
            self._hours.append(_hours(said.at))
            self._documents.append(said)
        for word, places in by_word.items():
            for term in terms_of(word):
                self._postings[term].extend(places)
        self._settle()

    def may_hold(self, value: str) -> bool:
        """Whether some text can hold folded `value`, which may begin or end within a word."""
        return all(run in self._postings for word in words(value) for run in inner_runs(word))

    def scores(self, question: str) -> tuple[Scores, Scores]:
        """BM25 of each document, in order, and the share (0 to 1) of the question that it holds."""
        size, k1 = len(self._documents), np.float32(self.ranking.saturation)
        total, held = np.zeros(size, np.float32), np.zeros(size, np.float32)
        most = 0.0
        once = min(1 + 2 * len(self.ranking.near), size)
        for term in asked(question):
            posting = self._postings.get(term)
            heard = self._heard(posting) if posting else held[:0]
            found = int(np.count_nonzero(heard))
            # A term that was never said weighs in the share as one that was said once.
            among = found or once
            weight = math.log1p((size - among + 0.5) / (among + 0.5))
            most += weight
            if found:
                worth = heard * (np.float32(weight) * (k1 + 1)) / (heard + k1)
                total += worth
                held += np.minimum(worth, np.float32(weight))
        return total, held / np.float32(most) if most else held

    def _heard(self, posting: array[int]) -> Scores:
        """How often each document and its neighbours say a term, by the length of who says it."""
        at = np.array(posting)
        own = np.bincount(at // _HALVES, 1 / self._norms[at], len(self._documents))
        return spread(own.astype(np.float32), self.passes)

    def _settle(self) -> None:
        b = self.ranking.length
        lengths = np.array(self._lengths)
        spoken_lengths = lengths[lengths > 0]
        mean = float(spoken_lengths.mean()) if spoken_lengths.size else 1.0
        self._norms = (1 - b + b * lengths / mean).astype(np.float32)
        self.link = links(np.array(self._hours), self.ranking.sitting_hours, self.ranking.across)
        self.passes = reach(self.link, self.ranking.near)


def _hours(at: str) -> float:
    return datetime.fromisoformat(at).timestamp() / 3600 if at else math.nan
