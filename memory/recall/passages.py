"""Which of what was found is shown to the model, and which of its words."""

import re
from collections.abc import Sequence

from typing_extensions import TypedDict

from memory.recall.fusion import Scored
from memory.recall.ranking import DEFAULT, Ranking
from memory.recall.terms import asked, terms
from state.tokens import count_text

CUT = "…"
"""Stands where words were left out."""

FRAME = 24
"""Tokens of what stands around one passage: its turn, its date, who speaks."""

LEAST = 40
"""Tokens below which nothing more is excerpted."""

_PIECE = re.compile(r"[^.!?。！？\n]{1,240}[.!?。！？\n]*\s*|[.!?。！？\n]+\s*")  # noqa: RUF001


class Passage(TypedDict):
    """One earlier exchange as it is shown."""

    key: str
    turn: int
    at: str
    user: str
    assistant: str
    score: float
    cut: bool
    """Whether words were left out of it."""


def chosen(found: Sequence[Scored], question: str, ranking: Ranking = DEFAULT) -> list[Passage]:
    """The best of `found`, best first, that fit the budget together; in order of turn.

    One that does not fit whole is excerpted to what is left, if that is worth showing.
    """
    wanted = frozenset(asked(question))
    left = ranking.budget
    passages: list[Passage] = []
    for scored in found:
        if left < LEAST:
            break
        passage = _passage(scored, wanted, ranking.excerpt)
        if _tokens(passage) > left:
            passage = _passage(scored, wanted, (left - FRAME) // 2)
        if _tokens(passage) > left or not passage["user"] + passage["assistant"]:
            continue
        left -= _tokens(passage)
        passages.append(passage)
    return sorted(passages, key=lambda each: each["turn"])


def excerpt(text: str, wanted: frozenset[str], limit: int) -> str:
    """At most `limit` tokens of `text` around the sentences that hold most `wanted` terms.

    Where words are left out, CUT stands. A limit that holds no sentence gives no text.
    """
    if count_text(text) <= limit:
        return text
    pieces = _PIECE.findall(text)
    held = [len(wanted.intersection(terms(piece))) for piece in pieces]
    costs = [count_text(piece) for piece in pieces]
    room = limit - 2 * count_text(CUT)
    first = max(range(len(pieces)), key=lambda at: (held[at] / (costs[at] + 20), -at))
    if costs[first] > room:
        return ""
    start, end = _grown(held, costs, first, room)
    before, after = CUT if start else "", CUT if end < len(pieces) else ""
    return f"{before}{''.join(pieces[start:end]).strip()}{after}"


def _grown(held: list[int], costs: list[int], first: int, room: int) -> tuple[int, int]:
    """The stretch around `first` that fits, grown towards where more is held."""
    start, end, used = first, first + 1, costs[first]
    while True:
        sides = [at for at in (start - 1, end) if 0 <= at < len(costs) and used + costs[at] <= room]
        if not sides:
            return start, end
        side = max(sides, key=lambda at: (held[at], at))
        used += costs[side]
        start, end = min(start, side), max(end, side + 1)


def _passage(scored: Scored, wanted: frozenset[str], limit: int) -> Passage:
    said = scored.document
    user, assistant = (excerpt(text, wanted, limit) for text in (said.user, said.assistant))
    return Passage(
        key=said.key,
        turn=said.turn,
        at=said.at,
        user=user,
        assistant=assistant,
        score=scored.score,
        cut=(user, assistant) != (said.user, said.assistant),
    )


def _tokens(passage: Passage) -> int:
    return FRAME + count_text(passage["user"]) + count_text(passage["assistant"])
