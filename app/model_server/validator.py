"""What a strict provider would refuse in a list of messages."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from app.model_server.chat import Message

ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
INSTRUCTIONS = frozenset({"system", "developer"})


def violations(messages: Sequence[Message]) -> list[str]:
    """Name every rule that the messages (OpenAI's wire format) break; an empty list if none.

    The rules: there are messages; exactly one system message, first; every assistant tool call is
    followed at once by exactly its results, in any order; no result without its call; arguments are
    a JSON object; nothing is empty; the last message is the user's or a tool's.
    """
    if not messages:
        return ["there are no messages"]
    return [*_system(messages), *_contents(messages), *_tools(messages), *_end(messages)]


def _system(messages: Sequence[Message]) -> Iterator[str]:
    places = [i for i, message in enumerate(messages) if message.get("role") in INSTRUCTIONS]
    if places != [0]:
        yield f"exactly one system message must come first, found at {places}"


def _end(messages: Sequence[Message]) -> Iterator[str]:
    role = messages[-1].get("role")
    if role not in {"user", "tool"}:
        yield f"the last message must be the user's or a tool's, not {role!r}"


def _contents(messages: Sequence[Message]) -> Iterator[str]:
    for i, message in enumerate(messages):
        if message.get("role") not in ROLES:
            yield f"message {i} has the unknown role {message.get('role')!r}"
        calls_instead = message.get("role") == "assistant" and message.get("tool_calls")
        if not calls_instead and _is_empty(message.get("content")):
            yield f"message {i} ({message.get('role')}) is empty"


def _is_empty(content: object) -> bool:
    if isinstance(content, str):
        return not content.strip()
    if not isinstance(content, list) or not content:
        return True
    return any(_is_empty_block(block) for block in content)


def _is_empty_block(block: object) -> bool:
    if not isinstance(block, dict) or "type" not in block:
        return True
    return block["type"] == "text" and _is_empty(block.get("text"))


def _tools(messages: Sequence[Message]) -> Iterator[str]:
    awaited: dict[str, int] = {}
    for i, message in enumerate(messages):
        if message.get("role") == "tool":
            call_id = message.get("tool_call_id")
            if awaited.pop(str(call_id), None) is None:
                yield f"message {i} answers {call_id!r}, which no call right before it awaits"
            continue
        yield from _unanswered(awaited)
        awaited = {}
        if message.get("tool_calls") is not None:
            yield from _calls(i, message["tool_calls"])
            awaited = {str(call.get("id")): i for call in message["tool_calls"]}
    yield from _unanswered(awaited)


def _unanswered(awaited: dict[str, int]) -> Iterator[str]:
    for call_id, i in awaited.items():
        yield f"message {i} calls {call_id!r}, whose result does not follow at once"


def _calls(i: int, calls: list[dict[str, Any]]) -> Iterator[str]:
    if not calls:
        yield f"message {i} has an empty list of tool calls"
    ids = [call.get("id") for call in calls]
    if len(set(ids)) != len(ids) or not all(ids):
        yield f"message {i} has tool calls without an id of their own: {ids}"
    for call in calls:
        arguments = (call.get("function") or {}).get("arguments")
        if not _is_json_object(arguments):
            yield f"message {i} calls a tool with arguments that are no JSON object: {arguments!r}"


def _is_json_object(arguments: object) -> bool:
    if not isinstance(arguments, str):
        return False
    try:
        return isinstance(json.loads(arguments), dict)
    except json.JSONDecodeError:
        return False
