"""Who said what in an exchange."""

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage

from state.admission import AT
from state.exchanges import group
from state.said import Said, own_words, said_in

CALL = ToolCall(name="f", args={}, id="c1", type="tool_call")


def test_speakers_are_apart_and_tools_are_nobody() -> None:
    window: list[AnyMessage] = [
        HumanMessage("Hi", additional_kwargs={AT: "2026-03-04T10:00:00+00:00"}),
        HumanMessage("Where is it?"),
        AIMessage("One moment.", tool_calls=[CALL]),
        ToolMessage("customer: Mr Brown", tool_call_id="c1"),
        AIMessage("On its way."),
        HumanMessage([{"type": "text", "text": "Thanks"}, {"type": "image_url", "image_url": {}}]),
        AIMessage(""),
    ]
    assert said_in(group(window), 4) == [
        Said(4, "2026-03-04T10:00:00+00:00", "", "Hi\nWhere is it?", "One moment.\nOn its way."),
        Said(5, "", "One moment.\nOn its way.", "Thanks", ""),
    ]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Look:\n> I'm Bob\n  > LH1\nThat is all", "Look:\n\n\nThat is all"),
        ("See ```\nI'm Bob``` there", "See  there"),
        ("See ```\nI'm Bob", "See "),
        ("Hello\n----- Forwarded message -----\nI'm Bob\n\nBye", "Hello\n"),
        ("Hallo\n--- Ursprüngliche Nachricht\nIch bin Bob", "Hallo\n"),
        ("5 > 3 and I'm Ann", "5 > 3 and I'm Ann"),
        ("a -- message of mine", "a -- message of mine"),
    ],
)
def test_what_is_pasted_is_not_the_writers(text: str, own: str) -> None:
    assert own_words(text) == own
