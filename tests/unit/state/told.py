"""Facts, the words they come from and what an extractor says of them."""

from typing import Any

from state.catalogue import KINDS
from state.fact_check import Rejected, believed
from state.fact_net import caught
from state.facts import Act, Change, Fact
from state.operations import Operation
from state.said import Said

AT = "2026-03-04T10:00:00+00:00"
"""A Wednesday."""


def fact(kind: str, value: str, *, turn: int = 1, **more: Any) -> Fact:
    """A fact that was stated in `turn`."""
    plain = Fact(
        kind=kind,
        value=value,
        turn=turn,
        said="2026-03-01",
        about="",
        quote=value,
        by=KINDS[kind].by,
        was="",
        found="model",
    )
    return Fact(**{**plain, **more})  # type: ignore[typeddict-item]


def change(kind: str, value: str, *, turn: int = 1, act: Act = "state", old: str = "") -> Change:
    """A checked operation."""
    return Change(act=act, fact=fact(kind, value, turn=turn), old=old)


def said(user: str = "", assistant: str = "", *, before: str = "", turn: int = 5) -> Said:
    """An exchange by speaker."""
    return Said(turn, AT, before, user, assistant)


def undated(_words: str, _said: Said) -> tuple[str, str]:
    """Dates of a test that is not about dates."""
    return "2026-03-04", ""


def checked(operation: Operation, *places: Said) -> Change | Rejected:
    """What becomes of one operation."""
    result = believed([operation], places, undated)
    return result.changes[0] if result.changes else result.rejected[0]


def doubt(kind: str, value: str, quote: str, place: Said, *, answers: str = "") -> str:
    """Why a statement is not believed; empty when it is."""
    operation = Operation(kind=kind, value=value, quote=quote, answers=answers)
    result = checked(operation, place)
    return result.reason if isinstance(result, Rejected) else ""


def netted(place: Said, *known: Fact) -> list[tuple[str, str]]:
    """Kind and value of what the patterns catch."""
    facts: dict[str, list[Fact]] = {}
    for each in known:
        facts.setdefault(each["kind"], []).append(each)
    return [(c["fact"]["kind"], c["fact"]["value"]) for c in caught([place], facts, undated)]
