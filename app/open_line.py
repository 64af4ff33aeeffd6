"""Opening a line to a thread: here, or on a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.chat import say_waiting
from app.lines import Line, LocalLine, ServerLine
from graph.resources import open_graph
from graph.settings import Settings
from state.context import Context


@asynccontextmanager
async def open_line(
    server: str, name: str, context: Context, settings: Settings
) -> AsyncIterator[Line]:
    """A line to the thread `name`: on the LangGraph Server at `server`, or in this process."""
    if server:
        token = settings.token.get_secret_value() if settings.token else ""
        line = ServerLine(url=server, name=name, context=context, token=token)
        try:
            yield line
        finally:
            await line.close()
        return
    async with open_graph(settings) as opened:
        yield LocalLine(
            graph=opened.graph,
            database=opened.database,
            name=name,
            context=context,
            on_wait=say_waiting,
        )
