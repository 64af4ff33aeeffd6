"""The turns that a message names, or notes of the summary point at, among what a search found."""

from bisect import bisect_left
from collections.abc import Sequence

from memory.recall.documents import Document
from memory.recall.fusion import Scored

_BEST = 5
"""So many of the best come before what notes of the summary point at."""


def pointed(
    documents: Sequence[Document],
    scored: Sequence[Scored],
    *,
    named: Sequence[int],
    noted: Sequence[int],
) -> list[Scored]:
    """`scored` with the turns that the message names first, and those of notes after the best.

    `documents` are all that there are, in order of turn.
    """
    known = {each.document.turn: each for each in scored}

    def at(turns: Sequence[int]) -> list[Scored]:
        there = [said for turn in turns if (said := _of_turn(documents, turn)) is not None]
        return [known.get(said.turn) or unscored(said) for said in there]

    every = [*at(named), *scored[:_BEST], *at(noted), *scored[_BEST:]]
    return list({each.document.key: each for each in every}.values())


def why(found: Scored, *, named: Sequence[int], noted: Sequence[int]) -> str:
    """What brought `found`, in words."""
    turn = found.document.turn
    reasons = []
    if turn in named:
        reasons.append("the message names the turn")
    if turn in noted:
        reasons.append("a note of the summary points there")
    if found.score:
        reasons.append(f"words {found.lexical:.2f}, meaning {found.dense:.2f}")
    return "; ".join(reasons)


def unscored(said: Document) -> Scored:
    """What no search found."""
    return Scored(document=said, score=0.0, lexical=0.0, dense=0.0, neighbour=0.0, evidence=0.0)


def _of_turn(documents: Sequence[Document], turn: int) -> Document | None:
    place = bisect_left(documents, turn, key=lambda said: said.turn)
    said = documents[place] if place < len(documents) else None
    return said if said is not None and said.turn == turn else None
