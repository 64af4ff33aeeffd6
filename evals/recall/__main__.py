"""`python -m evals.recall`: evidence recall on LoCoMo and on files like LongMemEval's."""

import asyncio
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, get_args

import typer
from rich.console import Console
from rich.table import Table

from evals.recall import locomo, longmemeval
from evals.recall.score import BUDGETS, CUTS, OVERALL, Board
from evals.recall.talks import Talk
from evals.recall.ways import Way, indexed, ranked
from memory.embeddings import Embedder, offline
from memory.recall.ranking import DEFAULT, Ranking

cli = typer.Typer(add_completion=False)


async def measured(
    talks: Iterable[Talk], embedder: Embedder, *, apart: str = "", ranking: Ranking = DEFAULT
) -> Board:
    """What every way finds in `talks`; category `apart` stays out of the overall figure."""
    board = Board()
    for talk in talks:
        library = await indexed(talk, embedder, ranking)
        vectors = await embedder.documents([each.text for each in talk.questions])
        for question, vector in zip(talk.questions, vectors, strict=True):
            ways = ranked(library, question.text, vector, BUDGETS)
            board.add(question, ways, counted=question.category != apart)
    return board


def tables(board: Board, name: str) -> list[Table]:
    """A table a category: share of the evidence found, then any / all, in percent."""
    return [_table(board, name, category) for category in board.categories()]


def _table(board: Board, name: str, category: str) -> Table:
    count = max(board.recalls[category, way, CUTS[0]].questions for way in get_args(Way))
    drawn = Table("evidence recall (any / all), %", *CUTS, title=f"{name}: {category} ({count})")
    for way in get_args(Way):
        means = [board.recalls[category, way, cut].means() for cut in CUTS]
        drawn.add_row(
            way,
            *(
                f"{100 * m['recall']:.1f} ({100 * m['any']:.0f} / {100 * m['all']:.0f})"
                for m in means
            ),
        )
    return drawn


@cli.command()
def main(
    locomo_file: Annotated[
        Path | None, typer.Option("--locomo", exists=True, dir_okay=False, help="locomo10.json.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--longmemeval", exists=True, file_okay=False, help="A folder of its files."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures here.")
    ] = None,
    overall: Annotated[bool, typer.Option(help="Only the overall tables.")] = False,
) -> None:
    """Measure what recall finds with the offline embedder; nothing is downloaded or kept."""
    console = Console(width=max(Console().width, 120))
    sets: list[tuple[str, Iterable[Talk], str]] = []
    if locomo_file is not None:
        sets.append(("LoCoMo", locomo.read(locomo_file), locomo.ADVERSARIAL))
    if folder is not None:
        sets.append(("LongMemEval", longmemeval.read(folder), ""))
    if not sets:
        console.print("Name a set: --locomo FILE or --longmemeval FOLDER.", style="red")
        sys.exit(2)
    figures = {}
    for name, talks, apart in sets:
        board = asyncio.run(measured(talks, offline(), apart=apart))
        for table in [_table(board, name, OVERALL)] if overall else tables(board, name):
            console.print(table)
        figures[name] = board.plain()
    if json_file is not None:
        json_file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    cli()
