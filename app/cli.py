"""The `longhaul` command."""

import logging
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from anyio.from_thread import start_blocking_portal

from app import admin, recall, review, stats
from app.chat import Terminal
from app.command import run_command
from app.handover import handover
from app.memory import memory
from app.names import new_name, thread_id
from app.open_line import open_line
from graph.doors import chosen_context, given_context
from graph.environment import read_settings
from state.context import Context

cli = typer.Typer(no_args_is_help=True, add_completion=False, help="longhaul: long conversations.")
cli.command()(admin.migrate)
cli.command(hidden=True)(admin.check)
cli.command()(admin.transcript)
cli.command()(admin.rebuild)
cli.command()(admin.retention)
cli.command()(recall.search)
cli.command()(recall.reindex)
cli.command()(review.review)
cli.command(name="stats")(stats.show_stats)
cli.command()(handover)
cli.command()(admin.token)
cli.add_typer(memory, name="memory")


@cli.command()
def chat(  # noqa: PLR0917
    thread: Annotated[str, typer.Option(help="Name of the thread to go on with.")] = "",
    persona: Annotated[str, typer.Option(help="A file of prompts/personas, by name.")] = "",
    model: Annotated[str, typer.Option(help="Which of the configured models answers.")] = "",
    user: Annotated[str, typer.Option(help="Who is talking.")] = "",
    time_zone: Annotated[str, typer.Option(help="Such as Europe/Berlin.")] = "",
    server: Annotated[str, typer.Option(help="URL of a LangGraph Server; none: no server.")] = "",
) -> None:
    """Talk in the terminal. Reads a pipe, too: each line is a message."""
    name = thread or new_name()
    thread_id(name)
    named = {"user": user, "persona": persona, "model": model, "time_zone": time_zone}
    context = given_context(named)

    settings = read_settings()
    _log_to_a_file(settings.data / "chat.log")
    if not server:
        chosen_context(context, settings)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(open_line(server, name, context, settings)) as line,
    ):
        terminal = Terminal(portal, line, name=name, resume=resume_command(name, context, server))
        terminal.talk()
    raise typer.Exit(1 if terminal.failed else 0)


def resume_command(name: str, context: Context, server: str) -> str:
    """What is typed to go on with the thread `name`, just so."""
    given = {"THREAD": name, "PERSONA": context.persona, "MODEL": context.model}
    options = {"user": context.user, "time-zone": context.time_zone, "server": server}
    args = " ".join(f"--{key} {shlex.quote(value)}" for key, value in options.items() if value)
    said = {**given, "ARGS": args}
    return " ".join(
        ["make chat", *(f"{key}={shlex.quote(value)}" for key, value in said.items() if value)]
    )


def _log_to_a_file(path: Path) -> None:
    """Keeps what goes wrong behind a reply out of the conversation that is on the screen."""
    with suppress(OSError):  # no place for a log is no reason not to talk
        path.parent.mkdir(parents=True, exist_ok=True)
        form = "%(asctime)s %(levelname)s %(name)s %(message)s"
        logging.basicConfig(filename=path, level=logging.WARNING, format=form)


def main() -> None:
    """Runs the command."""
    run_command(cli)
