"""What an owner's command works on: the graph on the configured database, no server between."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer
from anyio.from_thread import start_blocking_portal

from app.api.views import state_of
from app.names import thread_id
from graph.database import Database
from graph.environment import read_settings
from graph.resources import Opened, database_source, open_graph
from graph.shared_database import source_database
from state.session import SessionState

Result = TypeVar("Result")
Thread = Annotated[str, typer.Option(help="Name or id of the thread.")]


def with_database(work: Callable[[Database], Awaitable[Result]]) -> Result:
    """What `work` makes of the configured database."""

    async def run() -> Result:
        async with source_database(database_source(read_settings())) as database:
            return await work(database)

    with start_blocking_portal() as portal:
        return portal.call(run)


def with_graph(work: Callable[[Opened], Awaitable[Result]]) -> Result:
    """What `work` makes of the graph on the configured database."""

    async def run() -> Result:
        async with open_graph(read_settings()) as opened:
            return await work(opened)

    with start_blocking_portal() as portal:
        return portal.call(run)


async def state_of_named(opened: Opened, name: str) -> SessionState:
    """The newest state of the thread called `name`. Raises BadParameter if nothing was said."""
    state = await state_of(opened, thread_id(name))
    if state is None:
        raise typer.BadParameter(f"nothing was said in {name!r}", param_hint="--thread")
    return state
