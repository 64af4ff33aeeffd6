"""Which facts ride in every request, and which only when they matter."""

import re
from collections.abc import Iterable, Mapping, Sequence

from state.catalogue import KINDS
from state.facts import Fact, Facts
from state.tokens import count_text
from state.wording import folded

_PROTECTED_SHARE = 3
"""Above this many times the budget even what may never be dropped goes to the store."""
_WORD = re.compile(r"\w{3,}")


def fact_line(fact: Fact) -> str:
    """A fact as one line of a request: kind, value, what it replaced, when it was said."""
    about = f", for {fact['about']}" if fact["about"] else ""
    was = f" (before: {fact['was']})" if fact["was"] else ""
    line = f"{fact['kind']}: {fact['value']}{was}"
    where = f"t{fact['turn']}" if fact["turn"] else "an earlier conversation"
    return f"- {' '.join(line.split())} [{where}, {fact['said']}{about}]"


def tokens(facts: Iterable[Fact]) -> int:
    """Tokens of `facts` as lines of a request."""
    return sum(count_text(fact_line(fact)) + 1 for fact in facts)


def flat(facts: Mapping[str, Sequence[Fact]]) -> list[Fact]:
    """All of `facts`, by kind."""
    return [fact for standing in facts.values() for fact in standing]


def fitting(facts: Mapping[str, Sequence[Fact]], budget: int) -> tuple[Facts, list[Fact]]:
    """The facts within `budget` tokens, and the rest, oldest first.

    Kinds that are to be kept stay before all others; the state is bounded, so the oldest of them go
    too once they alone take _PROTECTED_SHARE times the budget.
    """
    every = flat(facts)
    rest: list[Fact] = []
    size = tokens(every)
    for protected, most in ((False, budget), (True, budget * _PROTECTED_SHARE)):
        for fact in sorted(every, key=lambda f: f["turn"]):
            if size <= most:
                break
            if is_protected(fact) == protected:
                rest.append(fact)
                size -= tokens([fact])
    kept = {kind: [f for f in standing if f not in rest] for kind, standing in facts.items()}
    return {kind: standing for kind, standing in kept.items() if standing}, rest


def is_protected(fact: Fact) -> bool:
    """Whether the fact stays in every request while that is possible."""
    kind = KINDS.get(fact["kind"])
    return kind is not None and kind.keep


def unseen(facts: Facts, pinned: Facts, through: int) -> list[Fact]:
    """The facts that are neither pinned nor said in the window, which begins after `through`."""
    return [
        fact
        for kind, standing in facts.items()
        for fact in standing
        if (fact["turn"] <= through or fact["found"] == "hand") and fact not in pinned.get(kind, ())
    ]


def words_in(text: str) -> set[str]:
    """The words of `text` by which facts are found."""
    return set(_WORD.findall(folded(text)))


def words_of(fact: Fact) -> set[str]:
    """The words by which `fact` is found."""
    return words_in(f"{fact['kind']} {fact['value']} {fact['quote']}")


def relevant(facts: Iterable[Fact], message: str, budget: int) -> list[Fact]:
    """The facts that share words with `message`, best first, within `budget` tokens."""
    wanted = words_in(message)
    counted = ((len(wanted & words_of(fact)), fact["turn"], fact) for fact in facts)
    scored = [each for each in counted if each[0]]
    chosen: list[Fact] = []
    room = budget
    for _, _, fact in sorted(scored, key=lambda s: s[:2], reverse=True):
        if (size := tokens([fact])) <= room:
            chosen.append(fact)
            room -= size
    return chosen
