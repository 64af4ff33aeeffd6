"""Turns that a message points at: by number, as the beginning, or through a note of the summary."""

import re
from collections import Counter
from collections.abc import Sequence

from state.corrections import folded_words
from state.summary import Summary, SummaryItem
from state.wording import folded, names, stem, values

MOST = 6
"""Turns that a message is followed to at most."""
_FIRST = 3
"""Turns that are the beginning."""
_AROUND = 1
"""Turns before and after the one that is named."""
_SHARED = 2
"""Words that a note and a message must share; a name or a number counts for them."""

_NUMBERED = re.compile(
    r"\b(?:turns?|messages?|exchanges?|nachricht(?:en)?|mensajes?|tours?|messaggi\w*|mensagens?)"
    r"\s*(?:no\.?|nr\.?|number|nummer|numero|#)?\s*(\d{1,7})\b"
    r"|第\s*(\d{1,7})\s*(?:回|条|條|番目)"
)
_BEGINNING = re.compile(
    r"\b(?:the |our |my )?(?:very )?first (?:\w+ )?(?:evening|day|night|message|conversation|chat"
    r"|time we|session|thing (?:i|you|we))\b"
    r"|\b(?:at|in|from) the (?:very )?(?:beginning|start)\b"
    r"|\b(?:ganz )?am anfang\b|\bersten? (?:abend|tag|nachricht|gesprach)\b"
    r"|\bal principio\b|\bprimer[ao]? (?:dia|noche|mensaje|conversacion)\b"
    r"|\bau (?:tout )?debut\b|\bpremiere? (?:jour|soir|message|conversation)\b"
    r"|\ball'inizio\b|\bprim[oa] (?:giorno|sera|messaggio)\b|\bno (?:comeco|inicio)\b"
    r"|最初(?:の|に)|初めて|一开始|第一[天次]|في البداية"
)
_WORD = re.compile(r"\w{4,}")
_READ = 2000


def named_turns(message: str, through: int) -> list[int]:
    """The turns up to `through` that `message` names ("around turn 140"), or the first ones."""
    words = folded_words(message[:_READ])
    turns: list[int] = []
    for found in _NUMBERED.finditer(words):
        turn = int(found[1] or found[2])
        turns += range(turn - _AROUND, turn + _AROUND + 1)
    if _BEGINNING.search(words):
        turns += range(1, _FIRST + 1)
    return sorted({turn for turn in turns if 1 <= turn <= through})[:MOST]


def noted_turns(message: str, summary: Summary) -> list[int]:
    """The turns of the notes that share the most with `message`, the best note's first."""
    asked = _marks(message[:_READ])
    if not asked:
        return []
    held = [(_marks(item["text"]), item) for item in summary["items"]]
    common = Counter(mark for marks, _ in held for mark in marks)
    scored: list[tuple[float, SummaryItem]] = []
    for marks, item in held:
        shared = asked & marks
        if sum(_SHARED if mark.startswith("=") else 1 for mark in shared) >= _SHARED:
            scored.append((sum(1 / common[mark] for mark in shared), item))
    best = sorted(scored, key=lambda each: -each[0])
    return _first_of([item["turns"] for _, item in best])


def _marks(text: str) -> set[str]:
    """What two texts are compared by: the beginnings of words; names and numbers stand out."""
    plain = {stem(word) for word in _WORD.findall(folded(text))}
    sure = {f"={stem(name)}" for name in names(text)} | {f"={value}" for value in values(text)}
    return plain | sure


def _first_of(turns: Sequence[Sequence[int]]) -> list[int]:
    return list(dict.fromkeys(turn for each in turns for turn in each))[:MOST]
