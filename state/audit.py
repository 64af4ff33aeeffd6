"""What has no second chance once its exchange is folded: values looked for after a compaction."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from state.evidence import names
from state.summary import Pin, Summary
from state.tokens import count_text

_EXACT = (
    re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    re.compile(r"(?<!\w)\+?\d[\d ()/-]{7,}\d(?!\w)"),
    re.compile(r"(?:[$€£¥]\s?\d[\d.,]*\d|[$€£¥]\s?\d|\d[\d.,]*\s?(?:[$€£¥]|EUR|USD|GBP|euros?\b))"),
    re.compile(r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"),
    re.compile(r"(?<!\w)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{3,}(?!\w)"),
    re.compile(r"(?<![\w.,])\d{3,}(?![\w.,]\d)"),
)
_QUOTED = re.compile(r"[\"“„«]([^\"”“»]{2,40})[\"”»]")
_MANY_NAMES = 0.25
"""Above this share of capitalised words a language capitalises its nouns: names cannot be told."""
_AROUND = 40


@dataclass(frozen=True)
class Find:
    """A value that was said, and where."""

    value: str
    turn: int
    words: str


def audit(folded: Mapping[int, str], summary: Summary) -> list[Find]:
    """Values of the folded turns (spoken words only) that the summary does not hold, in order."""
    held = " ".join(item["text"] for item in summary["items"])
    held = f"{held} {' '.join(pin['words'] for pin in summary['pins'])}".casefold()
    finds: list[Find] = []
    for turn, said in folded.items():
        for value in _worth_keeping(said):
            if value.casefold() not in held and all(value not in f.value for f in finds):
                finds.append(Find(value, turn, _around(said, value)))
    return finds


def pinned(summary: Summary, finds: list[Find], *, budget: int) -> Summary:
    """`summary` with `finds` pinned as they stand; past `budget` tokens the oldest pins go.

    What goes is still in the transcript.
    """
    pins = list(summary["pins"])
    for find in finds:
        if all(find.value not in pin["words"] for pin in pins):
            pins.append(Pin(value=find.value, turn=find.turn, words=find.words))
    while pins and sum(count_text(pin_line(pin)) + 1 for pin in pins) > budget:
        pins.pop(0)
    return {**summary, "pins": pins}


def pin_line(pin: Pin) -> str:
    """A pin as one line of the request."""
    return f"- [t{pin['turn']}] {pin['words']}"


def _worth_keeping(said: str) -> list[str]:
    found = [match.group().strip() for form in _EXACT for match in form.finditer(said)]
    found += [quoted.strip() for quoted in _QUOTED.findall(said)]
    words = said.split()
    called = names(said)
    if len(called) <= _MANY_NAMES * len(words):
        found += [w for word in words if (w := word.strip(".,!?;:()\"'“”")).casefold() in called]
    return list(dict.fromkeys(found))


def _around(said: str, value: str) -> str:
    """The words around `value`, whole ones, on one line."""
    at = said.find(value)
    start, end = max(0, at - _AROUND), at + len(value) + _AROUND
    cut = said[start:end]
    if start:
        cut = cut.partition(" ")[2] if " " in cut[: at - start] else cut
    if end < len(said) and " " in cut[cut.find(value) + len(value) :]:
        cut = cut.rpartition(" ")[0]
    return " ".join(cut.split())
