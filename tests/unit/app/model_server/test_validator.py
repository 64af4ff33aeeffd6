from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.model_server.validator import violations

Message = dict[str, Any]

SYSTEM: Message = {"role": "system", "content": "Be kind."}
USER: Message = {"role": "user", "content": "Hello"}
ASSISTANT: Message = {"role": "assistant", "content": "Hello!"}


def calls(*ids: str, arguments: str = "{}") -> Message:
    made = [
        {"id": each, "type": "function", "function": {"name": "f", "arguments": arguments}}
        for each in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(call_id: str, content: str = "done") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


@pytest.mark.parametrize(
    "messages",
    [
        [SYSTEM, USER],
        [{"role": "developer", "content": "Be kind."}, USER],
        [SYSTEM, USER, ASSISTANT, USER],
        [SYSTEM, USER, calls("a"), result("a")],
        [SYSTEM, USER, calls("a", "b"), result("b"), result("a"), ASSISTANT, USER],
        [SYSTEM, USER, calls("a"), result("a"), calls("a"), result("a")],
        [SYSTEM, USER, {**calls("a"), "content": "One moment."}, result("a")],
        [SYSTEM, {"role": "user", "content": [{"type": "text", "text": "Look"}]}],
        [SYSTEM, {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}],
    ],
)
def test_accepts(messages: list[Message]) -> None:
    assert violations(messages) == []


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "no messages"),
        ([USER], "system message must come first, found at []"),
        ([USER, SYSTEM, USER], "found at [1]"),
        ([SYSTEM, USER, SYSTEM, USER], "found at [0, 2]"),
        ([SYSTEM, USER, calls("a"), USER], "'a', whose result does not follow"),
        ([SYSTEM, USER, calls("a", "b"), result("a"), USER], "'b', whose result does not follow"),
        ([SYSTEM, USER, calls("a"), USER, result("a")], "answers 'a', which no call"),
        ([SYSTEM, USER, result("a")], "answers 'a', which no call"),
        ([SYSTEM, USER, calls("a"), result("a"), result("a")], "answers 'a', which no call"),
        ([SYSTEM, USER, calls("a"), result("b"), result("a")], "answers 'b', which no call"),
        ([SYSTEM, USER, calls("a", "a"), result("a")], "without an id of their own"),
        ([SYSTEM, USER, {**ASSISTANT, "tool_calls": []}, USER], "empty list of tool calls"),
        ([SYSTEM, USER, calls("a", arguments='{"n'), result("a")], "no JSON object"),
        ([SYSTEM, USER, calls("a", arguments="[1]"), result("a")], "no JSON object"),
        ([SYSTEM, USER, ASSISTANT], "the last message must be"),
        ([SYSTEM], "the last message must be"),
        ([SYSTEM, {"role": "user", "content": ""}], "message 1 (user) is empty"),
        ([SYSTEM, {"role": "user", "content": " \n"}], "message 1 (user) is empty"),
        ([SYSTEM, {"role": "user", "content": []}], "message 1 (user) is empty"),
        ([SYSTEM, {"role": "user", "content": [{"type": "text", "text": ""}]}], "is empty"),
        ([SYSTEM, {"role": "user", "content": ["bare"]}], "is empty"),
        ([SYSTEM, USER, {"role": "assistant", "content": None}, USER], "(assistant) is empty"),
        ([SYSTEM, USER, calls("a"), result("a", "")], "message 3 (tool) is empty"),
        ([{"role": "system", "content": ""}, USER], "message 0 (system) is empty"),
        ([SYSTEM, {"role": "human", "content": "Hi"}, USER], "unknown role 'human'"),
    ],
)
def test_refuses(messages: list[Message], said: str) -> None:
    found = violations(messages)
    assert any(said in each for each in found), found


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    messages = [SYSTEM]
    for _ in range(draw(st.integers(1, 4))):
        messages.append(USER)
        for batch in draw(st.lists(st.integers(1, 3), max_size=3)):
            ids = [f"call_{len(messages)}_{i}" for i in range(batch)]
            messages += [calls(*ids), *(result(each) for each in draw(st.permutations(ids)))]
        messages.append(ASSISTANT)
    return messages[:-1]


@given(conversations())
def test_accepts_every_whole_conversation(messages: list[Message]) -> None:
    assert violations(messages) == []


@given(conversations(), st.data())
def test_misses_every_dropped_tool_message(messages: list[Message], data: st.DataObject) -> None:
    places = [i for i, m in enumerate(messages) if m["role"] == "tool" or "tool_calls" in m]
    if not places:
        return
    dropped = data.draw(st.sampled_from(places))
    assert violations(messages[:dropped] + messages[dropped + 1 :])
