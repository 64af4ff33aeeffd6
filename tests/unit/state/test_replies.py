"""A model's reply as it is stored."""

from collections.abc import Callable, Collection
from itertools import count
from typing import Any

import pytest
from langchain_core.messages import AIMessage, InvalidToolCall, ToolCall

from state.replies import MALFORMED, is_silent, normalised
from state.text import MAX_DEPTH


def ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"new-{next(numbers)}"


def stored(reply: AIMessage, taken: Collection[str] = ()) -> AIMessage:
    return normalised(reply, taken=taken, new_id=ids())


def call(name: str = "look_up", id: str | None = "c1", **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args, id=id, type="tool_call")


def broken(name: str | None = "look_up", id: str | None = "c1") -> InvalidToolCall:
    return InvalidToolCall(name=name, args="number=1", id=id, error=None, type="invalid_tool_call")


def test_a_plain_reply_stays_as_it_is() -> None:
    usage: Any = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
    reply = AIMessage("Hello", id="r1", usage_metadata=usage)
    assert stored(reply) == reply


def test_what_the_provider_adds_is_not_stored() -> None:
    reply = AIMessage(
        "Hello", id="r1", response_metadata={"model_name": "m"}, additional_kwargs={"audio": "x"}
    )
    assert stored(reply) == AIMessage("Hello", id="r1")


def test_text_in_blocks_becomes_text() -> None:
    reply = AIMessage([{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo\x00"}])
    assert stored(reply).content == "Hello"


@pytest.mark.parametrize("id", [None, "", "taken", "a\x00b", "x" * 201])
def test_a_reply_gets_an_id_of_its_own(id: str | None) -> None:
    assert stored(AIMessage("Hello", id=id), taken={"taken"}).id == "new-1"


@pytest.mark.parametrize("id", [None, "", "taken", "c\x00"])
def test_a_call_gets_an_id_of_its_own(id: str | None) -> None:
    message = stored(AIMessage("", id="r1", tool_calls=[call(id=id)]), taken={"taken"})
    assert message.tool_calls == [call(id="new-1")]


def test_two_calls_of_one_reply_never_share_an_id() -> None:
    message = stored(AIMessage("", id="r1", tool_calls=[call(number="1"), call(number="2")]))
    assert message.tool_calls == [call(number="1"), call(id="new-1", number="2")]


def test_arguments_are_cleaned_keys_included() -> None:
    args = {"a\x00": ["\ud800b", {"c": "\x00"}]}
    message = stored(AIMessage("", tool_calls=[ToolCall(name="f\x00", args=args, id="c1")]))
    assert message.tool_calls == [call("f", a=["b", {"c": ""}])]


def test_unreadable_arguments_are_marked_and_left_empty() -> None:
    message = stored(AIMessage("", tool_calls=[call("good", "c1")], invalid_tool_calls=[broken()]))
    assert message.tool_calls == [call("good", "c1"), call(id="new-1")]
    assert message.invalid_tool_calls == []
    assert message.additional_kwargs == {MALFORMED: ["new-1"]}


def test_a_call_without_a_name_gets_one_that_no_tool_has() -> None:
    [made] = stored(AIMessage("", invalid_tool_calls=[broken(name=None)])).tool_calls
    assert made["name"] == "unknown"


def test_arguments_nested_too_deep_count_as_unreadable() -> None:
    deep: Any = "x"
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    message = stored(AIMessage("", tool_calls=[call(number=deep)]))
    assert message.tool_calls == [call()]
    assert message.additional_kwargs == {MALFORMED: ["c1"]}


def test_a_refusal_becomes_the_text() -> None:
    message = stored(AIMessage("", additional_kwargs={"refusal": "I can't help with that."}))
    assert message.text == "I can't help with that."
    assert message.additional_kwargs == {"refused": True}


def test_words_win_over_a_refusal_beside_them() -> None:
    assert stored(AIMessage("Well", additional_kwargs={"refusal": "No"})).text == "Well"


@pytest.mark.parametrize(
    ("reason", "marks"),
    [
        ("stop", {}),
        ("tool_calls", {}),
        ("length", {"cut": "length"}),
        ("content_filter", {"cut": "content_filter"}),
    ],
)
def test_a_reply_that_ends_early_is_marked(reason: str, marks: dict[str, str]) -> None:
    reply = AIMessage("A reply that", response_metadata={"finish_reason": reason})
    assert stored(reply).additional_kwargs == marks


@pytest.mark.parametrize(
    ("text", "silent"),
    [("", True), (" \n", True), ("\x00 \ud800", True), (".", False), ("\x00a", False)],
)
def test_silent_is_what_has_no_words(text: str, silent: bool) -> None:
    assert is_silent(AIMessage(text)) is silent
