"""Checking what an extractor says was said, and catching by pattern what it missed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from state.catalogue import CATALOGUE, KINDS, Kind
from state.facts import Change, Fact
from state.said import Said
from state.secrets import holds_secret
from state.wording import folded, plain

_SPACE = re.compile(r"\s+")
_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|right|correct|exactly|sure|that'?s (?:it|right|correct)|ok(?:ay)?|"
    r"ja|genau|stimmt|richtig|sí|si|claro|exacto|oui|exact|sim|hai|はい|そうです|是的?|对|نعم|да)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"(?:\b(?:not|no longer|never|isn'?t|wasn'?t|don'?t|nicht|kein\w*|no|nunca|pas)\b|n't)"
    r"(?:\W+\w+){0,2}\W*$",
    re.IGNORECASE,
)
_FREE_OF_NOT = frozenset({"must_not", "instruction", "preference", "issue", "promise", "note"})
"""Kinds whose value may itself say no."""
_NOT_ALLERGIC = re.compile(
    r"\b(?:not|no longer|n't|nicht|no soy|ni)\s+(?:\w+\s+)?al[el]+[rx]?g", re.IGNORECASE
)


class Operation(BaseModel):
    """What the extractor says of one fact."""

    model_config = ConfigDict(extra="ignore")

    act: Literal["state", "retract", "kept", "expired"] = "state"
    kind: str
    value: str = Field(min_length=1, max_length=400)
    quote: str = Field(default="", max_length=1000)
    answers: str = Field(default="", max_length=1000)
    """The assistant's words that a mere "yes" confirms."""
    old: str = Field(default="", max_length=400)
    when: str = Field(default="", max_length=80)
    """The words that name a date."""
    turn: int = 0


class Operations(BaseModel):
    """What an extractor returns."""

    model_config = ConfigDict(extra="ignore")

    facts: list[Operation] = Field(default_factory=list)


@dataclass(frozen=True)
class Rejected:
    """An operation that is not believed, and why."""

    operation: Operation
    turn: int
    reason: str


@dataclass
class Believed:
    """The changes that evidence stands for, and the operations that it does not."""

    changes: list[Change] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


Dates = Callable[[str, Said], tuple[str, str]]
"""From words that name a date and who said them: the date it was said, the date it speaks of."""


def believed(operations: Iterable[Operation], said: Sequence[Said], dates: Dates) -> Believed:
    """`operations` whose quote stands in the right speaker's words of one of the turns `said`."""
    result = Believed()
    by_turn = {each.turn: each for each in said}
    for operation in operations:
        kind = KINDS.get(operation.kind)
        places = [by_turn[operation.turn]] if operation.turn in by_turn else list(said)
        if kind is None:
            reason = f"there is no kind {operation.kind!r}"
            result.rejected.append(Rejected(operation, operation.turn, reason))
            continue
        reasons = {place.turn: _doubt(kind, operation, place) for place in places}
        turn = next((t for t, reason in reasons.items() if not reason), None)
        if turn is None:
            last = places[-1].turn
            result.rejected.append(Rejected(operation, last, reasons[last]))
            continue
        result.changes.append(_change(kind, operation, by_turn[turn], dates))
    return result


def caught(said: Sequence[Said], facts: Mapping[str, Sequence[Fact]], dates: Dates) -> list[Change]:
    """What the patterns of the catalogue find in the right speaker's words and no fact holds."""
    changes: list[Change] = []
    for place in said:
        for kind in CATALOGUE:
            for value, quote in _matches(kind, place):
                known = [f["value"] for f in facts.get(kind.key, ())]
                known += [c["fact"]["value"] for c in changes if c["fact"]["kind"] == kind.key]
                if value not in known:
                    operation = Operation(kind=kind.key, value=value, quote=quote)
                    change = _change(kind, operation, place, dates)
                    change["fact"]["found"] = "pattern"
                    changes.append(change)
    return changes


def _doubt(kind: Kind, operation: Operation, place: Said) -> str:
    """Why the operation is not believed of this exchange; empty when it is."""
    words = place.words(kind.by)
    quote = operation.quote or operation.value
    if not stands_in(quote, words):
        other = "assistant" if kind.by == "user" else "user"
        said = stands_in(quote, place.words(other))
        return f"the words are the {other}'s" if said else "the quote was not said"
    if holds_secret(operation.value, f"{words} {place.before}"):
        return "a secret is never kept"
    if kind.choices:
        return "" if operation.value in kind.choices else f"not one of {', '.join(kind.choices)}"
    return _unfounded(kind, operation, quote, place) if operation.act == "state" else ""


def _unfounded(kind: Kind, operation: Operation, quote: str, place: Said) -> str:
    """Why the quote does not state the value; empty when it does, or affirms words that do."""
    if _negated(kind, operation.value, quote):
        return "the words deny it"
    if _in_quote(kind, operation.value, quote):
        return ""
    confirmed = operation.answers or place.before
    if not (_YES.match(plain(place.words(kind.by))) and stands_in(confirmed, place.before)):
        return "the value is not in its quote"
    return "" if _in_quote(kind, operation.value, confirmed) else "the value was not said"


def stands_in(quote: str, words: str) -> bool:
    """Whether `quote` was said: white space and case folded, nothing else."""
    return bool(quote.strip()) and _squeezed(quote) in _squeezed(words)


def _in_quote(kind: Kind, value: str, quote: str) -> bool:
    if kind.exact:
        return _SPACE.sub(" ", value.strip()) in _SPACE.sub(" ", quote)
    said = set(re.findall(r"\w+", folded(quote)))
    told = [word for word in re.findall(r"\w+", folded(value)) if len(word) > 3 or word.isdigit()]
    if not told:
        return stands_in(value, quote)
    return sum(any(w[:5] == s[:5] for s in said) or w in _squeezed(quote) for w in told) * 2 > len(
        told
    )


def _negated(kind: Kind, value: str, quote: str) -> bool:
    if kind.key == "must_not":
        return bool(_NOT_ALLERGIC.search(quote))
    if kind.key in _FREE_OF_NOT:
        return False
    at = _squeezed(quote).rfind(_squeezed(value))
    return at > 0 and bool(_NOT.search(re.split(r"[,.;!?]", _squeezed(quote)[:at])[-1]))


def _matches(kind: Kind, place: Said) -> list[tuple[str, str]]:
    if kind.form is None:
        return []
    words = place.words(kind.by)
    found = []
    for match in kind.form.finditer(words):
        quote = words[max(0, match.start() - 40) : match.end()]
        if not _negated(kind, match.group(), quote) and not holds_secret(match.group(), words):
            found.append((match.group(), quote))
    return found


def _change(kind: Kind, operation: Operation, place: Said, dates: Dates) -> Change:
    said, about = dates(operation.when, place)
    quote = operation.quote or operation.value
    if operation.answers:
        quote = f"{operation.answers} - {quote}"
    fact = Fact(
        kind=kind.key,
        value=" ".join(operation.value.split()),
        turn=place.turn,
        said=said,
        about=about,
        quote=quote,
        by=kind.by,
        was="",
        found="model",
    )
    return Change(act=operation.act, fact=fact, old=operation.old)


def _squeezed(text: str) -> str:
    return _SPACE.sub(" ", text.strip()).casefold()
