"""A conversation as it is held: every turn of it, with filler between the written ones."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise
from random import Random

from evals.run.conversation import Conversation, ConversationError, Probe, Says, Value
from evals.run.filler import Words, filler

_DRAWS = 50
"""How often filler is drawn anew because it says what is planted."""
_MINUTES = (1, 15)
"""How long after the turn before it a turn comes, if it does not say."""


@dataclass(frozen=True, kw_only=True)
class Held:
    """One turn."""

    number: int
    at: datetime
    user: str
    reply: str | None
    """The scripted reply; None: a model answers."""
    says: tuple[Says, ...] = ()
    probe: Probe | None = None


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What stands of a planted fact before some turn."""

    current: Value | None
    """None: never said, or taken back."""
    since: int
    """The turn that said so; 0: none."""
    earlier: tuple[Value, ...] = ()
    """Values that stand no more."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """A conversation and all of its turns."""

    conversation: Conversation
    turns: list[Held]

    def standing(self, fact: str, turn: int) -> Standing:
        """What stands of `fact` once turn number `turn` is over."""
        found = Standing(current=None, since=0)
        for number, says in self._sayings.get(fact, ()):
            if number <= turn:
                found = _after(found, says, number)
        return found

    @cached_property
    def _sayings(self) -> dict[str, list[tuple[int, Says]]]:
        sayings: dict[str, list[tuple[int, Says]]] = {}
        for held in self.turns:
            for says in held.says:
                sayings.setdefault(says.fact, []).append((held.number, says))
        return sayings


def course(conversation: Conversation, *, seed: int, turns: int = 0) -> Course:
    """`conversation` as written, or stretched to `turns`; the same seed gives the same turns.

    Raises ConversationError when it has more turns than that.
    """
    places = places_of(conversation, seed, turns)
    written = dict(zip(places, conversation.turns, strict=True))
    values = [says for turn in conversation.turns for says in turn.says if says.value]
    at = conversation.start
    held: list[Held] = []
    for number in range(1, places[-1] + 1):
        random = _random(conversation, seed, f"gap/{number}")
        turn = written.get(number)
        hours = turn.hours if turn else 0.0
        at += timedelta(hours=hours) if hours else timedelta(minutes=random.randint(*_MINUTES))
        if turn is None:
            words = _filler(conversation, seed, number, values)
            held.append(Held(number=number, at=at, user=words.user, reply=words.bot))
        else:
            reply = None if turn.probe else turn.bot
            held.append(
                Held(
                    number=number,
                    at=at,
                    user=turn.user,
                    reply=reply,
                    says=turn.says,
                    probe=turn.probe,
                )
            )
    return Course(conversation=conversation, turns=held)


def places_of(conversation: Conversation, seed: int, turns: int) -> list[int]:
    """The numbers of the written turns when the conversation has `turns` of them (0: as it is)."""
    places = conversation.places
    extra = turns - places[-1] if turns else 0
    if extra < 0:
        raise ConversationError(
            f"{conversation.name} has {places[-1]} turns: it cannot be cut to {turns}"
        )
    gaps = [i for i, turn in enumerate(conversation.turns) if i and not turn.follows]
    if extra and not gaps:
        raise ConversationError(f"{conversation.name} has no place for filler")
    random = _random(conversation, seed, "places")
    # Drawn for each gap, so that some are long and some are not there.
    weights = [random.expovariate(1.0) for _ in gaps]
    more: Mapping[int, int] = Counter(random.choices(gaps, weights, k=extra) if extra else ())
    stretched = [places[0]]
    for number, (before, place) in enumerate(pairwise(places), 1):
        stretched.append(stretched[-1] + place - before + more.get(number, 0))
    return stretched


def _filler(conversation: Conversation, seed: int, number: int, values: list[Says]) -> Words:
    for draw in range(_DRAWS):
        random = _random(conversation, seed, f"{number}/{draw}")
        words = filler(conversation.filler, random)
        if not any(v.stands_in(words.user) or v.stands_in(words.bot) for v in values):
            return words
    raise ConversationError(f"{conversation.name}: all filler says what is planted")


def _random(conversation: Conversation, seed: int, name: str) -> Random:
    return Random(f"{seed}/{conversation.name}/{name}")  # noqa: S311


def _after(before: Standing, says: Says, turn: int) -> Standing:
    current = Value(value=says.value, pattern=says.pattern) if says.value else None
    gone = [*before.earlier, *([before.current] if before.current else [])]
    # A value that comes back is none of those that went.
    earlier = tuple(value for value in gone if value != current)
    return Standing(current=current, since=turn, earlier=earlier)
