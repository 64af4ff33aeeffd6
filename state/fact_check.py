"""Checking what an extractor says was said."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from state.catalogue import KINDS, Kind
from state.denials import ASKS, affirms, denied, only_asks, takes_back
from state.facts import Act, Change, Fact, Found, twins
from state.operations import Operation
from state.quoting import stands_in, states
from state.said import Said
from state.secrets import HIDDEN, holds_secret, without_secrets

_LONGEST_VALUE = 400
_LONGEST_QUOTE = 500
_SHORTEST_IDENTIFIER = 3


@dataclass(frozen=True)
class Rejected:
    """An operation that is not believed, and why. It holds no secret."""

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
    """`operations` whose quote stands in the right speaker's words of one of the turns `said`.

    `said` holds one turn at least. A wrong number of the turn is put right.
    """
    result = Believed()
    for operation in map(_meant, operations):
        places = sorted(said, key=lambda place: place.turn != operation.turn)
        doubts = [(_doubt(operation, place), place) for place in places]
        place = next((place for doubt, place in doubts if not doubt), None)
        if place is None:
            reason, nearest = doubts[0]
            hidden = _without_secrets(operation, nearest)
            result.rejected.append(Rejected(hidden, nearest.turn, reason))
        else:
            result.changes.append(change(operation, place, dates))
    return result


def change(
    operation: Operation, place: Said, dates: Dates, *, found: Literal[Found] = "model"
) -> Change:
    """The change that a believed `operation` makes, with its evidence; no secret in it."""
    kind = KINDS[operation.kind]
    when = operation.when if stands_in(operation.when, place.words(kind.by)) else ""
    date, about = dates(when, place)
    safe = _without_secrets(operation, place)
    quote = _quote(safe)
    if not states(kind, operation.value, _quote(operation)) and operation.act == "state":
        quote = f"{safe.answers or place.before} - {quote}"
    fact = Fact(
        kind=kind.key,
        value=" ".join(operation.value.split()),
        turn=place.turn,
        said=date,
        about=about,
        quote=quote[:_LONGEST_QUOTE],
        by=kind.by,
        was="",
        found=found,
    )
    act: Act = next(each for each in get_args(Act) if each == operation.act)
    return Change(act=act, fact=fact, old=operation.old)


def _meant(operation: Operation) -> Operation:
    """A value that replaces itself in words that take it back is one that is taken back."""
    kind = KINDS.get(operation.kind)
    replaced = kind is not None and twins(kind, operation.value, operation.old)
    if operation.act == "state" and replaced and takes_back(_quote(operation)):
        return operation.model_copy(update={"act": "retract"})
    return operation


def _doubt(operation: Operation, place: Said) -> str:
    """Why the operation is not believed of this exchange; empty when it is."""
    kind = KINDS.get(operation.kind)
    if kind is None:
        return f"there is no kind {operation.kind[:40]!r}"
    if operation.act not in get_args(Act):
        return f"there is no act {operation.act[:40]!r}"
    if not any(c.isalnum() for c in operation.value) or len(operation.value) > _LONGEST_VALUE:
        return "no value, or one that is too long"
    if holds_secret(operation.value, f"{place.user}\n{place.assistant}\n{place.before}"):
        return "a secret is never kept"
    if operation.act != "state":
        return _unended(kind, operation, place)
    return _unsaid(kind, operation, place) or _unfounded(kind, operation, place)


def _unended(kind: Kind, operation: Operation, place: Said) -> str:
    """Why no words say that the fact stands no more; the assistant cannot take back the user's."""
    quote = _quote(operation)
    speakers = [place.user, *([place.assistant] if kind.by == "assistant" else [])]
    if not any(stands_in(quote, words) for words in speakers):
        return "the quote was not said"
    if operation.act == "retract" and not takes_back(quote):
        return "the words take nothing back"
    return ""


def _unsaid(kind: Kind, operation: Operation, place: Said) -> str:
    """Why the quote is not evidence; empty when the right speaker said it."""
    quote = _quote(operation)
    own = stands_in(quote, place.words(kind.by))
    if kind.by == "assistant":
        users = stands_in(quote, place.user)
        if own and (users or (kind.exact and states(kind, operation.value, place.user))):
            return "the assistant only repeats the user"
        if not own and users:
            return "the words are the user's"
    elif not own and stands_in(quote, place.assistant):
        return "the words are the assistant's"
    return "" if own else "the quote was not said"


def _unfounded(kind: Kind, operation: Operation, place: Said) -> str:
    """Why the quote does not state the value; empty when it does, or affirms words that do."""
    value, quote, words = operation.value, _quote(operation), place.words(kind.by)
    if kind.choices:
        return "" if value in kind.choices else f"not one of {', '.join(kind.choices)}"
    if kind.exact and (fault := _no_identifier(kind, value)):
        return fault
    if denied(kind, value, quote) or denied(kind, value, words):
        return "the words deny it"
    if _is_asked(kind, value, quote, words):
        return "a question states no fact"
    if states(kind, value, quote) and (not kind.exact or states(kind, value, words)):
        return ""
    confirmed = operation.answers or place.before
    if kind.by != "user" or not affirms(words):
        return "the value is not in its quote"
    if not stands_in(confirmed, place.before):
        return "what was confirmed was not said"
    said = states(kind, value, confirmed) and not denied(kind, value, confirmed)
    return "" if said else "the value was not said"


def _is_asked(kind: Kind, value: str, quote: str, words: str) -> bool:
    asks = kind.by == "user" and not kind.exact and only_asks(quote, words)
    return asks or value.rstrip().endswith(ASKS)


def _no_identifier(kind: Kind, value: str) -> str:
    """Why `value` cannot be this identifier; empty when it can."""
    if len(value) < _SHORTEST_IDENTIFIER or not any(c.isdigit() or c == "@" for c in value):
        return "no identifier"
    if kind.form is None or kind.form.fullmatch(value):
        return ""
    others = (each for each in KINDS.values() if each.form and each.form.fullmatch(value))
    other = next(others, None)
    return f"it looks like {other.key}" if other else ""


def _quote(operation: Operation) -> str:
    return operation.quote or operation.value


def _without_secrets(operation: Operation, place: Said) -> Operation:
    words = f"{place.user}\n{place.assistant}\n{place.before}"
    texts = {
        name: without_secrets(getattr(operation, name), words)[:_LONGEST_QUOTE]
        for name in ("kind", "value", "quote", "old", "when", "answers")
    }
    if holds_secret(operation.value, words):
        texts["value"] = HIDDEN
    return operation.model_copy(update=texts)
