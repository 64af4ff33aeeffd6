"""What was said on a branch, as flat records; and what its state and its transcript hold of it."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.store.base import BaseStore

from memory import transcript
from state.exchanges import group
from state.replies import CUT
from state.session import SessionState


@dataclass(frozen=True)
class Said:
    """One message."""

    type: str
    id: str
    text: str
    calls: str = "[]"
    stopped: bool = False


def said(message: AnyMessage) -> Said:
    """A message as a record."""
    calls, stopped = "[]", False
    if isinstance(message, AIMessage):
        calls = json.dumps([[c["name"], c["args"], c["id"]] for c in message.tool_calls])
        stopped = message.additional_kwargs.get(CUT) == "stopped"
    return Said(message.type, str(message.id), message.text, calls, stopped)


def spoken(messages: Iterable[AnyMessage]) -> list[Said]:
    """Messages as records."""
    return [said(message) for message in messages]


def without_stopped(records: Iterable[Said]) -> list[Said]:
    """Records without stopped replies: those join at the next message."""
    return [record for record in records if not record.stopped]


async def read_back(state: SessionState, store: BaseStore, through: int) -> list[AnyMessage]:
    """The first turns of a branch from its transcript."""
    rows = await transcript.read_page(
        store, state.get("transcript"), through=through, count=through
    )
    assert [row["turn"] for row in rows] == list(range(1, through + 1)), "turns of the transcript"
    exchanges = [transcript.as_exchange(row) for row in rows]
    for exchange in exchanges:
        assert group(exchange.messages) == [exchange], "a row is one exchange"
    return [message for exchange in exchanges for message in exchange.messages]


def before_newest(records: Sequence[Said]) -> list[Said]:
    """Records up to the newest user message, without it."""
    newest = max(i for i, record in enumerate(records) if record.type == "human")
    return list(records[:newest])


def as_state(values: object) -> SessionState:
    """A snapshot's values."""
    return cast("SessionState", values)
