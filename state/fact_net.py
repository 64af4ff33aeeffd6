"""What the patterns of the catalogue catch when a model missed it."""

import re
from collections.abc import Mapping, Sequence

from state.catalogue import CATALOGUE, KINDS, Kind
from state.denials import ASKS, affirms, denied
from state.fact_check import Dates, change
from state.facts import Change, Fact, twins
from state.operations import Operation
from state.quoting import apart, states
from state.said import Said
from state.secrets import holds_secret
from state.wording import plain

_QUOTED = 40
"""Characters before a find that are kept with it."""
_SENTENCE = re.compile(r"(?<=[.!?？؟。])\s+|(?<=[？。])")  # noqa: RUF001


def caught(
    said: Sequence[Said],
    facts: Mapping[str, Sequence[Fact]],
    dates: Dates,
    done: Sequence[Change] = (),
) -> list[Change]:
    """Changes for what stands in the right speaker's words and in no fact.

    `done` are the changes that a model found in the same words: what they end is not caught again.
    """
    changes: list[Change] = []
    for place in said:
        for kind in CATALOGUE:
            known = [fact["value"] for fact in facts.get(kind.key, ())]
            known += _named(kind, [*done, *changes])
            if known and not kind.many:
                # A pattern cannot tell whose it is: it does not replace what was said to be so.
                continue
            for value, quote in _finds(kind, place):
                if not any(twins(kind, value, other) for other in known):
                    known.append(value)
                    old = _denied_one(kind, facts.get(kind.key, ()), place)
                    operation = Operation(kind=kind.key, value=value, quote=quote, old=old)
                    changes.append(change(operation, place, dates, found="pattern"))
    return changes


def _denied_one(kind: Kind, standing: Sequence[Fact], place: Said) -> str:
    """The one standing value that the words deny, as in "it's not 4471, it's 4417"."""
    words = place.words(kind.by)
    gone = [fact["value"] for fact in standing if denied(kind, fact["value"], words)]
    return gone[0] if kind.exact and len(gone) == 1 else ""


def _named(kind: Kind, changes: Sequence[Change]) -> list[str]:
    own = [each for each in changes if KINDS[each["fact"]["kind"]] is kind]
    return [value for each in own for value in (each["fact"]["value"], each["old"])]


def _finds(kind: Kind, place: Said) -> list[tuple[str, str]]:
    """Each value that looks like one of `kind`, with the words that say it."""
    words = place.words(kind.by)
    found = []
    for value, quote in _matches(kind, words):
        repeated = kind.by == "assistant" and states(kind, value, place.user)
        if not (repeated or denied(kind, value, quote) or holds_secret(value, words)):
            found.append((value, quote))
    if kind.by == "user" and affirms(words):
        asked = (each for each in _SENTENCE.split(place.before) if each.endswith(ASKS))
        found += [(value, f"{q} - {words}") for each in asked for value, q in _matches(kind, each)]
    return found


def _matches(kind: Kind, words: str) -> list[tuple[str, str]]:
    """Each value in `words` that looks like one of `kind`, with some words before it."""
    spans = [match.span() for match in kind.form.finditer(apart(plain(words)))] if kind.form else []
    return [(words[start:end], words[max(0, start - _QUOTED) : end]) for start, end in spans]
