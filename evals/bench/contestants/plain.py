"""What most begin with: the whole history, or its end, from LangGraph's own saver."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from langchain_core.messages import AnyMessage, BaseMessage, SystemMessage, trim_messages
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import START, MessagesState, StateGraph

from evals.bench.contestant import Contestant, Place, instructions, reply_model
from graph.toolbox import toolbox
from state.tokens import count_messages

KEPT = 4500
"""Tokens that the trimmed history has: the middle of our marks."""

View = Callable[[Sequence[AnyMessage]], Sequence[BaseMessage]]


@asynccontextmanager
async def everything(place: Place) -> AsyncIterator[Contestant]:
    """All messages, every time."""
    async with _opened(place, lambda messages: messages) as contestant:
        yield contestant


@asynccontextmanager
async def trimmed(place: Place) -> AsyncIterator[Contestant]:
    """The last messages that fit; the rest stays in the state, unseen."""

    def last(messages: Sequence[AnyMessage]) -> Sequence[BaseMessage]:
        return trim_messages(
            messages,
            max_tokens=KEPT,
            token_counter=count_messages,
            strategy="last",
            start_on="human",
        )

    async with _opened(place, last) as contestant:
        yield contestant


@asynccontextmanager
async def _opened(place: Place, view: View) -> AsyncIterator[Contestant]:
    model = reply_model(place).bind_tools(toolbox())
    system = SystemMessage(instructions())

    async def call_model(state: MessagesState) -> MessagesState:
        return {"messages": [await model.ainvoke([system, *view(state["messages"])])]}

    builder = StateGraph(MessagesState)
    builder.add_node("call_model", call_model)
    builder.add_edge(START, "call_model")
    async with AsyncPostgresSaver.from_conn_string(place.database) as saver:
        await saver.setup()
        yield Contestant(graph=builder.compile(checkpointer=saver), reply_node="call_model")
