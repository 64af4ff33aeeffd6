"""The one place that lays out what a model is sent for a reply."""

from collections.abc import Mapping, Sequence
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
from prompts.memory import facts_block, late_facts, summary_block
from prompts.recalled import recalled_block
from state.exchanges import Exchange, group
from state.facts import Fact
from state.recalled import Recalled
from state.summary import EMPTY, Summary
from state.tokens import PER_IMAGE, count_message, count_messages, count_text

NO_RESULT = (
    "The turn broke off before this call's result came: whether it was carried out is not known."
)

_SHARE = 3
"""One message may take a third of the budget before its middle is cut."""
_SMALLEST = 40
"""Fewest tokens that a cut message keeps."""
_FEWEST_PARTS = 2
"""The user's words and the newest reply of an exchange always go out."""
_NO_IMAGES = "[{} images of this message are left out here]"

Block = dict[Any, Any]
Content = str | list[str | Block]
Parts = list[list[BaseMessage]]
"""An exchange as it is sent: the user's words, then each reply with its tool results."""


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
    """Tokens of `persona`, `summary`, `facts`, `window`, `recalled`, `now` (the newest exchange),
    `tools` and `reply`."""
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
    facts: Mapping[str, Sequence[Fact]] | None = None,
    late: Sequence[Fact] = (),
    recalled: Recalled | None = None,
) -> Request:
    """System, summary and facts, the window, late context on the last user message.

    `at` is the newest exchange's time, so that a tool loop repeats its request byte for byte.
    Every tool call is followed by exactly its results, in the order of the calls. What does not
    fit goes by whole exchanges, the oldest first; a long message shows its head and its tail. The
    exchange before the newest, which "yes" and "that one" refer to, is cut but never left out.
    """
    told, known = summary_block(summary), facts_block(facts or {})
    head = SystemMessage("\n\n".join(part for part in (system, told, known) if part))
    room = budget.total - budget.reply - budget.tools - count_messages([head])
    exchanges = group(window)
    longest = max(_SMALLEST, budget.total // _SHARE)
    found = _within(recalled, "\n\n".join(m.text for m in exchanges[-1].asked), room // 2)
    late_block = _late_context(at, time_zone, late, found)
    reserved = sum(count_messages(_fitting(e, "", _SMALLEST, 0)) for e in exchanges[-2:-1])
    now = _fitting(exchanges[-1], late_block, longest, room - reserved)
    room -= count_messages(now)
    earlier: list[list[BaseMessage]] = []
    for exchange in reversed(exchanges[:-1]):
        shown = _fitting(exchange, "", longest, None if earlier else room)
        if (tokens := count_messages(shown)) > room and earlier:
            break
        room -= tokens
        earlier.append(shown)
    before = [message for shown in reversed(earlier) for message in shown]
    layers = {
        "persona": count_text(system),
        "summary": count_text(told),
        "facts": count_text(known),
        "window": count_messages(before),
        "recalled": count_text(found),
        "now": count_messages(now) - count_text(found),
        "tools": budget.tools,
        "reply": budget.reply,
    }
    return Request([head, *before, *now], layers, len(exchanges) - 1 - len(earlier))


def _within(recalled: Recalled | None, asked: str, tokens: int) -> str:
    """What was recalled for `asked`, without the least passages that `tokens` have no room for."""
    while count_text(block := recalled_block(recalled, asked)) > tokens:
        passages = recalled["passages"] if recalled is not None else []
        if recalled is None or len(passages) < 2:
            return ""
        least = min(passages, key=lambda passage: passage["score"])
        recalled = {**recalled, "passages": [each for each in passages if each is not least]}
    return block


def _late_context(at: datetime, time_zone: str, facts: Sequence[Fact], found: str) -> str:
    local = at.astimezone(ZoneInfo(time_zone))
    now = f"Now: {local:%A, %Y-%m-%d %H:%M} ({time_zone})"
    lines = [line for line in (late_facts(facts), found, now) if line]
    return "\n".join(["\n\n<context>", *lines, "</context>"])


def _fitting(exchange: Exchange, late: str, longest: int, room: int | None) -> list[BaseMessage]:
    """The exchange, no message of it longer than `longest`, cut down as far as `room` asks for.

    Its messages become shorter, down to _SMALLEST each; then its earliest replies with their tool
    results go.
    """
    parts = _parts(exchange, late, longest)
    while room is not None and _tokens(parts) > room and longest > _SMALLEST:
        longest = max(_SMALLEST, longest * 3 // 4)
        parts = _parts(exchange, late, longest)
    while room is not None and _tokens(parts) > room and len(parts) > _FEWEST_PARTS:
        del parts[1]
    return [message for part in parts for message in part]


def _tokens(parts: Parts) -> int:
    return sum(count_messages(part) for part in parts)


def _parts(exchange: Exchange, late: str, longest: int) -> Parts:
    parts: Parts = [[HumanMessage(_joined(exchange.asked, late, longest))]]
    results = {m.tool_call_id: m for m in exchange.messages if isinstance(m, ToolMessage)}
    for message in exchange.messages:
        if isinstance(message, AIMessage):
            text = cut_middle(message.text, longest)
            part: list[BaseMessage] = [AIMessage(text, tool_calls=message.tool_calls)]
            for call in message.tool_calls:
                result = results.get(str(call["id"]))
                said = cut_middle(result.text, longest) if result else NO_RESULT
                part.append(ToolMessage(said, tool_call_id=str(call["id"])))
            parts.append(part)
    return parts


def _joined(asked: Sequence[HumanMessage], late: str, longest: int) -> Content:
    """One user message for all that was said before the reply: strict servers want turns."""
    if all(isinstance(m.content, str) for m in asked):
        return cut_middle("\n\n".join(m.text for m in asked), longest) + late
    blocks = [block for message in asked for block in _blocks(message)]
    if count_message(HumanMessage([*blocks])) > longest:
        blocks = _cut_blocks(blocks, longest)
    return [*blocks, {"type": "text", "text": late}] if late else [*blocks]


def _blocks(message: HumanMessage) -> list[Block]:
    content = message.content
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)]


def _cut_blocks(blocks: Sequence[Block], tokens: int) -> list[Block]:
    """The words in one block, cut; then the newest images that there is room for."""
    images = [block for block in blocks if block["type"] == "image_url"]
    gone = max(0, len(images) - tokens // PER_IMAGE)
    words = [block["text"] for block in blocks if block["type"] == "text"]
    room = max(_SMALLEST, tokens - PER_IMAGE * (len(images) - gone))
    said = [cut_middle("\n\n".join(words), room)] if words else []
    told = "\n\n".join([*said, *([_NO_IMAGES.format(gone)] if gone else [])])
    return [*([{"type": "text", "text": told}] if told else []), *images[gone:]]
