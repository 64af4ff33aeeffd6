"""What a thread waits for, as the terminals show it, and what a typed line answers."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from state.actions import Confirmation, as_confirmation
from state.catalogue import KINDS
from state.handover import AGENT, BY, Packet, as_handover

_YES = frozenset({"y", "yes", "ok", "okay", "ja", "sí", "si", "oui"})
_NO = frozenset({"n", "no", "nein", "non"})
_NAMED = re.compile(r"\s*(\w+)\s*[=:]\s*(\S.*?)\s*", re.DOTALL)


@dataclass(frozen=True)
class Said:
    """Words of a person who has the thread."""

    id: str
    text: str
    earlier: bool
    """Whether the user has written since."""


@dataclass(frozen=True)
class Standing:
    """How a thread stands between two turns."""

    waiting: Mapping[str, Any]
    """The values of the interrupts that wait, by id."""
    held: bool
    """Whether a person has the thread."""
    said: list[Said]
    """What people who had the thread said in the window."""

    @property
    def question(self) -> tuple[str, Confirmation] | None:
        """The first question to the customer, with its id."""
        asked = ((each, as_confirmation(value)) for each, value in self.waiting.items())
        return next(((each, value) for each, value in asked if value is not None), None)

    @property
    def packet(self) -> tuple[str, Packet] | None:
        """What waits for a person, with its id."""
        shown = ((each, as_handover(value)) for each, value in self.waiting.items())
        return next(((each, value) for each, value in shown if value is not None), None)


def standing(
    messages: Iterable[BaseMessage], waiting: Mapping[str, Any], person: object
) -> Standing:
    """How a thread with these messages stands."""
    listed = list(messages)
    newest = max((i for i, m in enumerate(listed) if isinstance(m, HumanMessage)), default=-1)
    said = [
        Said(str(m.id), m.text, earlier=i < newest)
        for i, m in enumerate(listed)
        if m.additional_kwargs.get(BY) == AGENT
    ]
    return Standing(waiting, bool(person), said)


def answer_to(question: Confirmation, line: str) -> dict[str, Any] | None:
    """The resume value that a typed `line` means; None when it answers another question."""
    word = line.strip().rstrip(".!").casefold()
    if word in _YES or word in _NO:
        return {"confirmed": word in _YES}
    arguments = {asked["argument"]: asked["kind"] for asked in question["facts"]}
    if (named := _NAMED.fullmatch(line)) and named[1].casefold() in arguments:
        return {"changed": {named[1].casefold(): named[2]}}
    forms = {argument: KINDS[kind].form for argument, kind in arguments.items()}
    fitting = [a for a, form in forms.items() if form and form.fullmatch(line.strip())]
    return {"changed": {fitting[0]: line.strip()}} if len(fitting) == 1 else None
