"""A request stays within its budget, whatever the window holds, and keeps what it must."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    ToolCall,
    ToolMessage,
    convert_to_openai_messages,
)

from app.model_server.validator import violations
from prompts.request import Budget, Request, lay_out
from state.exchanges import Exchange, group
from state.recalled import Recalled
from state.summary import EMPTY, Pin, Summary
from state.tokens import count_messages
from tests.unit.prompts.test_recalled import passage, recalled
from tests.unit.state.talk import item, summary

AT = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
SUMMARY = {
    **summary(*(item(n, f"User said <{n}>.", turns=[n]) for n in range(1, 9)), through=8),
    "pins": [Pin(value="4471", turn=3, words="order 4471")],
}
SMALLEST = 700
"""Room beside summary, tools and reply for two exchanges whose replies call up to three tools."""
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}

sizes = st.sampled_from([1, 10, 60, 300, 1500])
scripts = st.sampled_from(["word ", "注文番号", "4471 ", "<&> ", "😀"])
texts = st.builds(lambda size, script: (script * size)[: size * 5], sizes, scripts)


@st.composite
def contents(draw: st.DrawFn) -> Any:
    images = draw(st.sampled_from([0, 0, 0, 1, 4]))
    text = draw(texts)
    return [{"type": "text", "text": text}, *[IMAGE] * images] if images else text


@st.composite
def exchanges(draw: st.DrawFn, ids: Iterator[int], *, answered: bool) -> list[AnyMessage]:
    asked = [HumanMessage(draw(contents())) for _ in range(draw(st.integers(1, 3)))]
    replies: list[AnyMessage] = []
    for _ in range(draw(st.integers(0, 5))):
        made = [f"c{next(ids)}" for _ in range(draw(st.integers(1, 3)))]
        calls = [ToolCall(name="look_up", args={"number": "LH20481137"}, id=each) for each in made]
        replies.append(AIMessage(draw(texts), tool_calls=calls))
        replies += [ToolMessage(draw(texts), tool_call_id=each) for each in made]
    return [*asked, *replies, *([AIMessage(draw(texts))] if answered else [])]


@st.composite
def windows(draw: st.DrawFn) -> list[AnyMessage]:
    ids = count()
    past = [draw(exchanges(ids, answered=True)) for _ in range(draw(st.integers(0, 3)))]
    return [m for each in [*past, draw(exchanges(ids, answered=False))] for m in each]


def request(
    window: Sequence[AnyMessage],
    budget: Budget,
    about: Summary = EMPTY,
    found: Recalled | None = None,
) -> Request:
    return lay_out(
        system="Be kind.",
        window=window,
        at=AT,
        time_zone="UTC",
        budget=budget,
        summary=about,
        recalled=found,
    )


founds = st.none() | st.builds(
    lambda sizes: recalled(*(passage("word " * size, score=float(size)) for size in sizes)),
    st.lists(st.integers(0, 300), max_size=4),
)


budgets = st.builds(
    lambda room, reply, tools: Budget(total=room + reply + tools + 300, reply=reply, tools=tools),
    st.integers(SMALLEST, 3000),
    st.integers(1, 1000),
    st.integers(0, 300),
)


@settings(max_examples=60)
@given(windows(), budgets, st.sampled_from([EMPTY, SUMMARY]), founds)
def test_all_that_is_sent_is_within_the_budget_and_what_must_be_there_is(
    window: list[AnyMessage], budget: Budget, about: Summary, found: Recalled | None
) -> None:
    sent = request(window, budget, about, found)
    assert count_messages(sent.messages) + budget.tools + budget.reply <= budget.total
    converted = convert_to_openai_messages(sent.messages)
    assert isinstance(converted, list)
    assert violations(converted) == []
    exchanges = group(window)
    shown = group(sent.messages[1:])  # type: ignore[arg-type]
    assert min(2, len(exchanges)) <= len(shown) == len(exchanges) - sent.left_out
    for exchange, part in zip(exchanges[-len(shown) :], shown, strict=True):
        check_shown(exchange, part)
    assert shown[-1].messages[0].text.endswith("</context>")


def check_shown(exchange: Exchange, shown: Exchange) -> None:
    """Its first words are there, and its newest reply with what that calls."""
    words = shown.messages[0].text.partition("\n\n<context>")[0]
    assert words[0] == exchange.asked[0].text[0] or words.startswith("[")
    replies = [m for m in exchange.messages if isinstance(m, AIMessage)]
    sent = [m for m in shown.messages if isinstance(m, AIMessage)]
    assert bool(sent) == bool(replies)
    if replies:
        assert sent[-1].tool_calls == replies[-1].tool_calls
        assert sent[-1].text[0] in {replies[-1].text[0], "["}


def test_what_fits_is_sent_as_it_was_said() -> None:
    window: list[AnyMessage] = [HumanMessage("word " * 300), AIMessage("Yes."), HumanMessage("So?")]
    sent = request(window, Budget(total=2000, reply=100))
    assert sent.messages[1].text == window[0].text
    assert sent.left_out == 0


def test_a_long_message_shows_its_head_and_its_tail_and_says_what_is_gone() -> None:
    text = "begin " + "word " * 5000 + "end"
    [_, sent] = request([HumanMessage(text)], Budget(total=2000, reply=100)).messages
    assert sent.text.startswith("begin word")
    shown, context = sent.text.split("\n\n<context>")
    assert shown.endswith("word end")
    assert context
    head, mark, tail = shown.partition("\n[... the middle of this message, ")
    gone = int(mark and tail.partition(" characters")[0])
    kept = len(head) + len(tail.partition("is left out here ...]\n")[2])
    assert kept + gone == len(text)


def test_the_oldest_exchanges_are_left_out_first() -> None:
    window: list[AnyMessage] = []
    for n in range(20):
        window += [HumanMessage(f"message {n} " + "word " * 50), AIMessage("Yes.")]
    sent = request([*window, HumanMessage("So?")], Budget(total=800, reply=100))
    shown = [m.text.split()[1] for m in sent.messages if isinstance(m, HumanMessage)][:-1]
    assert shown == [str(n) for n in range(20)][sent.left_out :]
    assert sent.left_out > 0


def test_a_long_tool_loop_shows_the_users_words_and_the_newest_results() -> None:
    window: list[AnyMessage] = [HumanMessage("Where are all my parcels?")]
    for n in range(30):
        call = ToolCall(name="look_up", args={"number": str(n)}, id=f"c{n}")
        window += [
            AIMessage("", tool_calls=[call]),
            ToolMessage("word " * 99, tool_call_id=f"c{n}"),
        ]
    sent = request(window, Budget(total=900, reply=100)).messages
    assert sent[1].text.startswith("Where are all my parcels?")
    assert isinstance(sent[-1], ToolMessage)
    assert sent[-1].tool_call_id == "c29"
    assert count_messages(sent) <= 800


@pytest.mark.parametrize(("total", "kept"), [(6000, 2), (2600, 1), (1500, 0)])
def test_images_that_do_not_fit_are_named(total: int, kept: int) -> None:
    said = HumanMessage([{"type": "text", "text": "Look at these"}, *[IMAGE] * 4])
    [_, sent] = request([said], Budget(total=total, reply=100)).messages
    assert [b for b in sent.content if b == IMAGE] == [IMAGE] * kept
    assert f"[{4 - kept} images of this message are left out here]" in sent.text
    assert "Look at these" in sent.text


def test_passages_without_room_go_the_least_first() -> None:
    said = [HumanMessage("What was it?", id="u")]
    found = recalled(*(passage(f"passage {n} " * 40, score=float(n)) for n in (2, 1, 3)))
    whole = request(said, Budget(total=4000, reply=0), found=found)
    cut = request(said, Budget(total=900, reply=0), found=found)
    none = request(said, Budget(total=300, reply=0), found=found)
    assert [f"passage {n}" in whole.messages[-1].text for n in (1, 2, 3)] == [True] * 3
    assert [f"passage {n}" in cut.messages[-1].text for n in (1, 2, 3)] == [False, True, True]
    assert "earlier" not in none.messages[-1].text
    assert "\nThe message to answer: What was it?\nNow: " in whole.messages[-1].text
    assert "to answer" not in none.messages[-1].text
    assert whole.layers["recalled"] > cut.layers["recalled"] > none.layers["recalled"] == 0
