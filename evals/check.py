"""`evals check`: all suites and all conversations, against one file of thresholds."""

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from evals.facts import __main__ as facts
from evals.run import __main__ as conversations
from evals.run.report import PLUMBING
from evals.suites import corrections, gate, summaries
from evals.suites.result import Limits, shipped, wide_console
from graph.environment import read_settings

SMALL = ("high_mark=1500", "low_mark=750")
"""Marks at which conversations of some dozen turns are folded several times."""

cli = typer.Typer(add_completion=False)

Step = Callable[[], None]


@cli.command()
def main(  # noqa: PLR0917
    thresholds: Limits = None,
    out: Annotated[Path, typer.Option(help="Folder of the results; an old run in it goes.")] = Path(
        "build/evals/check"
    ),
    only: Annotated[str, typer.Option(help="Some of the steps, comma-separated.")] = "",
    names: Annotated[str, typer.Option(help="Some of the conversations, comma-separated.")] = "",
    tokens: Annotated[int, typer.Option(help="Most tokens of the conversations; 0: all.")] = 0,
    data: Annotated[Path, typer.Option(help="Folder of the services.")] = Path(".longhaul/evals"),
) -> None:
    """Run all suites and conversations; exit code 1 when a threshold is missed."""
    settings = read_settings()
    limits = thresholds or shipped(settings)
    steps: Mapping[str, Step] = {
        "gate": partial(gate.main, thresholds=limits, json=out / "gate.json"),
        "corrections": partial(corrections.main, thresholds=limits, json=out / "corrections.json"),
        "facts": partial(facts.main, thresholds=limits, json_file=out / "facts.json"),
        "summaries": partial(summaries.main, thresholds=limits, json=out / "summaries.json"),
        "run": partial(
            conversations.main,
            _chosen(names) or None,
            change=list(SMALL),
            thresholds=limits,
            out=out / "run",
            tokens=tokens,
            data=data,
        ),
    }
    chosen = _chosen(only) or list(steps)
    if unknown := [name for name in chosen if name not in steps]:
        raise typer.BadParameter(f"{unknown[0]!r} is none of {', '.join(steps)}")
    console = wide_console()
    if settings.stand_in:
        console.print(PLUMBING, style="yellow")
    _make_room(out)
    missed = [name for name in chosen if _misses(steps[name])]
    if missed:
        console.print(f"Below {limits}: {', '.join(missed)}.", style="red", markup=False)
        raise typer.Exit(1)
    console.print(f"All of {limits} is reached: {', '.join(chosen)}.", markup=False)


def _make_room(out: Path) -> None:
    """Removes an earlier run: what another version of a prompt reached says nothing of this one."""
    out.mkdir(parents=True, exist_ok=True)
    if (out / "run" / "run.json").exists():
        shutil.rmtree(out / "run")


def _chosen(given: str) -> list[str]:
    return [name for name in given.split(",") if name]


def _misses(step: Step) -> bool:
    """Whether a step misses a threshold; one that cannot be taken ends it all."""
    try:
        step()
    except typer.Exit as end:
        if end.exit_code != 1:
            raise
        return True
    return False


if __name__ == "__main__":
    cli()
