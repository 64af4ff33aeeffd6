"""Counting tokens offline, without a model's own tokenizer, and never on the low side by much."""

import re
from collections.abc import Iterable
from functools import lru_cache

from langchain_core.messages import AIMessage, BaseMessage

PER_MESSAGE = 4
"""What a provider adds around each message, in tokens."""

PER_IMAGE = 800
"""What an image is counted as, in tokens."""

_PIECE = re.compile(r"([a-zA-Z]+)|([0-9]+)|([ \t]+)|([\x00-\x7f])|([^\x00-\x7f]+)")


_LONG = 4000
"""Characters from which few texts are remembered: pasted files would fill the memory."""


def count_text(text: str) -> int:
    """Tokens of `text`: five letters, one digit, one other ASCII sign or two UTF-8 bytes each.

    Measured against the byte-pair vocabularies in use, that is a little high for English and
    never low for scripts such as Chinese, whose characters can take two tokens each.
    """
    return _count_long(text) if len(text) > _LONG else _count_short(text)


def _count(text: str) -> int:
    total = 0
    for match in _PIECE.finditer(text):
        length = match.end() - match.start()
        match match.lastindex:
            case 1:
                total += -(-length // 5)
            case 2:
                total += length
            case 3:
                total += length // 8
            case 4:
                total += 1
            case _:
                total += -(-len(match.group().encode()) // 2)
    return total


_count_short = lru_cache(maxsize=8192)(_count)
_count_long = lru_cache(maxsize=64)(_count)


def count_message(message: BaseMessage) -> int:
    """Tokens of one message as it is sent: its words, its images, its tool calls."""
    total = PER_MESSAGE + count_text(message.text)
    if isinstance(message.content, list):
        total += PER_IMAGE * sum(
            1 for b in message.content if isinstance(b, dict) and b.get("type") == "image_url"
        )
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            total += PER_MESSAGE + count_text(call["name"]) + count_text(str(call["args"]))
    return total


def count_messages(messages: Iterable[BaseMessage]) -> int:
    """Tokens of `messages` as they are sent."""
    return sum(count_message(message) for message in messages)
