"""The one place that lays out what a model is sent for a reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from prompts.markup import cut_middle
from prompts.memory import summary_block
from state.exchanges import Exchange, group
from state.summary import EMPTY, Summary
from state.tokens import count_messages, count_text

NO_RESULT = (
    "The turn broke off before this call's result came: whether it was carried out is not known."
)

_SHARE = 3
"""One message may take a third of the budget before its middle is cut."""
_SMALLEST = 40
"""Fewest tokens that a cut message keeps."""

Content = str | list[str | dict[Any, Any]]


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What a request may hold, in tokens: all of it, reply and tools included."""

    total: int
    reply: int
    tools: int = 0


@dataclass(frozen=True)
class Request:
    """The messages of one request, and what its layers take."""

    messages: list[BaseMessage]
    layers: dict[str, int]
    """Tokens of `persona`, `summary`, `window`, `now` (the newest exchange), `tools`, `reply`."""
    left_out: int
    """Exchanges of the window that the budget had no room for; 0 as long as compaction works."""


def lay_out(
    *,
    system: str,
    window: Sequence[AnyMessage],
    at: datetime,
    time_zone: str,
    budget: Budget,
    summary: Summary = EMPTY,
) -> Request:
    """System and summary, the window's exchanges, late context on the last user message.

    `at` is the newest exchange's time, so that a tool loop repeats its request byte for byte.
    Every tool call is followed by exactly its results, in the order of the calls. What does not
    fit goes by whole exchanges, the oldest first; a long message shows its head and its tail.
    """
    block = summary_block(summary)
    head = SystemMessage(f"{system}\n\n{block}" if block else system)
    room = budget.total - budget.reply - budget.tools - count_messages([head])
    exchanges = group(window)
    longest = max(_SMALLEST, budget.total // _SHARE)
    late = _late_context(at, time_zone)
    now = _fitting(exchanges[-1], late, longest, room)
    room -= count_messages(now)
    earlier: list[list[BaseMessage]] = []
    for exchange in reversed(exchanges[:-1]):
        # The previous exchange is what "yes" and "that one" refer to: it is cut, not left out.
        shown = (
            _fitting(exchange, "", longest, room) if not earlier else _shown(exchange, "", longest)
        )
        if (tokens := count_messages(shown)) > room:
            break
        room -= tokens
        earlier.append(shown)
    before = [message for shown in reversed(earlier) for message in shown]
    layers = {
        "persona": count_text(system),
        "summary": count_text(block),
        "window": count_messages(before),
        "now": count_messages(now),
        "tools": budget.tools,
        "reply": budget.reply,
    }
    return Request([head, *before, *now], layers, len(exchanges) - 1 - len(earlier))


def _late_context(at: datetime, time_zone: str) -> str:
    local = at.astimezone(ZoneInfo(time_zone))
    return f"\n\n<context>\nNow: {local:%A, %Y-%m-%d %H:%M} ({time_zone})\n</context>"


def _fitting(exchange: Exchange, late: str, longest: int, room: int) -> list[BaseMessage]:
    """The exchange with its messages cut as short as `room` asks for, down to _SMALLEST each."""
    shown = _shown(exchange, late, longest)
    while count_messages(shown) > room and longest > _SMALLEST:
        longest = max(_SMALLEST, longest * 3 // 4)
        shown = _shown(exchange, late, longest)
    return shown


def _shown(exchange: Exchange, late: str, longest: int) -> list[BaseMessage]:
    sent: list[BaseMessage] = [HumanMessage(_joined(exchange.asked, late, longest))]
    results = {m.tool_call_id: m for m in exchange.messages if isinstance(m, ToolMessage)}
    for message in exchange.messages:
        if isinstance(message, AIMessage):
            text = cut_middle(message.text, longest)
            sent.append(AIMessage(text, tool_calls=message.tool_calls))
            for call in message.tool_calls:
                result = results.get(str(call["id"]))
                said = cut_middle(result.text, longest) if result else NO_RESULT
                sent.append(ToolMessage(said, tool_call_id=str(call["id"])))
    return sent


def _joined(asked: Sequence[HumanMessage], late: str, longest: int) -> Content:
    """One user message for all that was said before the reply: strict servers want turns."""
    if all(isinstance(m.content, str) for m in asked):
        return cut_middle("\n\n".join(m.text for m in asked), longest) + late
    blocks: list[str | dict[Any, Any]] = []
    for message in asked:
        said = message.content
        parts = [{"type": "text", "text": said}] if isinstance(said, str) else said
        blocks += [_cut_block(part, longest) for part in parts]
    return [*blocks, {"type": "text", "text": late}] if late else blocks


def _cut_block(block: str | dict[Any, Any], longest: int) -> str | dict[Any, Any]:
    if isinstance(block, dict) and block["type"] == "text":
        return {**block, "text": cut_middle(block["text"], longest)}
    return block
