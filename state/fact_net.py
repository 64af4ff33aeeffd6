"""What the patterns of the catalogue catch when a model missed it."""

from collections.abc import Mapping, Sequence

from state.catalogue import CATALOGUE, KINDS, Kind
from state.denials import denied
from state.fact_check import Dates, Operation, change
from state.facts import Change, Fact, twins
from state.quoting import apart, states
from state.said import Said
from state.secrets import holds_secret
from state.wording import plain

_QUOTED = 40
"""Characters before a find that are kept with it."""


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
                    operation = Operation(kind=kind.key, value=value, quote=quote)
                    changes.append(change(operation, place, dates, found="pattern"))
    return changes


def _named(kind: Kind, changes: Sequence[Change]) -> list[str]:
    own = [each for each in changes if KINDS[each["fact"]["kind"]] is kind]
    return [value for each in own for value in (each["fact"]["value"], each["old"])]


def _finds(kind: Kind, place: Said) -> list[tuple[str, str]]:
    """Each value that looks like one of `kind`, with some words before it."""
    if kind.form is None:
        return []
    words = place.words(kind.by)
    found = []
    for match in kind.form.finditer(apart(plain(words))):
        value, quote = (
            words[match.start() : match.end()],
            words[: match.end()][-_QUOTED - len(match[0]) :],
        )
        repeated = kind.by == "assistant" and states(kind, value, place.user)
        if not (repeated or denied(kind, value, quote) or holds_secret(value, words)):
            found.append((value, quote))
    return found
