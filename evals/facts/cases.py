"""Exchanges and the facts that stand after each of them."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from state.catalogue import KINDS
from state.facts import Fact, Facts
from state.said import Said, own_words
from state.wording import folded

TURN = 7
AT = "2026-03-04T10:00:00+00:00"
"""When every exchange is said: a Wednesday."""

Told = tuple[str, str]
"""A kind, and words of the value."""


class Case(BaseModel):
    """One exchange, what was known before it, and what is known after it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    user: str
    assistant: str
    before: str = ""
    known: tuple[Told, ...] = ()
    facts: tuple[Told, ...]
    """What the exchange states."""
    gone: tuple[Told, ...] = ()
    """What was known and stands no more."""
    maybe: tuple[Told, ...] = ()
    """What may be noted as well: neither right nor wrong."""

    @property
    def said(self) -> Said:
        """The exchange by speaker."""
        return Said(TURN, AT, self.before, own_words(self.user), self.assistant)

    @property
    def standing(self) -> Facts:
        """What was known before."""
        facts: Facts = {}
        for kind, value in self.known:
            facts.setdefault(kind, []).append(_fact(kind, value))
        return facts

    @property
    def wanted(self) -> list[Told]:
        """What stands after the exchange."""
        return [*(told for told in self.known if told not in self.gone), *self.facts]


def read_cases() -> list[Case]:
    """The shipped exchanges."""
    text = Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8")
    return [Case.model_validate_json(line) for line in text.splitlines()]


def tells(told: Told, fact: Fact) -> bool:
    """Whether `fact` says what was `told`: an identifier exactly, else its words among others."""
    kind, words = told
    if kind != fact["kind"]:
        return False
    return words == fact["value"] if KINDS[kind].exact else folded(words) in folded(fact["value"])


def _fact(kind: str, value: str) -> Fact:
    return Fact(
        kind=kind,
        value=value,
        turn=1,
        said="2026-03-01",
        about="",
        quote=value,
        by=KINDS[kind].by,
        was="",
        found="model",
    )
