"""The one place that lays out what a model is sent."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from state.exchanges import Exchange, group

NOT_RUN = "This call was not carried out: the turn was interrupted."

Content = str | list[str | dict[str, object]]


def lay_out(
    *, system: str, window: Sequence[AnyMessage], at: datetime, time_zone: str
) -> list[BaseMessage]:
    """The messages of one request: system, the window's exchanges, late context on the last.

    `at` is the newest exchange's time, so that a tool loop repeats its request byte for byte.
    Every tool call is followed by exactly its results, in the order of the calls.
    """
    exchanges = group(window)
    sent: list[BaseMessage] = [SystemMessage(system)]
    for exchange in exchanges[:-1]:
        sent += _exchange(exchange, late="")
    sent += _exchange(exchanges[-1], late=_late_context(at, time_zone))
    return sent


def _late_context(at: datetime, time_zone: str) -> str:
    local = at.astimezone(ZoneInfo(time_zone))
    return f"\n\n<context>\nNow: {local:%A, %Y-%m-%d %H:%M} ({time_zone})\n</context>"


def _exchange(exchange: Exchange, *, late: str) -> list[BaseMessage]:
    sent: list[BaseMessage] = [HumanMessage(_joined(exchange.asked, late))]
    results = {m.tool_call_id: m for m in exchange.messages if isinstance(m, ToolMessage)}
    for message in exchange.messages:
        if isinstance(message, AIMessage):
            sent.append(AIMessage(message.content, tool_calls=message.tool_calls))
            for call in message.tool_calls:
                result = results.get(str(call["id"]))
                text = result.text if result else NOT_RUN
                sent.append(ToolMessage(text, tool_call_id=str(call["id"])))
    return sent


def _joined(asked: Sequence[HumanMessage], late: str) -> Content:
    """One user message for all that was said before the reply: strict servers want turns."""
    if all(isinstance(m.content, str) for m in asked):
        return "\n\n".join(m.text for m in asked) + late
    blocks: list[str | dict[str, object]] = []
    for message in asked:
        content = message.content
        blocks += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [*blocks, {"type": "text", "text": late}] if late else blocks
