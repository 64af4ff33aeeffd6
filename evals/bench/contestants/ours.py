"""Our own graph, as it ships."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from evals.bench.contestant import Contestant, Place, default_settings
from evals.bench.model import EXTRACT, REPLY, SUMMARY
from graph.resources import SETTLING_SECONDS, open_graph


@asynccontextmanager
async def longhaul(place: Place) -> AsyncIterator[Contestant]:
    """The shipped graph with its default settings."""
    settings = default_settings(
        OPENAI_BASE_URL=place.model_url,
        database=place.database,
        model=REPLY,
        summarise_model=SUMMARY,
        extract_model=EXTRACT,
    )
    async with open_graph(settings) as opened:
        settled = partial(opened.parts.background.settled, SETTLING_SECONDS)
        yield Contestant(graph=opened.graph, reply_node="respond", settled=settled)
