"""Checking a summariser's changes against the words they claim to come from."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from state.summary import Changes, Summary

_VALUE = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+|\w*\d[\w.,:/-]*\w|\d", re.UNICODE)
_NAME = re.compile(r"(?<![.!?:;\n(\"'“„«»-])(?<=[^\s.!?:;]\s)([A-ZÄÖÜÀ-ÞА-ЯЁ][\w'\u2019-]+)")
_WORD = re.compile(r"\w{4,}")
_SPELLED = dict(
    zip(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
        map(str, range(1, 11)),
        strict=True,
    )
)
_LABELS = frozenset({"user", "assistant", "customer", "bot", "agent"})
_STEM = 5


@dataclass
class Checked:
    """The changes that hold, and why the others do not."""

    changes: Changes
    dropped: list[str] = field(default_factory=list)


def values(text: str) -> set[str]:
    """The numbers and identifiers in `text`, case folded."""
    return {match.strip(".,:/-").casefold() for match in _VALUE.findall(text)}


def names(text: str) -> set[str]:
    """Words in `text` that are capitalised although no sentence begins with them, case folded."""
    return {name.casefold() for name in _NAME.findall(text)} - _LABELS


def missing(text: str, source: str) -> set[str]:
    """The values and names of `text` that `source` does not hold.

    A small number may be spelled out in the source; a name may be inflected.
    """
    held = source.casefold()
    spelled = {digit for word, digit in _SPELLED.items() if re.search(rf"\b{word}\b", held)}
    lost = {value for value in values(text) if value not in held and value not in spelled}
    return lost | {name for name in names(text) if name[:_STEM] not in held}


def check(changes: Changes, summary: Summary, folded: Mapping[int, str]) -> Checked:
    """`changes` without what names no known item, or says what the folded turns do not.

    `folded` is the text of each folded turn, with its date as the summariser was shown it. A claim
    that stands in other turns than the named ones points the item to them.
    """
    known = {item["id"]: item for item in summary["items"]}
    checked = Checked(Changes())
    for new in changes.add:
        turns = _turns(new.text, new.turns, folded, known="")
        if turns:
            checked.changes.add.append(new.model_copy(update={"turns": turns}))
        else:
            checked.dropped.append(f"not said: {new.text}")
    for change in changes.reword:
        item = known.get(change.id)
        turns = _turns(change.text, change.turns, folded, known=item["text"] if item else "")
        if item and turns:
            checked.changes.reword.append(change.model_copy(update={"turns": turns}))
        elif item:
            checked.dropped.append(f"not said: {change.text}")
        else:
            checked.dropped.append(f"no item {change.id}: {change.text}")
    for closed in changes.close:
        if closed in known:
            checked.changes.close.append(closed)
        else:
            checked.dropped.append(f"no item {closed} to close")
    return checked


def _turns(text: str, named: Iterable[int], folded: Mapping[int, str], *, known: str) -> list[int]:
    """The folded turns that hold `text`'s claims, the named ones first; none: it was not said."""
    turns = [turn for turn in dict.fromkeys(named) if turn in folded] or _nearest(text, folded)
    if not turns:
        return []
    source = " ".join([known, *(folded[turn] for turn in turns)])
    for claim in sorted(missing(text, source)):
        wanted = claim if values(claim) else claim[:_STEM]
        holder = next((t for t, said in folded.items() if wanted in said.casefold()), None)
        if holder is None:
            return []
        turns.append(holder)
    return sorted(set(turns))


def _nearest(text: str, folded: Mapping[int, str]) -> list[int]:
    """The turn that shares the most words with `text`, for a model that names none."""
    words = {word.casefold() for word in _WORD.findall(text)}
    shared = {turn: sum(w in said.casefold() for w in words) for turn, said in folded.items()}
    best = max(shared, key=lambda turn: shared[turn], default=0)
    return [best] if shared.get(best) else []
