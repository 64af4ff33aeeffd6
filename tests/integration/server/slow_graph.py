"""The shipped graph, with a tool that waits until the test lets it go.

A server of the tests names it beside the shipped one. Each call is written down before the tool
waits, so that a test knows how often it ran, whichever process ran it.
"""

import asyncio
import os
from pathlib import Path

from langchain_core.tools import tool

from graph.build import Parts, build_graph
from graph.environment import settings
from graph.models import Models
from graph.resources import ModelServer


@tool
async def fetch(item: str) -> str:
    """Fetch an item from the desk."""
    desk = Path(os.environ["SLOW_GRAPH_DESK"])
    await asyncio.to_thread(_note, desk / "calls", item)
    # Another process lets it go, by a file.
    while not await asyncio.to_thread((desk / item).exists):  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    return f"here is {item}"


def _note(file: Path, item: str) -> None:
    with file.open("a", encoding="utf-8") as lines:
        lines.write(f"{item}\n")


graph = build_graph(
    Parts(
        settings=settings,
        models=Models(settings=settings, endpoint=ModelServer(settings).url, tools=[fetch]),
    )
)
