"""Messages grouped into exchanges: what people said before a reply, and all of that reply."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage


@dataclass(frozen=True)
class Exchange:
    """One or more user messages and what answered them, tool calls and results included."""

    messages: tuple[AnyMessage, ...]

    @property
    def asked(self) -> tuple[HumanMessage, ...]:
        """The user's messages, in order."""
        return tuple(m for m in self.messages if isinstance(m, HumanMessage))

    @property
    def answered(self) -> bool:
        """Whether the last message is a reply that calls no tool."""
        last = self.messages[-1]
        return isinstance(last, AIMessage) and not last.tool_calls

    @property
    def tool_rounds(self) -> int:
        """How many replies called tools."""
        return sum(1 for m in self.messages if isinstance(m, AIMessage) and m.tool_calls)


def group(messages: Sequence[AnyMessage]) -> list[Exchange]:
    """`messages` as exchanges, in order, none split and none dropped.

    An exchange begins with a user message that follows something else. User messages that were
    sent before any reply came share one exchange.
    """
    exchanges: list[list[AnyMessage]] = []
    for message in messages:
        asked_again = isinstance(message, HumanMessage) and not (
            exchanges and isinstance(exchanges[-1][-1], HumanMessage)
        )
        if asked_again or not exchanges:
            exchanges.append([])
        exchanges[-1].append(message)
    return [Exchange(tuple(each)) for each in exchanges]


def unanswered(messages: Sequence[BaseMessage]) -> bool:
    """Whether the newest exchange still waits for its reply."""
    last = messages[-1] if messages else None
    return last is not None and not (isinstance(last, AIMessage) and not last.tool_calls)


def ids_in_use(messages: Sequence[AnyMessage]) -> set[str]:
    """Ids of `messages` and of every tool call in them."""
    calls = {str(c["id"]) for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    return calls | {str(m.id) for m in messages}


def open_calls(exchange: Exchange) -> list[str]:
    """Ids of the tool calls that have no result yet, in order."""
    done = {m.tool_call_id for m in exchange.messages if isinstance(m, ToolMessage)}
    return [
        str(call["id"])
        for m in exchange.messages
        if isinstance(m, AIMessage)
        for call in m.tool_calls
        if call["id"] not in done
    ]
