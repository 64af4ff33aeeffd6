"""Counting tokens offline."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from state.tokens import PER_IMAGE, PER_MESSAGE, count_message, count_messages, count_text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("Hi", 1),
        ("Hello", 1),
        ("Parcel", 2),
        ("Hello, world!", 4),
        ("20481137", 8),
        ("\n\n", 2),
        ("a        b", 3),
        ("{}[]", 4),
        ("\u4f60\u597d", 3),
        ("\U0001f600", 2),
    ],
)
def test_the_count_of_a_text(text: str, tokens: int) -> None:
    assert count_text(text) == tokens


@given(st.text(), st.text())
def test_a_longer_text_never_counts_less_and_parts_never_much_more(one: str, other: str) -> None:
    joined = count_text(one + other)
    assert joined <= count_text(one) + count_text(other)
    assert joined >= max(count_text(one), count_text(other))


@given(st.text(st.characters(min_codepoint=0x80, exclude_categories=["Cs"]), min_size=1))
def test_no_character_outside_ascii_is_cheaper_than_half_its_bytes(text: str) -> None:
    assert count_text(text) >= len(text.encode()) / 2


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (HumanMessage("Hello"), PER_MESSAGE + 1),
        (ToolMessage("done", tool_call_id="c1"), PER_MESSAGE + 1),
        (
            HumanMessage(
                [
                    {"type": "text", "text": "Hello"},
                    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                ]
            ),
            PER_MESSAGE + 1 + PER_IMAGE,
        ),
        (
            AIMessage("", tool_calls=[ToolCall(name="find", args={"n": 1}, id="c1")]),
            2 * PER_MESSAGE + 1 + count_text("{'n': 1}"),
        ),
    ],
)
def test_the_count_of_a_message(message: BaseMessage, tokens: int) -> None:
    assert count_message(message) == tokens
    assert count_messages([message, message]) == 2 * tokens
