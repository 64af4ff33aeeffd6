"""What a tool that acts declares, and the question that its caller answers before it runs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from state.catalogue import KINDS
from state.exchanges import Exchange
from state.facts import Act, Change, Fact, same
from state.secrets import holds_secret

CONFIRM: Literal["confirm"] = "confirm"
"""The kind of interrupt that waits for a customer's word on an action."""

CORRECTED = "corrected"
"""Key of a tool result's `additional_kwargs`: the values that the customer put right, by hand."""


class Action(BaseModel):
    """Arguments of a tool that acts. A tool is gated exactly when its arguments are an Action.

    Its validators say what can be known before the customer is asked, such as an unknown parcel.
    """

    depends_on: ClassVar[Mapping[str, str]] = {}
    """The kind of fact that each argument is; those with `confirm` are confirmed first."""
    key: Annotated[str, InjectedToolCallId] = Field(min_length=1)
    """The same however often this call is run: what acts must act once for it."""


class HandOver(BaseModel):
    """Arguments of a tool by which a person takes the thread."""

    reason: str = Field(description="Why the customer needs a person, in one sentence.")


class Asked(TypedDict):
    """One value that an action depends on, and where it was said if a fact holds it."""

    argument: str
    value: str
    kind: str
    turn: int | None
    said: str
    quote: str


class Confirmation(TypedDict):
    """The value of an interrupt that waits for a customer's word."""

    kind: Literal["confirm"]
    call: str
    """Id of the tool call that waits."""
    action: str
    facts: list[Asked]
    question: str


class Correction(TypedDict):
    """A value that the customer put right instead of confirming it."""

    kind: str
    value: str
    old: str


def to_confirm(action: Action, facts: Mapping[str, Sequence[Fact]]) -> list[Asked]:
    """What the customer is asked to confirm of `action`, by the catalogue; empty: nothing."""
    return [
        _asked(argument, str(getattr(action, argument)), kind, facts)
        for argument, kind in action.depends_on.items()
        if KINDS[kind].confirm
    ]


def confirmable(facts: Mapping[str, Sequence[Fact]]) -> dict[str, list[Fact]]:
    """The facts of those kinds that an action confirms."""
    return {k: list(v) for k, v in facts.items() if k in KINDS and KINDS[k].confirm}


def corrections(asked: Iterable[Asked], changed: Mapping[str, str]) -> list[Correction]:
    """The values of `changed`, by argument, as corrections of what was `asked`."""
    return [
        Correction(kind=each["kind"], value=changed[each["argument"]], old=each["value"])
        for each in asked
        if each["argument"] in changed
    ]


def corrections_in(exchange: Exchange) -> list[Correction]:
    """What the customer put right in `exchange` when asked to confirm an action."""
    results = [m for m in exchange.messages if isinstance(m, ToolMessage)]
    return [each for m in results for each in m.additional_kwargs.get(CORRECTED, ())]


def set_by_hand(
    corrected: Iterable[Correction], facts: Mapping[str, Sequence[Fact]], *, turn: int, said: str
) -> list[Change]:
    """The changes that bring the corrections of exchange `turn` into `facts`; `said` is its date.

    A correction that `facts` has already, as when an exchange is read again, only takes away the
    value that it put right.
    """
    changes = []
    for each in corrected:
        if holds_secret(each["value"], each["value"]):
            continue
        standing = [f["value"] for f in facts.get(each["kind"], ())]
        known = any(same(value, each["value"]) for value in standing)
        act: Act = "retract" if known else "state"
        if known and not any(same(value, each["old"]) for value in standing):
            continue
        fact = Fact(
            kind=each["kind"],
            value=each["old"] if known else each["value"],
            turn=turn,
            said=said,
            about="",
            quote=each["value"],
            by="user",
            was="",
            found="hand",
        )
        changes.append(Change(act=act, fact=fact, old=each["old"]))
    return changes


def as_confirmation(value: Any) -> Confirmation | None:
    """An interrupt's value, if it is one that waits for a customer's word."""
    return value if isinstance(value, dict) and value.get("kind") == CONFIRM else None  # type: ignore[return-value]


def _asked(argument: str, value: str, kind: str, facts: Mapping[str, Sequence[Fact]]) -> Asked:
    held = next((f for f in facts.get(kind, ()) if same(f["value"], value)), None)
    return Asked(
        argument=argument,
        value=value,
        kind=kind,
        turn=held["turn"] if held else None,
        said=held["said"] if held else "",
        quote=held["quote"] if held else "",
    )
