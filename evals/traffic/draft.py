"""A stored conversation as the text of a conversation's file: disguised, checked, ready to run."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

from evals.run.conversation import Planted, Says, Topic, parsed
from evals.traffic.disguise import Disguise
from evals.traffic.personal import called, doubtful, named_in
from evals.traffic.planted import Garden, Spoken, disguised, missing, planted
from state.wording import folded, holds

HEAD = (
    "# Made of a stored conversation. Names, numbers, addresses and links are replaced, by rules:",
    "# read it once before you give it to anybody.",
)
_NAMED = ("customer_name", "address")
"""Kinds whose values are names through and through."""
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")  # noqa: RUF001
_SHORTEST = 3
"""Letters up to which a word may stand there by chance."""


class Leak(RuntimeError):
    """Something that was to be replaced is still there; the message does not say what."""


@dataclass(frozen=True)
class Missing:
    """A fact that somebody found missing, and how to ask for it."""

    value: str
    ask: str = ""
    """Empty: by the sentence in which it was said, with a gap."""
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What somebody wants of the file."""

    name: str
    persona: str
    filler: Topic
    missing: Sequence[Missing] = ()
    names: Sequence[str] = ()
    """Further words to replace."""
    keep: Sequence[str] = ()
    """Words to leave as they are."""


@dataclass(frozen=True)
class Draft:
    """The text of a file, and what is to be told of it."""

    text: str
    replaced: Mapping[str, str]
    left_out: Sequence[str]
    facts: int
    doubtful: Sequence[str] = ()
    """Words that were not replaced and may be names."""


def draft(
    turns: Sequence[Spoken], log: Sequence[Mapping[str, Any]], wishes: Wishes, random: Random
) -> Draft:
    """The file of a conversation. Raises NotSaid, Leak and ConversationError."""
    garden = planted(log, turns)
    asked = [_probe(garden, turns, each, number) for number, each in enumerate(wishes.missing, 1)]
    disguise = Disguise(random, names=_names(turns, log, wishes), keep=wishes.keep)
    first = [Spoken(each.at, disguise(each.user), disguise(each.bot)) for each in turns]
    hidden = [Spoken(e.at, disguise.rest(e.user), disguise.rest(e.bot)) for e in first]

    def hide(words: str) -> str:
        return disguise.rest(disguise(words))

    shown = disguised(garden, hidden, hide)
    probes = [(hide(question), fact) for question, fact in asked if fact in shown.facts]
    text = "\n".join(_lines(wishes, hidden, shown, probes)) + "\n"
    parsed(tomllib.loads(text))
    _check(text, disguise.replaced)
    said = [words for each in turns for words in (each.user, each.bot)]
    doubts = [w for w in doubtful(said) if w not in disguise.replaced and w not in wishes.keep]
    return Draft(text, disguise.replaced, shown.left_out, len(shown.facts), doubts)


def _names(turns: Sequence[Spoken], log: Iterable[Mapping[str, Any]], wishes: Wishes) -> set[str]:
    found = called(words for each in turns for words in (each.user, each.bot))
    for row in log:
        if row["kind"] in _NAMED:
            found |= named_in(row["value"]) | named_in(row["before"])
    return found | {word for name in wishes.names for word in name.split()}


def _probe(
    garden: Garden, turns: Sequence[Spoken], wanted: Missing, number: int
) -> tuple[str, str]:
    """The question for what is missing, and the fact."""
    fact, turn = missing(garden, turns, wanted.value, number=number, kind=wanted.kind)
    speaker = garden.facts[fact].by
    return wanted.ask or _gap(turns[turn - 1].by(speaker), wanted.value, speaker), fact


def _gap(words: str, value: str, speaker: str) -> str:
    """A question that quotes the sentence with a gap in the place of `value`."""
    holding = (each for each in _SENTENCE.findall(words) if holds(folded(each), folded(value)))
    sentence = " ".join(next(holding, words).split())
    gap = re.sub(re.escape(value), "___", sentence, flags=re.IGNORECASE)
    who = "I" if speaker == "user" else "you"
    return f'Some time ago {who} said: "{gap}" What belongs into the gap?'


def _lines(
    wishes: Wishes, turns: Sequence[Spoken], garden: Garden, probes: Sequence[tuple[str, str]]
) -> Iterator[str]:
    yield from HEAD
    yield f"name = {_text(wishes.name)}"
    yield 'about = "Of real traffic."'
    yield f"persona = {_text(wishes.persona)}"
    yield f"filler = {_text(wishes.filler)}"
    yield f"start = {turns[0].at}"
    yield ""
    yield "[facts]"
    yield from (f"{name} = {_planted(fact)}" for name, fact in garden.facts.items())
    before = turns[0].at
    for number, spoken in enumerate(turns, 1):
        yield from ("", "[[turn]]")
        yield f"user = {_text(spoken.user)}"
        yield f"bot = {_text(spoken.bot)}"
        if hours := _hours(before, spoken.at):
            yield f"hours = {hours}"
        if said := garden.says.get(number):
            yield "says = [" + ", ".join(map(_says, said)) + "]"
        before = spoken.at
    for question, fact in probes:
        yield from (
            "",
            "[[turn]]",
            f"user = {_text(question)}",
            f"probe = {{ fact = {_text(fact)} }}",
        )


def _hours(before: str, at: str) -> float:
    """Hours between two turns; 0 for less than one, which is drawn like all small pauses."""
    gap = datetime.fromisoformat(at) - datetime.fromisoformat(before)
    hours = round(gap.total_seconds() / 3600, 2)
    return hours if hours >= 1 else 0.0


def _planted(fact: Planted) -> str:
    parts = [f"kind = {_text(fact.kind)}"] if fact.kind else []
    parts += [f"by = {_text(fact.by)}"] if fact.by != "user" else []
    return "{ " + ", ".join(parts) + " }" if parts else "{}"


def _says(says: Says) -> str:
    parts = [f"fact = {_text(says.fact)}"]
    parts += [f"value = {_text(says.value)}"] if says.value else []
    parts += [f"pattern = {_text(says.pattern)}"] if says.pattern else []
    return "{ " + ", ".join(parts) + " }"


def _text(words: str) -> str:
    """A basic string of TOML, which is one of JSON but for one sign."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")


def _check(text: str, replaced: Mapping[str, str]) -> None:
    """Raises Leak when something that was replaced still stands in the text."""
    new = "\n".join(replaced.values())
    long = [said for said in replaced if len(said) > _SHORTEST]
    left = [said for said in long if not _stands_in(said, new) and _stands_in(said, text)]
    if left:
        raise Leak(f"{len(left)} of {len(replaced)} things still stand there as they were said")


def _stands_in(said: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text) is not None
