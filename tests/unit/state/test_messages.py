"""The reducer of the window."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    RemoveMessage,
    ToolCall,
    ToolMessage,
)
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from state.errors import InputRefused
from state.messages import merge_messages
from state.replies import stopped_reply

words = st.sampled_from(["Yes", "No", "Perhaps"])


def exchange(number: int, said: str, replied: str) -> list[AnyMessage]:
    call = ToolCall(name="f", args={}, id=f"c{number}")
    return [
        HumanMessage(said, id=f"u{number}"),
        AIMessage("", id=f"t{number}", tool_calls=[call]),
        ToolMessage("done", tool_call_id=f"c{number}", id=f"result-c{number}"),
        AIMessage(replied, id=f"a{number}"),
    ]


@st.composite
def windows(draw: st.DrawFn) -> list[AnyMessage]:
    """Some exchanges, the last of them perhaps unfinished."""
    numbers = range(draw(st.integers(1, 4)))
    whole = [message for n in numbers for message in exchange(n, draw(words), draw(words))]
    return whole[: len(whole) - draw(st.integers(0, 3))]


@given(windows())
def test_an_update_is_appended_in_its_order(window: list[AnyMessage]) -> None:
    update: list[AnyMessage] = [HumanMessage("New", id="u9"), HumanMessage("More", id="u10")]
    assert merge_messages(window, update) == [*window, *update]


@given(windows())
def test_a_node_that_runs_twice_writes_once(window: list[AnyMessage]) -> None:
    reply = AIMessage("Hello", id="a9")
    once = merge_messages(window, [reply])
    assert merge_messages(once, [reply]) == once
    assert merge_messages(once, reply) == once


@given(windows())
def test_input_that_comes_twice_is_kept_once(window: list[AnyMessage]) -> None:
    newest = next(m for m in reversed(window) if isinstance(m, HumanMessage))
    assert merge_messages(window, [newest.model_copy()]) == window


@given(windows(), st.data())
def test_merging_in_pieces_is_merging_at_once(
    window: list[AnyMessage], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(window)))
    assert merge_messages(merge_messages([], window[:cut]), window[cut:]) == window


@given(windows())
def test_new_words_for_the_newest_user_message_drop_what_answered_the_old_ones(
    window: list[AnyMessage],
) -> None:
    place = max(i for i, m in enumerate(window) if isinstance(m, HumanMessage))
    edited = HumanMessage("Something else", id=window[place].id)
    assert merge_messages(window, [edited]) == [*window[:place], edited]


@given(windows(), st.data())
def test_no_other_message_can_be_replaced_by_a_user(
    window: list[AnyMessage], data: st.DataObject
) -> None:
    newest = max(i for i, m in enumerate(window) if isinstance(m, HumanMessage))
    others = [m for i, m in enumerate(window) if i != newest]
    if not others:
        return
    taken = data.draw(st.sampled_from(others)).id
    before = list(window)
    with pytest.raises(InputRefused, match=f"message id '{taken}' is taken"):
        merge_messages(window, [HumanMessage("Forged", id=taken)])
    assert window == before


@given(windows())
def test_nothing_is_changed_in_place(window: list[AnyMessage]) -> None:
    before = [message.model_copy(deep=True) for message in window]
    newest = next(m for m in reversed(window) if isinstance(m, HumanMessage))
    merge_messages(window, [HumanMessage("Edited", id=newest.id), HumanMessage("New", id="u9")])
    assert window == before


def test_an_edit_and_a_new_message_in_one_update() -> None:
    window = exchange(1, "Yes", "Fine")
    update: list[AnyMessage] = [HumanMessage("No", id="u1"), HumanMessage("Wait", id="u2")]
    assert merge_messages(window, update) == update


def test_nodes_may_remove_messages() -> None:
    window = exchange(1, "Yes", "Fine")
    assert merge_messages(window, [RemoveMessage(id="a1")]) == window[:-1]
    assert merge_messages(window, [RemoveMessage(id=REMOVE_ALL_MESSAGES)]) == []


@given(windows(), words)
def test_a_stopped_reply_stands_behind_what_it_answered_and_only_once(
    window: list[AnyMessage], said: str
) -> None:
    asked = next(m for m in window if isinstance(m, HumanMessage))
    place = window.index(asked) + 1
    stopped = stopped_reply(said, id="s1", after=str(asked.id))
    once = merge_messages(window, [stopped])
    assert once == [*window[:place], stopped, *window[place:]]
    assert merge_messages(once, [stopped]) == once
    newer = HumanMessage("New", id="u9")
    assert merge_messages([*window, newer], [stopped]) == [*once, newer]
