"""A thread that a person has taken: who has it, and what they are shown of it."""

from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from typing_extensions import TypedDict

from state.exchanges import group, ids_in_use
from state.fact_budget import flat
from state.facts import Fact
from state.session import Held, SessionState
from state.summary import EMPTY

HANDOVER: Literal["handover"] = "handover"
"""The kind of interrupt that waits for the person who has the thread."""

BY = "by"
"""Key of `additional_kwargs`: who wrote a reply that the bot did not."""
AGENT = "agent"

_TURNS = 6
_MOST_CHARS = 2000


class Turn(TypedDict):
    """One message, as a person reads it."""

    id: str
    by: Literal["user", "bot", "agent"]
    text: str


class Packet(TypedDict):
    """The value of an interrupt that waits for a person, and what lies in the store meanwhile."""

    kind: Literal["handover"]
    call: str
    reason: str
    turn: int
    """The newest turn."""
    at: str
    facts: list[Fact]
    open: list[str]
    """The summary's open threads and promises."""
    turns: list[Turn]
    """The newest words of the window, oldest first, long ones cut."""


def packet(state: SessionState, held: Held) -> Packet:
    """What a person who takes the thread needs to know."""
    recent = [m for exchange in group(state["messages"])[-_TURNS:] for m in exchange.messages]
    return Packet(
        kind=HANDOVER,
        call=held["call"],
        reason=held["reason"],
        turn=state["turn"],
        at=state["at"],
        facts=flat(state.get("facts", {})),
        open=[i["text"] for i in state.get("summary", EMPTY)["items"] if i["kind"] == "open"],
        turns=[
            Turn(id=str(m.id), by=_by(m), text=m.text[:_MOST_CHARS]) for m in recent if _is_said(m)
        ],
    )


def undone(state: SessionState) -> bool:
    """Whether an edit of the newest exchange took away the call that gave a person the thread."""
    held, messages = state.get("person"), state["messages"]
    if held is None or held["call"] in ids_in_use(messages):
        return False
    return held["turn"] == state.get("summary", EMPTY)["through"] + len(group(messages))


def as_handover(value: Any) -> Packet | None:
    """An interrupt's value, if it is one that waits for a person."""
    return value if isinstance(value, dict) and value.get("kind") == HANDOVER else None  # type: ignore[return-value]


def is_agents(message: AnyMessage) -> bool:
    """Whether a person wrote this reply."""
    return isinstance(message, AIMessage) and message.additional_kwargs.get(BY) == AGENT


def _is_said(message: AnyMessage) -> bool:
    return isinstance(message, AIMessage | HumanMessage) and bool(message.text)


def _by(message: AnyMessage) -> Literal["user", "bot", "agent"]:
    if isinstance(message, HumanMessage):
        return "user"
    return "agent" if is_agents(message) else "bot"
