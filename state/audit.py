"""What has no second chance once its exchange is folded: values looked for after a compaction."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from state.secrets import holds_secret
from state.summary import Pin, Summary
from state.tokens import count_text
from state.wording import folded, found_names, holds, plain, stem

# Each form begins at a boundary and is bounded, so that a pasted file is read in one pass.
_EXACT = (
    re.compile(
        r"(?<![\w.%+-])[\w.%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}", re.ASCII
    ),
    re.compile(r"(?<!\d)(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})(?!\d)"),
    re.compile(r"[$€£¥]\s?\d(?:[\d.,]{0,20}\d)?"),
    re.compile(r"(?<![\d.,])\d[\d.,]{0,20}\s?(?:[$€£¥円元]|EUR|USD|GBP|euros?\b)"),
    re.compile(r"(?<!\w)\+?\d[\d ()/-]{7,20}\d(?!\w)", re.ASCII),
    re.compile(
        r"(?<!\w)(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[A-Za-z0-9][\w-]{3,40}(?!\w)", re.ASCII
    ),
    re.compile(r"(?<![\w.,])\d{3,40}(?!\w|[.,]\d)", re.ASCII),
    re.compile(r"[\"“„«]([^\"”“»\n]{2,40})[\"”“»]"),
)
_MOST = 24
"""Finds of one turn, at most: more is a table, and that stays in the transcript."""
_AROUND = 40


@dataclass(frozen=True)
class Find:
    """A value that was said, and where."""

    value: str
    turn: int
    words: str


def audit(said: Mapping[int, str], summary: Summary, known: Sequence[str] = ()) -> list[Find]:
    """Values of the folded turns (spoken words only) that the summary does not hold, in order.

    What stands in the facts (`known`, as lines) is not missed, and a secret is not to be kept.
    """
    lines = [*(item["text"] for item in summary["items"]), *known]
    held = folded("\n".join([*lines, *(pin["words"] for pin in summary["pins"])]))
    finds: list[Find] = []
    seen: set[str] = set()
    for turn, words in said.items():
        missed: list[Find] = []
        for value, start, sought in _worth_keeping(words):
            if sought in seen or holds(held, sought) or holds_secret(value, words):
                continue
            seen.add(sought)
            missed.append(Find(value, turn, _around(words, start, start + len(value))))
            if len(missed) == _MOST:
                break
        finds += missed
    return finds


def pinned(summary: Summary, finds: list[Find], *, budget: int) -> Summary:
    """`summary` with `finds` pinned as they stand.

    Past `budget` tokens pins go, the oldest of the turn that has the most: one long list pushes
    nothing else out. What goes is still in the transcript.
    """
    pins = list(summary["pins"])
    for find in finds:
        if not any(holds(folded(pin["words"]), folded(find.value)) for pin in pins):
            pins.append(Pin(value=find.value, turn=find.turn, words=find.words))
    size = sum(_tokens(pin) for pin in pins)
    crowd = Counter(pin["turn"] for pin in pins)
    while pins and size > budget:
        turn = max(crowd, key=lambda turn: (crowd[turn], -turn))
        gone = next(pin for pin in pins if pin["turn"] == turn)
        pins.remove(gone)
        crowd[turn] -= 1
        size -= _tokens(gone)
    return {**summary, "pins": pins}


def pin_line(pin: Pin) -> str:
    """A pin as one line of the request."""
    return f"- [t{pin['turn']}] {pin['words']}"


def _tokens(pin: Pin) -> int:
    return count_text(pin_line(pin)) + 1


def _worth_keeping(said: str) -> Iterator[tuple[str, int, str]]:
    """Each value with its place, and the form in which it is looked for; exact ones first."""
    read = plain(said)
    taken = bytearray(len(read))
    for form in _EXACT:
        for match in form.finditer(read):
            start, end = match.span(match.lastindex or 0)
            if any(taken[start:end]):
                continue
            taken[start:end] = b"\1" * (end - start)
            value = read[start:end].strip("-_ ")
            yield value, read.index(value, start), folded(value)
    for name, start in found_names(read):
        if not taken[start]:
            yield name, start, stem(folded(name))


def _around(said: str, start: int, end: int) -> str:
    """The words around a value, whole ones, on one line."""
    left, right = max(0, start - _AROUND), end + _AROUND
    before, after = said[left:start], said[end:right]
    if left and " " in before:
        before = before.partition(" ")[2]
    if right < len(said) and " " in after:
        after = after.rpartition(" ")[0]
    return " ".join((before + said[start:end] + after).split())
