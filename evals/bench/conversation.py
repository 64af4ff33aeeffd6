"""The conversation that all contestants have: seeded, with planted values, hard to compress."""

import re
import string
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

EVERY = 3
"""A value is planted in every so many turns: a number, a name, a date in turn."""

_FIRST_DATE = date(2031, 1, 1)
_PLANTED = re.compile(r"\b[1-9]\d{7}\b|\b20[3-9]\d-\d{2}-\d{2}\b|\b[A-Z][a-z]{5} [A-Z][a-z]{6}\b")


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What the user says in one turn, and what the model is to answer."""

    user: str
    reply: str
    planted: str | None
    """A value that occurs in this exchange and in no other."""


def conversation(turns: int, seed: int = 0) -> list[Exchange]:
    """Exchanges 1 to `turns`, of about 200 tokens each; a longer one begins like a shorter one."""
    return [_exchange(turn, seed) for turn in range(1, turns + 1)]


def planted_in(text: str) -> list[str]:
    """What `text` holds that has the form of a planted value, in order, each once."""
    return list(dict.fromkeys(_PLANTED.findall(text)))


def _exchange(turn: int, seed: int) -> Exchange:
    random = Random(f"{seed}/{turn}")  # noqa: S311
    user = _words(random, random.randint(15, 42))
    reply = _words(random, random.randint(60, 116))
    if turn % EVERY:
        return Exchange(user=user, reply=reply, planted=None)
    match turn // EVERY % 3:
        case 0:
            value = str(random.randrange(10_000_000, 100_000_000))
            return Exchange(user=f"{user} the number is {value}.", reply=reply, planted=value)
        case 1:
            value = f"{_word(random, 6).capitalize()} {_word(random, 7).capitalize()}"
            return Exchange(user=f"{user} it is all for {value}.", reply=reply, planted=value)
        case _:
            value = (_FIRST_DATE + timedelta(days=turn)).isoformat()
            return Exchange(user=user, reply=f"{reply} it comes on {value}.", planted=value)


def _words(random: Random, count: int) -> str:
    return " ".join(_word(random, random.randint(3, 9)) for _ in range(count)) + "."


def _word(random: Random, letters: int) -> str:
    # Letters at random: Postgres compresses by repeats, and here are next to none.
    return "".join(random.choices(string.ascii_lowercase, k=letters))
