"""Messages grouped into exchanges."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage

from state.exchanges import Exchange, group, ids_in_use, open_calls, unanswered

ASK = HumanMessage("Where is it?", id="u1")
MORE = HumanMessage("The blue one.", id="u2")
REPLY = AIMessage("It is here.", id="a1")
CALLS = AIMessage("", id="a0", tool_calls=[ToolCall(name="f", args={}, id=i) for i in ("c1", "c2")])


def result(id: str) -> ToolMessage:
    return ToolMessage("done", tool_call_id=id, id=f"result-{id}")


DONE = [result("c2"), result("c1")]

messages = st.lists(st.sampled_from([ASK, MORE, REPLY, CALLS, *DONE]), max_size=12)


@pytest.mark.parametrize(
    ("window", "sizes"),
    [
        ([], []),
        ([ASK], [1]),
        ([ASK, REPLY], [2]),
        ([ASK, REPLY, MORE], [2, 1]),
        ([ASK, MORE], [2]),
        ([ASK, MORE, REPLY, ASK, REPLY], [3, 2]),
        ([ASK, CALLS, *DONE, REPLY, MORE, REPLY], [5, 2]),
        ([ASK, CALLS, MORE], [2, 1]),
        ([ASK, CALLS, DONE[0], MORE, REPLY], [3, 2]),
        ([REPLY, ASK], [1, 1]),
    ],
)
def test_exchanges_begin_where_somebody_speaks_after_something_else(
    window: list[AnyMessage], sizes: list[int]
) -> None:
    assert [len(exchange.messages) for exchange in group(window)] == sizes


@given(messages)
def test_no_message_is_dropped_or_moved(window: list[AnyMessage]) -> None:
    assert [m for exchange in group(window) for m in exchange.messages] == window


@given(messages, messages)
def test_a_longer_window_groups_its_finished_past_the_same(
    past: list[AnyMessage], future: list[AnyMessage]
) -> None:
    finished = group(past)[:-1]
    assert group([*past, *future])[: len(finished)] == finished


@given(messages)
def test_all_but_the_first_exchange_begin_with_the_user(window: list[AnyMessage]) -> None:
    assert all(isinstance(e.messages[0], HumanMessage) for e in group(window)[1:])


def test_what_an_exchange_says_of_itself() -> None:
    exchange = Exchange((ASK, MORE, CALLS, *DONE, REPLY))
    assert exchange.asked == (ASK, MORE)
    assert exchange.tool_rounds == 1
    assert exchange.answered
    assert not Exchange((ASK, CALLS)).answered
    assert not Exchange((ASK,)).answered


@pytest.mark.parametrize(
    ("window", "waits"),
    [
        ([], False),
        ([ASK], True),
        ([ASK, REPLY], False),
        ([ASK, CALLS], True),
        ([ASK, CALLS, *DONE], True),
        ([ASK, REPLY, MORE], True),
    ],
)
def test_whether_a_reply_is_still_due(window: list[AnyMessage], waits: bool) -> None:
    assert unanswered(window) is waits


@pytest.mark.parametrize(("results", "left"), [([], ["c1", "c2"]), ([DONE[0]], ["c1"]), (DONE, [])])
def test_calls_without_a_result_in_their_order(results: list[Any], left: list[str]) -> None:
    assert open_calls(Exchange((ASK, CALLS, *results))) == left


def test_the_ids_of_all_messages_and_calls() -> None:
    used = {"u1", "a0", "c1", "c2", "result-c1", "result-c2", "a1"}
    assert ids_in_use([ASK, CALLS, *DONE, REPLY]) == used
