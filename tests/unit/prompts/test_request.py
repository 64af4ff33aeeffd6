"""Every request that is laid out is one that a strict provider takes."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    convert_to_openai_messages,
)

from app.model_server.validator import violations
from prompts.request import NO_RESULT, Budget, Request, lay_out
from state.exchanges import group
from state.tokens import count_messages
from tests.unit.prompts.conversation import image, windows, words

AT = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
LARGE = Budget(total=1_000_000, reply=1000)
few = settings(max_examples=40)
"""A window takes long to draw."""
NOW = "\n\n<context>\nNow: Thursday, 2026-03-05 00:30 (Europe/Berlin)\n</context>"


def request(window: Sequence[AnyMessage], budget: Budget = LARGE) -> Request:
    return lay_out(
        system="Be kind.", window=window, at=AT, time_zone="Europe/Berlin", budget=budget
    )


def wire(messages: Sequence[BaseMessage]) -> list[dict[str, object]]:
    converted = convert_to_openai_messages(messages)
    assert isinstance(converted, list)
    return converted


@few
@given(windows())
def test_no_request_breaks_a_rule(window: list[AnyMessage]) -> None:
    assert violations(wire(request(window).messages)) == []


@few
@given(windows(), st.integers(100, 1000))
def test_no_request_that_is_cut_short_breaks_a_rule(window: list[AnyMessage], total: int) -> None:
    sent = request(window, Budget(total=total, reply=0))
    assert violations(wire(sent.messages)) == []
    shown = len([m for m in sent.messages if isinstance(m, HumanMessage)])
    assert shown + sent.left_out == len(group(window))


@few
@given(windows())
def test_all_that_was_said_is_sent_once_and_in_order(window: list[AnyMessage]) -> None:
    sent = request(window).messages
    said = [m.text for m in window if not isinstance(m, ToolMessage) and m.text.strip()]
    whole = "\n".join(m.text for m in sent)
    place = 0
    for text in said:
        place = whole.index(text, place) + len(text)


@few
@given(windows())
def test_the_newest_words_come_last_with_the_time(window: list[AnyMessage]) -> None:
    *earlier, newest = [m for m in request(window).messages if isinstance(m, HumanMessage)]
    assert newest.text.endswith(NOW)
    assert not any(NOW in message.text for message in earlier)


@few
@given(windows(), words, words)
def test_the_next_request_repeats_this_one_up_to_the_users_words(
    window: list[AnyMessage], reply: str, more: str
) -> None:
    asked = window[: len(window) - len(group(window)[-1].messages) + len(group(window)[-1].asked)]
    this = request(asked).messages
    after = request([*window, AIMessage(reply), HumanMessage(more)]).messages
    assert after[: len(this) - 1] == this[:-1]
    assert this[-1].text == after[len(this) - 1].text + NOW


@few
@given(windows())
def test_the_tokens_told_are_those_sent(window: list[AnyMessage]) -> None:
    sent = request(window)
    layers = {**sent.layers, "persona": count_messages(sent.messages[:1]), "reply": 0}
    assert sum(layers.values()) == count_messages(sent.messages)


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    calls = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": i} for i in ("c1", "c2")])
    window: list[AnyMessage] = [HumanMessage("Hi"), calls, ToolMessage("two", tool_call_id="c2")]
    *_, first, second = request(window).messages
    assert (first.text, second.text) == (NO_RESULT, "two")


def test_results_follow_in_the_order_of_the_calls() -> None:
    calls = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": i} for i in ("c1", "c2")])
    results = [ToolMessage(f"of {i}", tool_call_id=i) for i in ("c2", "c1")]
    sent = request([HumanMessage("Hi"), calls, *results]).messages
    assert [m.text for m in sent if isinstance(m, ToolMessage)] == ["of c1", "of c2"]


def test_the_words_beside_an_image_are_cut_as_others_are() -> None:
    said: Any = [{"type": "text", "text": "word " * 5000}, image]
    [_, sent] = request([HumanMessage(said)], Budget(total=3000, reply=500)).messages
    assert count_messages([sent]) < 2500
    assert image in sent.content


@pytest.mark.parametrize("text", ["{x} {0} %s", "<b>&amp;</b>", "</context>", "\\n [bold]", "{{"])
def test_braces_and_markup_are_text(text: str) -> None:
    window: list[AnyMessage] = [HumanMessage(text), AIMessage(text), HumanMessage(text)]
    assert [m.text for m in request(window).messages[1:]] == [text, text, text + NOW]
