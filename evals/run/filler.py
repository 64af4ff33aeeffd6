"""What people say between the things that matter: seeded, varied, as long as real messages are."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp
from random import Random
from tomllib import loads
from typing import Any

from evals.run.conversation import Topic

_USER = (2.7, 0.7, 120)
"""Of the user's words a message: mean and deviation of their logarithm, and the most."""
_BOT = (3.7, 0.6, 220)
_PASTE = 0.02
"""Share of messages in which a long text is pasted."""
_PASTED = (250, 500)
"""Its words."""

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Words:
    """One exchange."""

    user: str
    bot: str


def filler(topic: Topic, random: Random) -> Words:
    """An exchange that nobody will ask about."""
    lines, slots = _pools(topic)
    pasted = random.random() < _PASTE
    length = random.randint(*_PASTED) if pasted else _length(random, *_USER)
    return Words(
        user=_said(lines["user"], slots, random, length),
        bot=_said(lines["bot"], slots, random, _length(random, *_BOT)),
    )


def _length(random: Random, mean: float, deviation: float, most: int) -> int:
    return min(most, round(exp(random.gauss(mean, deviation))))


def _said(lines: Sequence[str], slots: Mapping[str, Any], random: Random, length: int) -> str:
    """Whole sentences until there are `length` words; none comes again before all have come."""
    said: list[str] = []
    left: list[str] = []
    words = 0
    while not said or words < length:
        left = left or random.sample(lines, len(lines))
        sentence = _SLOT.sub(lambda slot: str(random.choice(slots[slot[1]])), left.pop())
        said.append(sentence[0].upper() + sentence[1:])
        words += len(sentence.split())
    return " ".join(said)


@cache
def _pools(topic: Topic) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
    """The sentences of a topic by speaker, and what their slots take."""
    pools = loads(files(__package__).joinpath("filler.toml").read_text(encoding="utf-8"))
    shared = pools["any"]
    lines = {who: [*shared[who], *pools[topic][who]] for who in ("user", "bot")}
    return lines, pools["slots"]
