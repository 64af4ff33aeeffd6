"""The owner's commands: tables, transcript, summaries, retention."""

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from app.chat import printable
from app.names import thread_id
from app.own_graph import Thread, state_of_named, with_database, with_graph
from graph.build import utc_now
from graph.database import Database
from graph.environment import read_settings
from graph.forgetting import Means, finish_forgetting
from graph.rebuild import Rebuild
from graph.resources import Opened
from graph.retention import Kept, retain
from graph.tokens import signed, verifier
from memory import erase
from memory.transcript import Row, read_page
from state.text import storable_id


def migrate() -> None:
    """Bring the database's tables up to date; safe while others do the same."""

    async def run(_: Database) -> None:
        pass

    with_database(run)
    typer.echo("the database is up to date")


def transcript(
    thread: Thread,
    through: Annotated[int, typer.Option(help="Last turn to show; 0: the newest.")] = 0,
    count: Annotated[int, typer.Option(min=1, help="How many turns.")] = 20,
) -> None:
    """Show the last turns as they were said, those that left the window too."""

    async def run(opened: Opened) -> list[Row]:
        state = await state_of_named(opened, thread)
        last = through or state.get("archived_through", 0)
        trail = state.get("transcript")
        return await read_page(opened.database.store, trail, through=last, count=count)

    console = Console(highlight=False, markup=False, soft_wrap=True)
    rows = with_graph(run)
    if not rows:
        raise typer.BadParameter(f"nothing was said in {thread!r}", param_hint="--thread")
    for row in rows:
        console.print(f"turn {row['turn']}  {row['at'][:16]}", style="bold")
        for message in row["messages"]:
            called = "".join(
                f" [{call['name']} {call['args']}]" for call in message.get("calls", [])
            )
            words = f"  {message['role']}: {message['content']}{called}"
            console.print(printable(words))


def rebuild(
    thread: Thread = "",
    all: Annotated[bool, typer.Option("--all", help="Every thread.")] = False,
) -> None:
    """Make summaries anew from the transcript; stopped, it goes on where it was."""
    if bool(thread) == all:
        raise typer.BadParameter("give one of --thread NAME and --all")

    async def run(opened: Opened) -> None:
        if thread:
            await state_of_named(opened, thread)
        ids = await erase.threads(opened.database.store) if all else [thread_id(thread)]
        with Progress() as progress:
            task = progress.add_task("threads", total=len(ids))
            page = progress.add_task("turns", total=None)
            work = Rebuild(
                graph=opened.graph,
                database=opened.database,
                folder=opened.parts.folder,
                on_page=lambda _, turn, of: progress.update(page, completed=turn, total=of),
            )
            for each in ids:
                through = await work.thread(each)
                progress.console.print(
                    f"{thread or each}: "
                    + (f"turns 1 to {through}" if through else "nothing to summarise")
                )
                progress.advance(task)

    with_graph(run)


def retention() -> None:
    """Prune long threads and erase idle ones, as LONGHAUL_KEEP_TURNS and LONGHAUL_IDLE_DAYS say."""
    settings = read_settings()

    async def run(opened: Opened) -> Kept:
        indexer = await opened.parts.index.indexer()
        await finish_forgetting(Means(database=opened.database, indexer=indexer))
        return await retain(
            opened.database,
            keep_turns=settings.keep_turns,
            idle_days=settings.idle_days,
            now=utc_now(),
            vectors=indexer.vectors if indexer else None,
        )

    kept = with_graph(run)
    typer.echo(f"threads pruned: {kept.pruned}; threads erased: {len(kept.erased)}")
    for thread in kept.erased:
        typer.echo(f"  {thread}")
    if kept.waiting:
        typer.echo("their vectors, which hold no words, go when Chroma answers again:")
    for thread in kept.waiting:
        typer.echo(f"  {thread}")


def check() -> None:
    """Say whether the settings are of use, before a server reads them; silent if they are."""
    verifier(read_settings())


def token(
    user: Annotated[str, typer.Argument(help="Id of the user whom it signs in.")],
    hours: Annotated[float, typer.Option(min=0.01, help="How long it is good.")] = 24.0,
) -> None:
    """Sign a token for development by LONGHAUL_AUTH_SECRET; a shop's own sign-in makes the real."""
    if not storable_id(user):
        raise typer.BadParameter("a user's id is 1 to 200 printable characters")
    typer.echo(signed(read_settings(), user, now=utc_now(), hours=hours))
