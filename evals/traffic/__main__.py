"""`evals from-thread ID`: a stored conversation as an evaluation, personal data replaced."""

import random
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, get_args

import typer
from rich.console import Console

from app.names import thread_id
from app.own_graph import with_graph
from evals.run.conversation import ConversationError, Topic
from evals.traffic.draft import Draft, Leak, Missing, Wishes, draft
from evals.traffic.planted import NotSaid
from evals.traffic.stored import stored
from graph.environment import read_settings

_DOUBTS = 40
"""How many words are shown that may be names."""

cli = typer.Typer(add_completion=False)


@cli.command()
def main(  # noqa: PLR0917
    thread: Annotated[str, typer.Argument(help="Name or id of the thread.")],
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path(
        "build/evals/traffic.toml"
    ),
    missing: Annotated[
        list[str] | None,
        typer.Option(help="What was said and should have been known: it is asked for at the end."),
    ] = None,
    ask: Annotated[
        list[str] | None, typer.Option(help="How, for each; else by its sentence, with a gap.")
    ] = None,
    kind: Annotated[str, typer.Option(help="Which kind of fact it is that is missing.")] = "",
    name: Annotated[
        list[str] | None, typer.Option(help="A further name to replace; rules find not all.")
    ] = None,
    keep: Annotated[list[str] | None, typer.Option(help="A word to leave as it is.")] = None,
    persona: Annotated[str, typer.Option(help="Who the bot is; none: as set.")] = "",
    filler: Annotated[str, typer.Option(help=", ".join(get_args(Topic)))] = "support",
    show: Annotated[bool, typer.Option(help="Print what was replaced by what.")] = False,
) -> None:
    """Turn a stored conversation into an evaluation: `evals run FILE` holds it."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    if ask and len(ask) > len(missing or ()):
        raise typer.BadParameter(
            "there is a question, and nothing that is missing", param_hint="--ask"
        )
    topic = next((each for each in get_args(Topic) if each == filler), None)
    if topic is None:
        raise typer.BadParameter(f"{filler!r} is none of {', '.join(get_args(Topic))}")
    pairs = zip_longest(missing or (), ask or (), fillvalue="")
    wishes = Wishes(
        name=out.stem.lower().replace("_", "-"),
        persona=persona or read_settings().persona,
        filler=topic,
        missing=[Missing(value, question, kind) for value, question in pairs],
        names=name or (),
        keep=keep or (),
    )
    found = thread_id(thread)
    turns, log = with_graph(lambda opened: stored(opened, found))
    if not turns:
        raise typer.BadParameter(f"nothing was said in {thread!r}", param_hint="thread")
    try:
        # Nobody can draw the same again, so nobody finds the way back.
        made = draft(turns, log, wishes, random.SystemRandom())
    except (ConversationError, NotSaid, Leak) as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(made.text, encoding="utf-8")
    _tell(made, len(turns), out, console, show=show)


def _tell(made: Draft, turns: int, out: Path, console: Console, *, show: bool) -> None:
    for line in made.left_out:
        console.print(f"left out: {line}", style="dim", markup=False)
    for said, new in made.replaced.items() if show else ():
        console.print(f"{said!r} is {new!r}", markup=False)
    if made.doubtful:
        console.print(
            f"kept; is one a name? --name: {', '.join(made.doubtful[:_DOUBTS])}", markup=False
        )
    console.print(
        f"{out}: {turns} turns, {made.facts} facts, {len(made.replaced)} things replaced. "
        "Read it before you give it to anybody: rules do not find every name.",
        markup=False,
    )


if __name__ == "__main__":
    cli()
