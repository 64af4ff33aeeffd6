"""Conversations to put into a window, and summaries of them."""

from collections.abc import Sequence

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage

from state.exchanges import Exchange
from state.summary import EMPTY, Kind, Summary, SummaryItem


def exchange(number: int, *, words: int = 3, tools: int = 0, answered: bool = True) -> Exchange:
    """Exchange `number`: a question of so many words, so many tool calls in one round, a reply."""
    messages: list[AnyMessage] = [HumanMessage("word " * words, id=f"u{number}")]
    if tools:
        calls = [ToolCall(name="f", args={}, id=f"c{number}-{i}") for i in range(tools)]
        messages.append(AIMessage("", id=f"t{number}", tool_calls=calls))
        messages += [
            ToolMessage("done", tool_call_id=str(c["id"]), id=f"result-{c['id']}") for c in calls
        ]
    if answered:
        messages.append(AIMessage("Yes.", id=f"a{number}"))
    return Exchange(tuple(messages))


def window(exchanges: Sequence[Exchange]) -> list[AnyMessage]:
    """The messages of `exchanges`."""
    return [message for each in exchanges for message in each.messages]


@st.composite
def talks(draw: st.DrawFn, *, first: int = 1, most: int = 8) -> list[Exchange]:
    """Some exchanges, from one word to far beyond every mark, the newest perhaps unanswered."""
    shapes = st.tuples(st.sampled_from([1, 5, 40, 400, 3000]), st.integers(0, 3))
    drawn = draw(st.lists(shapes, min_size=1, max_size=most))
    last = first + len(drawn) - 1
    waits = draw(st.booleans())
    return [
        exchange(n, words=words, tools=tools, answered=n < last or not waits)
        for n, (words, tools) in enumerate(drawn, first)
    ]


def item(
    id: int, text: str, *, kind: Kind = "happened", turns: Sequence[int] = (1,)
) -> SummaryItem:
    """One item."""
    return SummaryItem(id=id, kind=kind, text=text, turns=list(turns))


def summary(*items: SummaryItem, through: int = 0) -> Summary:
    """A summary of these items."""
    return {**EMPTY, "items": list(items), "through": through, "next_id": len(items) + 1}
