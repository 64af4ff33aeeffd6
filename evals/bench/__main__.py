"""`python -m evals.bench`: play, measure, show."""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from evals.bench.bench import Plan, bench
from evals.bench.lineup import OURS, TITLES
from evals.bench.picture import Series, draw
from evals.bench.report import as_json, show

_WIDE = 200


def main(  # noqa: PLR0917
    turns: Annotated[int, typer.Option(help="Turns with every contestant.")] = 500,
    long_turns: Annotated[int, typer.Option(help="Turns with longhaul alone; 0: none.")] = 2000,
    waiting_turns: Annotated[
        int, typer.Option(help="Turns with a slow summariser; 0: none, and no slow extractor.")
    ] = 75,
    seed: Annotated[int, typer.Option(help="Seed of the conversation.")] = 0,
    only: Annotated[str, typer.Option(help="Contestants, comma-separated; all if empty.")] = "",
    json: Annotated[Path | None, typer.Option(help="Where to write all figures.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Where to draw the tokens a turn.")] = None,
    data: Annotated[Path, typer.Option(help="Folder of the local Postgres.")] = Path(".longhaul"),
) -> None:
    """Measure a long conversation's cost, beside what people would use instead."""
    plan = Plan(
        names=[name.strip() for name in only.split(",")] if only else list(TITLES),
        turns=turns,
        long_turns=long_turns,
        waiting_turns=waiting_turns,
        seed=seed,
        data=data,
    )
    with tempfile.TemporaryDirectory(prefix="longhaul-bench-") as log:
        result = asyncio.run(bench(plan, Path(log)))
    # Where nobody looks on, a table need not fit a screen.
    show(result, Console() if sys.stdout.isatty() else Console(width=_WIDE))
    if json is not None:
        json.parent.mkdir(parents=True, exist_ok=True)
        json.write_text(as_json(result), encoding="utf-8")
    if picture is not None and OURS in result.main:
        series = {
            name: Series(title=TITLES[name], tokens=f.tokens) for name, f in result.main.items()
        }
        picture.write_text(draw(series.pop(OURS), list(series.values())), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
