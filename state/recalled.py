"""What a turn recalled: whether it searched, why, and the passages that it found."""

from collections.abc import Mapping, Sequence

from typing_extensions import TypedDict

from state.facts import Fact
from state.wording import folded, holds


class Passage(TypedDict):
    """An exchange that left the window, as the model is shown it."""

    thread: str
    """The thread that wrote its row, which may be a parent of this one."""
    key: str
    """Key of its row."""
    turn: int
    at: str
    """When: ISO 8601 with an offset; empty when unknown."""
    user: str
    assistant: str
    """The words of either; a long one is an excerpt around what matched."""
    score: float
    why: str
    """What found it, for the trace."""
    note: str
    """What was said later of a fact that it states; empty when nothing was."""
    elsewhere: bool
    """Whether it is of another conversation of the same user."""


class Recalled(TypedDict):
    """What node `recall` found for the newest message."""

    searched: bool
    reason: str
    """Why it searched, or did not."""
    sought: str
    """The name or number that alone was reason to search: only what holds it is of use."""
    passages: list[Passage]
    """In order of turn."""
    trouble: str
    """Why the search was not whole; empty when it was."""


def of_use(recalled: Recalled) -> Recalled:
    """`recalled` without passages that do not hold the one value that was sought.

    When none does, somebody has just been told it: there was nothing to find, and nothing to say.
    """
    if not (sought := recalled["sought"]):
        return recalled
    holding = [
        p for p in recalled["passages"] if holds(folded(p["user"] + "\n" + p["assistant"]), sought)
    ]
    if holding:
        return {**recalled, "passages": holding}
    reason = f"{recalled['reason']}, nor earlier"
    return {**recalled, "searched": False, "reason": reason, "passages": []}


def changed_since(turn: int, words: str, facts: Mapping[str, Sequence[Fact]]) -> str:
    """What is true now of what `words`, said in `turn`, state; empty when nothing has changed."""
    held = folded(words)
    changed = [
        f"{fact['kind']} is now {' '.join(fact['value'].split())} [t{fact['turn']}]"
        for standing in facts.values()
        for fact in standing
        if fact["turn"] > turn and fact["was"] and holds(held, folded(fact["was"]))
    ]
    return "; ".join(changed)
