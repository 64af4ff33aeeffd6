"""What outlives a user's conversations, as their threads told it: what of it stands, by rule.

Each thread says for itself that a fact stands or ends. Nothing is overwritten, so threads that
learn at once lose nothing; who is right is decided by date whenever it is read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from typing_extensions import TypedDict

from state.catalogue import KINDS
from state.fact_budget import fitting, flat, relevant
from state.fact_ids import id_of
from state.facts import Event, Fact, Facts, ordered

BEFORE = 0
"""The turn of a fact that an earlier conversation stated."""


class Learnt(TypedDict):
    """What one thread said of one fact."""

    id: str
    """Id of the fact."""
    ends: bool
    """Whether it stands no more; else it stands."""
    at: str
    """When that was said: ISO 8601."""
    thread: str
    """Where; empty: the host did."""
    fact: Fact | None
    """The fact as that thread has it; None where it was forgotten."""


def standing(learnt: Iterable[Learnt]) -> list[Learnt]:
    """The statements that stand, oldest first: by id the newest word, by kind the newest value."""
    ended = _newest(each for each in learnt if each["ends"])
    newest = _newest(each for each in learnt if not each["ends"])
    last: dict[str, Learnt] = {}
    for each in sorted(newest.values(), key=_order):
        end, fact = ended.get(each["id"]), each["fact"]
        if fact is None or fact["kind"] not in KINDS or (end and _moment(end) >= _moment(each)):
            continue
        many = KINDS[fact["kind"]].many
        last.pop(key := each["id"] if many else fact["kind"], None)
        last[key] = each
    return [*last.values()]


def outdated(learnt: Sequence[Learnt]) -> list[Learnt]:
    """Those that a later word on the same fact makes needless to keep."""
    kept = [
        *_newest(each for each in learnt if each["ends"]).values(),
        *_newest(each for each in learnt if not each["ends"]).values(),
    ]
    return [each for each in learnt if each not in kept]


def unsaid(learnt: Iterable[Learnt], thread: str, turn: int) -> list[Learnt]:
    """What `thread` said in `turn` or later, which an edit of it has made unsaid."""
    return [
        each
        for each in learnt
        if each["thread"] == thread
        and (fact := each["fact"]) is not None
        and fact["turn"] >= turn
        and fact["found"] != "hand"
    ]


def as_greeting(learnt: Learnt) -> Fact | None:
    """The fact as another conversation is told it: from before."""
    fact = learnt["fact"]
    return None if fact is None else Fact(**{**fact, "turn": BEFORE})


@dataclass
class Met:
    """The facts of a thread after they met the user's profile."""

    facts: Facts
    pinned: Facts
    events: list[Event] = field(default_factory=list)
    """What other conversations changed of the facts that this one stated."""


def met(
    facts: Mapping[str, Sequence[Fact]],
    pinned: Mapping[str, Sequence[Fact]],
    learnt: Sequence[Learnt],
    *,
    budget: int,
    message: str,
) -> Met:
    """`facts` of a thread as they are in the light of all that the user's threads have said.

    What stands elsewhere comes in as from before, as far as `budget` tokens reach; beyond them what
    shares words with `message`. What another thread changed or ended later goes, and so does what
    came from the profile and is there no more; of `pinned` only what has no newer value, which
    would speak for itself.
    """
    stands = {each["id"]: fact for each in standing(learnt) if (fact := as_greeting(each))}
    told = {each["id"] for each in learnt}
    kept: list[Fact] = []
    gone: list[Fact] = []
    for fact in flat(facts):
        own = fact["turn"] > BEFORE and id_of(fact) not in told
        (kept if own or id_of(fact) in stands else gone).append(fact)
    held = {id_of(fact) for fact in kept}
    single = {fact["kind"] for fact in kept if not _collects(fact)}
    replaced = {fact["kind"]: fact["value"] for fact in gone if not _collects(fact)}
    new = [
        Fact(**{**fact, "was": replaced.get(fact["kind"], fact["was"])})
        for key, fact in stands.items()
        if key not in held and fact["kind"] not in single
    ]
    newer = {fact["kind"]: fact for fact in new if fact["kind"] in replaced}
    left = {id_of(fact) for fact in gone if fact["kind"] not in newer}
    return Met(
        facts=_within(kept, new, budget, message),
        pinned=ordered(
            {kind: [f for f in each if id_of(f) not in left] for kind, each in pinned.items()}
        ),
        events=[_event(f, newer.get(f["kind"])) for f in gone if f["turn"] > BEFORE],
    )


def _within(own: Sequence[Fact], new: Sequence[Fact], budget: int, message: str) -> Facts:
    """`own` facts whole, and those of the `new` that there is room for, or use now."""
    every = [*own, *new]
    _, rest = fitting(ordered(_by_kind(every)), budget)
    of_use = relevant([f for f in rest if f["turn"] == BEFORE], message, budget)
    return ordered(
        _by_kind([f for f in every if f["turn"] > BEFORE or f not in rest or f in of_use])
    )


def _by_kind(facts: Iterable[Fact]) -> Facts:
    kinds: Facts = {}
    for fact in facts:
        kinds.setdefault(fact["kind"], []).append(fact)
    return kinds


def _event(fact: Fact, newer: Fact | None) -> Event:
    if newer is not None:
        return Event(event="changed elsewhere", fact=newer, before=fact)
    return Event(event="ended elsewhere", fact=fact, before=fact)


def _collects(fact: Fact) -> bool:
    kind = KINDS.get(fact["kind"])
    return kind is None or kind.many


def _newest(learnt: Iterable[Learnt]) -> dict[str, Learnt]:
    """The last of each id."""
    return {each["id"]: each for each in sorted(learnt, key=_order)}


def _order(learnt: Learnt) -> tuple[datetime, str, str]:
    """The same for all who read, also of what was said at one moment."""
    return _moment(learnt), learnt["thread"], learnt["id"]


def _moment(learnt: Learnt) -> datetime:
    return datetime.fromisoformat(learnt["at"])
