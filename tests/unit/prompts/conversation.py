"""Windows as the reducer and the nodes leave them, for property tests."""

from collections.abc import Iterator
from itertools import count
from typing import Any

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage

words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(
    lambda text: text.strip() != ""
)
image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
contents: st.SearchStrategy[Any] = (
    words | words.map(lambda text: [{"type": "text", "text": text}, image]) | st.just([image])
)


@st.composite
def batches(draw: st.DrawFn, ids: Iterator[int]) -> list[AnyMessage]:
    """A reply that calls tools, and results: some missing, some twice, in any order."""
    made = [f"c{next(ids)}" for _ in range(draw(st.integers(1, 3)))]
    calls = [ToolCall(name="f", args={"n": 1}, id=each, type="tool_call") for each in made]
    results = draw(st.lists(st.sampled_from(made), max_size=4))
    return [
        AIMessage(draw(words | st.just("")), tool_calls=calls),
        *(ToolMessage(draw(words), tool_call_id=each) for each in results),
    ]


@st.composite
def exchanges(draw: st.DrawFn, ids: Iterator[int], *, answered: bool | None) -> list[AnyMessage]:
    """Some user messages and what came of them; with None, perhaps a reply and perhaps not."""
    asked = [HumanMessage(draw(contents)) for _ in range(draw(st.integers(1, 3)))]
    called = [m for _ in range(draw(st.integers(0, 2))) for m in draw(batches(ids))]
    ends = draw(st.booleans()) if answered is None else answered
    return [*asked, *called, *([AIMessage(draw(words))] if ends else [])]


@st.composite
def windows(draw: st.DrawFn) -> list[AnyMessage]:
    """A window whose newest exchange waits for its reply."""
    ids = count()
    past = [draw(exchanges(ids, answered=None)) for _ in range(draw(st.integers(0, 4)))]
    # A message that follows one without any reply is of the same exchange.
    return [m for each in [*past, draw(exchanges(ids, answered=False))] for m in each]
