"""LangMem's SummarizationNode, wired as its documentation shows."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.messages import AnyMessage, SystemMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, MessagesState, StateGraph
from langmem.short_term import (  # type: ignore[import-untyped]
    RunningSummary,
    SummarizationNode,
)
from typing_extensions import TypedDict

from evals.bench.contestant import (
    Contestant,
    Place,
    default_settings,
    instructions,
    reply_model,
    summary_model,
)
from evals.bench.summaries import BUDGET
from graph.toolbox import toolbox
from state.tokens import count_messages


class State(MessagesState):
    """Every message, and the summary of those that are no longer sent."""

    context: dict[str, Any]


class Shown(TypedDict):
    """What the model is sent."""

    summarized_messages: list[AnyMessage]
    context: dict[str, Any]


@asynccontextmanager
async def summarised(place: Place) -> AsyncIterator[Contestant]:
    """Summarises at our high mark, by our counter; the rest of it as it comes."""
    model = reply_model(place).bind_tools(toolbox())
    system = SystemMessage(instructions())
    node = SummarizationNode(
        model=summary_model(place),
        max_tokens=default_settings().marks.high.amount,
        max_summary_tokens=BUDGET,
        token_counter=count_messages,
    )

    async def call_model(state: Shown) -> dict[str, Any]:
        shown = state["summarized_messages"]
        told = "\n\n".join([system.text, *(m.text for m in shown if m.type == "system")])
        rest = [message for message in shown if message.type != "system"]
        return {"messages": [await model.ainvoke([SystemMessage(told), *rest])]}

    builder = StateGraph(State)
    builder.add_node("summarize", node)
    builder.add_node("call_model", call_model)
    builder.add_edge(START, "summarize")
    builder.add_edge("summarize", "call_model")
    # Its summary is an object of its own class inside the checkpoint.
    serde = JsonPlusSerializer(
        allowed_msgpack_modules=[(RunningSummary.__module__, RunningSummary.__name__)]
    )
    async with AsyncPostgresSaver.from_conn_string(place.database, serde=serde) as saver:
        await saver.setup()
        yield Contestant(graph=builder.compile(checkpointer=saver), reply_node="call_model")
