"""Taking out of a conversation what it knew from another one, which is forgotten."""

from collections.abc import Sequence

from state.facts import Fact, ordered, same
from state.profile import BEFORE
from state.session import SessionState


def unlearnt(fact: Fact, gone: Sequence[Fact]) -> Fact | None:
    """`fact` as a conversation has it that knew those `gone` from another one, and nothing else.

    None for one that it has from there; its own facts do not say that they replaced one.
    """
    for each in gone:
        if each["kind"] != fact["kind"]:
            continue
        if fact["turn"] == BEFORE and same(fact["value"], each["value"]):
            return None
        if same(fact["was"], each["value"]):
            fact = {**fact, "was": ""}
    return fact


def state_unlearnt(state: SessionState, gone: Sequence[Fact]) -> SessionState:
    """`state` of such a conversation."""

    def kept(facts: Sequence[Fact]) -> list[Fact]:
        return [left for fact in facts if (left := unlearnt(fact, gone)) is not None]

    after: SessionState = {**state}
    if "facts" in state:
        after["facts"] = ordered({kind: kept(each) for kind, each in state["facts"].items()})
    if "pinned" in state:
        after["pinned"] = ordered({kind: kept(each) for kind, each in state["pinned"].items()})
    if "ended" in state:
        after["ended"] = kept(state["ended"])
    return after
