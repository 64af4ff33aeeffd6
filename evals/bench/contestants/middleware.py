"""LangChain's agent with its SummarizationMiddleware: its defaults, and our marks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from evals.bench.contestant import (
    Contestant,
    Place,
    default_settings,
    instructions,
    reply_model,
    summary_model,
)
from graph.toolbox import toolbox
from state.tokens import count_messages

TRIGGER = 8000
"""Tokens, by its own counter, at which the defaults summarise: unset, they never do."""


@asynccontextmanager
async def defaults(place: Place) -> AsyncIterator[Contestant]:
    """As it comes, with a trigger: keeps 20 messages, shows the summariser 4,000 tokens."""
    middleware = SummarizationMiddleware(summary_model(place), trigger=("tokens", TRIGGER))
    async with _opened(place, middleware) as contestant:
        yield contestant


@asynccontextmanager
async def tuned(place: Place) -> AsyncIterator[Contestant]:
    """Summarises at our high mark down to our low mark, by our counter."""
    marks = default_settings().marks
    middleware = SummarizationMiddleware(
        summary_model(place),
        trigger=("tokens", marks.high.amount),
        keep=("tokens", marks.low.amount),
        # It counts messages only, whatever else its type admits.
        token_counter=cast("Any", count_messages),
    )
    async with _opened(place, middleware) as contestant:
        yield contestant


@asynccontextmanager
async def _opened(place: Place, middleware: SummarizationMiddleware) -> AsyncIterator[Contestant]:
    async with AsyncPostgresSaver.from_conn_string(place.database) as saver:
        await saver.setup()
        agent = create_agent(
            reply_model(place),
            tools=toolbox(),
            system_prompt=instructions(),
            middleware=[middleware],
            checkpointer=saver,
        )
        yield Contestant(graph=agent, reply_node="model")
