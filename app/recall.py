"""The owner's commands for recall: what a search brings and why, and vectors made anew."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from app.chat import printable
from app.names import thread_id
from app.own_graph import Thread, state_of_named, with_graph
from graph.resources import Opened
from memory.recall.searcher import Found, Query
from nodes.recall import gate
from prompts.recalled import passage_text
from state.identity import resolve_owner
from state.summary import EMPTY

_SHOWN = 20
_PATIENCE = 60.0
"""Seconds."""


def search(
    words: Annotated[str, typer.Argument(help="What somebody might say.")],
    thread: Thread,
    user: Annotated[str, typer.Option(help="Whose words; none: the thread's own.")] = "",
    elsewhere: Annotated[bool, typer.Option(help="Search the user's other threads, too.")] = False,
) -> None:
    """Show what a message would bring back in a thread, and why."""

    async def run(opened: Opened) -> tuple[str, Found]:
        name = thread_id(thread)
        state = await state_of_named(opened, thread)
        if (trail := state.get("transcript")) is None:
            raise typer.BadParameter(f"{thread!r} has no turn to search yet", param_hint="--thread")
        settings = opened.parts.settings()
        opening = gate(state, state["messages"], settings.recall, asked=words)
        query = Query(
            message=words,
            owner=resolve_owner(signed_in=None, named=user, thread=name),
            thread=name,
            trail=trail,
            summary=state.get("summary", EMPTY),
            facts=state.get("facts", {}),
            budget=settings.recall_tokens,
            elsewhere=elsewhere,
        )
        # Nobody waits for a reply here: a Chroma that has to start first may do so.
        searcher = opened.parts.searcher
        searcher.seconds, searcher.patience = (lambda: _PATIENCE), _PATIENCE
        told = f"a message like this is {'' if opening['searched'] else 'not '}searched for"
        return f"{told}: {opening['reason']}", await searcher.find(opened.database.store, query)

    told, found = with_graph(run)
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(printable(told))
    if found.trouble:
        console.print(f"by words alone: {printable(found.trouble)}")
    if not found.scored and not found.passages:
        console.print("nothing was found")
        return
    console.print(_scores(found))
    for passage in found.passages:
        console.print(f"{passage['why']}", style="dim")
        console.print(printable(passage_text(passage)))


def _scores(found: Found) -> Table:
    table = Table("turn", "score", "words", "meaning", "evidence", "shown", "begins")
    shown = {passage["key"] for passage in found.passages}
    for each in found.scored[:_SHOWN]:
        parts = (each.score, each.lexical, each.dense, each.evidence)
        said = each.document
        table.add_row(
            str(said.turn),
            *(f"{part:.2f}" for part in parts),
            "yes" if said.key in shown else "",
            Text(printable(" ".join((said.user or said.assistant).split())[:40])),
        )
    return table


def reindex(
    anew: Annotated[
        bool, typer.Option(help="Fill a new collection, also for the same model.")
    ] = False,
) -> None:
    """Make the vectors anew from the transcript, check that each is found, repair what is not."""

    async def run(opened: Opened) -> None:
        from memory.reindex import Reindex  # noqa: PLC0415  # imports Chroma, which takes seconds

        indexer = await opened.parts.index.indexer()
        if indexer is None:
            raise typer.BadParameter(
                "there are no vectors here: see LONGHAUL_RECALL and CHROMA_URL"
            )
        work = Reindex(indexer=indexer, store=opened.database.store, anew=anew)
        with Progress() as progress:
            bars: dict[str, Any] = {}
            async for step in work.run():
                if step.doing == "done":
                    progress.console.print(f"{step.of} records; not found: {step.lost}")
                    break
                if step.doing not in bars:
                    bars[step.doing] = progress.add_task(step.doing, total=step.of)
                progress.update(bars[step.doing], completed=step.done, total=step.of)

    with_graph(run)
