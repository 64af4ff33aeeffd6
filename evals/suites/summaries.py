"""`python -m evals.suites.summaries`: what a compaction keeps, lets go and invents."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from evals.suites.asking import opened
from evals.suites.detection import MaterialError
from evals.suites.result import Limits, Result, Written, finish, share, shipped, wide_console
from evals.suites.summary_cases import Case, Kept, read_cases
from graph.build import sizes
from graph.environment import read_settings
from graph.settings import Settings
from nodes.asking import ModelError
from nodes.compaction import Folder
from state.summary import EMPTY, Kind, Summary, shown

_STANDING: frozenset[Kind] = frozenset({"decided", "open", "now", "manner"})
"""Kinds of notes that say how things are, not how they were."""

cli = typer.Typer(add_completion=False)


@dataclass
class Folded:
    """A case after its folds."""

    name: str
    case: Case
    summary: Summary = field(default_factory=EMPTY.copy)
    noted: int = 0
    unfounded: list[str] = field(default_factory=list)
    """Notes of the model that were dropped because no turn says them."""
    failures: list[str] = field(default_factory=list)

    def has(self, kept: Kept, *, pins: bool) -> bool:
        """Whether a note, or with `pins` also a pinned value, says it."""
        pinned = [pin["words"] for pin in self.summary["pins"]] if pins else []
        return any(kept.stands_in(text) for text in [*self.notes, *pinned])

    @property
    def notes(self) -> list[str]:
        """The texts of the notes."""
        return [item["text"] for item in self.summary["items"]]

    @property
    def standing(self) -> list[str]:
        """The texts of those that say how things are."""
        return [item["text"] for item in self.summary["items"] if item["kind"] in _STANDING]

    def still(self) -> list[str]:
        """What was given up, and is held for a plan all the same."""
        gone = self.case.gone
        return [g.what for g in gone if any(g.stands_in(text) for text in self.standing)]

    def false(self) -> list[str]:
        """What nobody said, and a note claims."""
        return [f.what for f in self.case.false if any(f.stands_in(n) for n in self.notes)]


async def fold(name: str, case: Case, folder: Folder) -> Folded:
    """The summary after all folds of a case; a fold that failed is left out."""
    folded = Folded(name, case)
    exchanges = case.exchanges()
    for through in case.folds:
        before = folded.summary
        try:
            done = await folder.fold(before, exchanges[before["through"] : through])
        except ModelError as error:
            folded.failures.append(f"turn {before['through'] + 1} to {through}: {error}")
            continue
        folded.summary = done.summary
        folded.unfounded += [each for each in done.dropped if each.startswith("not said: ")]
        folded.noted += done.summary["next_id"] - before["next_id"]
    return folded


async def folds(settings: Settings, cases: dict[str, Case], console: Console) -> list[Folded]:
    """All cases, one after the other."""
    done = []
    async with opened(settings) as models:
        folder = Folder(
            models=models, sizes=lambda: sizes(settings), seconds=lambda: settings.turn_timeout
        )
        for name, case in cases.items():
            console.print(f"{name}: {case.about}", style="dim", markup=False)
            done.append(await fold(name, case, folder))
    return done


def figures(folded: Sequence[Folded]) -> dict[str, float]:
    """Shares of what there was to do, over all cases."""
    facts = [(f, kept) for f in folded for kept in f.case.kept if not kept.open]
    threads = [(f, kept) for f in folded for kept in f.case.kept if kept.open]
    noted = sum(f.noted for f in folded)
    unfounded = sum(len(f.unfounded) for f in folded)
    gone, false = (sum(len(each) for each in kind) for kind in _labels(folded))
    count = sum(len(f.case.folds) for f in folded)
    return {
        "facts_noted": share(sum(f.has(k, pins=False) for f, k in facts), len(facts)),
        "facts_kept": share(sum(f.has(k, pins=True) for f, k in facts), len(facts)),
        "threads_kept": share(sum(f.has(k, pins=False) for f, k in threads), len(threads)),
        "dropped_plans_gone": share(gone - sum(len(f.still()) for f in folded), gone),
        "nothing_false": share(false - sum(len(f.false()) for f in folded), false),
        "notes_founded": share(noted, noted + unfounded),
        "folds_done": share(count - sum(len(f.failures) for f in folded), count),
    }


def result(folded: Sequence[Folded], model: str) -> Result:
    """What is kept of it."""
    faults = [f"{each.name}: {fault}" for each in folded for fault in _faults(each)]
    return Result(suite="summaries", model=model, figures=figures(folded), faults=faults)


def _labels(folded: Sequence[Folded]) -> tuple[list[Sequence[object]], list[Sequence[object]]]:
    return [f.case.gone for f in folded], [f.case.false for f in folded]


def _faults(folded: Folded) -> Iterator[str]:
    yield from (f"failed  {failure}" for failure in folded.failures)
    for kept in folded.case.kept:
        if not folded.has(kept, pins=not kept.open):
            yield f"{'thread lost' if kept.open else 'lost'}  turn {kept.turn}: {kept.value}"
    yield from (f"still a plan  {what}" for what in folded.still())
    yield from (f"false  {what}" for what in folded.false())
    yield from (f"unfounded  {each.removeprefix('not said: ')}" for each in folded.unfounded)


def table(folded: Sequence[Folded]) -> Table:
    """A row a case, and one for all."""
    names = (name.replace("_", " ") for name in figures(folded))
    drawn = Table("case", *names, title="What is left of the turns")
    for name, some in [*((f.name, [f]) for f in folded), ("all", list(folded))]:
        drawn.add_row(name, *(f"{figure:.0%}" for figure in figures(some).values()))
    return drawn


@cli.command()
def main(
    names: Annotated[list[str] | None, typer.Argument(help="Cases; none: all.")] = None,
    model: Annotated[str, typer.Option(help="The summarise model; none: as set.")] = "",
    notes: Annotated[bool, typer.Option("--notes", help="Print the notes.")] = False,
    thresholds: Limits = None,
    json: Written = None,
) -> None:
    """Fold labelled turns with the product's own prompt and checks, and say what is left."""
    console = wide_console()
    settings = read_settings(**({"summarise_model": model} if model else {}))
    try:
        cases = read_cases(names or ())
    except MaterialError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    folded = asyncio.run(folds(settings, cases, console))
    for each in folded if notes else ():
        for item in each.summary["items"]:
            console.print(f"{each.name}  {item['kind']:8} {shown(item)}", markup=False)
    told = result(folded, settings.summarise_model or settings.default_model)
    finish(told, [table(folded)], thresholds or shipped(settings), json, console)


if __name__ == "__main__":
    cli()
