"""What the log of facts says, as facts that are planted in a conversation."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evals.run.conversation import Planted, Says, Value
from state.catalogue import KINDS, Kind, Speaker
from state.facts import twins
from state.wording import folded, holds

_STATED = frozenset({"stated", "changed"})
_ENDED = frozenset({"retracted", "kept", "expired"})
_BY_PATTERN = " by pattern"


class NotSaid(ValueError):
    """What is missing stands in no turn, or a kind does not fit it; the message says which."""


@dataclass(frozen=True)
class Spoken:
    """One turn of a stored conversation."""

    at: str
    user: str
    bot: str

    def by(self, speaker: Speaker) -> str:
        """The words of one of the two."""
        return self.user if speaker == "user" else self.bot


@dataclass
class Garden:
    """What is planted, by name, and what each turn does to it."""

    facts: dict[str, Planted] = field(default_factory=dict)
    says: dict[int, list[Says]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    """What the log holds and no words show, a line each."""

    def add(self, turn: int, name: str, planted: Planted, says: Says) -> None:
        """Plants something in `turn`."""
        self.facts.setdefault(name, planted)
        self.says.setdefault(turn, []).append(says)


def planted(log: Iterable[Mapping[str, Any]], turns: Sequence[Spoken]) -> Garden:
    """The facts of a log that the words of `turns` show, turn by turn."""
    garden = Garden()
    names: list[tuple[Kind, str, str]] = []
    for row in sorted(log, key=lambda row: (row["turn"], row["at"])):
        kind, event = KINDS.get(row["kind"]), row["event"].removesuffix(_BY_PATTERN)
        if kind is None or kind.choices or not 1 <= row["turn"] <= len(turns):
            continue
        if event in _STATED:
            _state(garden, names, kind, row, turns[row["turn"] - 1])
        elif event in _ENDED and (name := _called(names, kind, row["before"] or row["value"])):
            _end(garden, row["turn"], name)
    return garden


def missing(
    garden: Garden, turns: Sequence[Spoken], value: str, *, number: int, kind: str = ""
) -> tuple[str, int]:
    """The name and the turn of a fact that should have been known, planted if it is not yet.

    Raises NotSaid.
    """
    turn, speaker = _said_in(turns, value)
    for says in garden.says.get(turn, ()):
        if folded(says.value) == folded(value):
            return says.fact, turn
    if kind and (known := KINDS.get(kind)) is None:
        raise NotSaid(f"{kind!r} is none of {', '.join(KINDS)}")
    if kind and known is not None and known.by != speaker:
        raise NotSaid(
            f"{kind} is stated by the {known.by}, and turn {turn} has it of the {speaker}"
        )
    name = f"missing_{number}"
    garden.add(turn, name, Planted(kind=kind, by=speaker), Says(fact=name, value=value))
    return name, turn


def disguised(garden: Garden, turns: Sequence[Spoken], disguise: Callable[[str], str]) -> Garden:
    """The same in the words of disguised `turns`; what they no longer show is left out."""
    found = Garden(left_out=list(garden.left_out))
    for turn, all_said in sorted(garden.says.items()):
        for says in all_said:
            of = garden.facts[says.fact]
            if not says.value:
                if says.fact in found.facts:
                    found.add(turn, says.fact, of, says)
                continue
            value, quote = disguise(says.value), disguise(says.pattern)
            told = _as_said(says.fact, value, quote, turns[turn - 1].by(of.by))
            if told is None:
                found.left_out.append(f"turn {turn}: {says.fact}: its words do not show it")
            else:
                found.add(turn, says.fact, of, told)
    return found


def _state(
    garden: Garden,
    names: list[tuple[Kind, str, str]],
    kind: Kind,
    row: Mapping[str, Any],
    spoken: Spoken,
) -> None:
    if _as_said("", row["value"], row["quote"], spoken.by(kind.by)) is None:
        garden.left_out.append(f"turn {row['turn']}: {kind.key}: its words do not show it")
        return
    name = _called(names, kind, row["before"]) if row["before"] else ""
    if not name:
        same = [known for other, _, known in names if other is kind]
        name = kind.key if not kind.many else f"{kind.key}_{len(set(same)) + 1}"
    names.append((kind, row["value"], name))
    # The quote goes along as the pattern until all words are disguised.
    says = Says(fact=name, value=row["value"], pattern=row["quote"])
    garden.add(row["turn"], name, Planted(kind=kind.key, by=kind.by), says)


def _end(garden: Garden, turn: int, name: str) -> None:
    """Takes a fact back, unless the turn gives it a value as well."""
    if all(says.fact != name for says in garden.says.get(turn, ())):
        garden.add(turn, name, garden.facts[name], Says(fact=name))


def _called(names: Sequence[tuple[Kind, str, str]], kind: Kind, value: str) -> str:
    """The name of what has, or had, `value`; empty: none."""
    found = (name for k, v, name in reversed(names) if k is kind and twins(kind, v, value))
    return next(found, "")


def _as_said(name: str, value: str, quote: str, words: str) -> Says | None:
    """The saying as `words` show it: by its value, else by its quote; None if they do not."""
    for pattern in ("", f"{_loose(value)}|{_loose(quote)}" if quote else ""):
        if Value(value=value, pattern=pattern).stands_in(words):
            return Says(fact=name, value=value, pattern=pattern)
    return None


def _loose(words: str) -> str:
    """A pattern of words, whatever space is between them."""
    return r"\s+".join(map(re.escape, words.split()))


def _said_in(turns: Sequence[Spoken], value: str) -> tuple[int, Speaker]:
    speakers: tuple[Speaker, ...] = ("user", "assistant")
    for number, spoken in enumerate(turns, 1):
        for speaker in speakers:
            if holds(folded(spoken.by(speaker)), folded(value)):
                return number, speaker
    raise NotSaid(f"no turn says {value!r}")
