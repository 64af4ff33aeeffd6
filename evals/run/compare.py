"""`python -m evals.run.compare`: two reports, and what lies between them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from evals.run.pairs import NOISE, Pair, PairsError, Side, chance, left_out, pairs
from evals.run.report import Report
from evals.run.strategies import OURS, STRATEGIES
from evals.run.tables import report_console

_LEAST = 0.001

cli = typer.Typer(add_completion=False)


@cli.command()
def main(
    before: Annotated[str, typer.Argument(help="Folder or report.json; of more seeds: a,b,c.")],
    after: Annotated[str, typer.Argument(help="The same, of the other version.")],
    strategy: Annotated[str, typer.Option(help=f"{OURS}, {', '.join(STRATEGIES)}.")] = OURS,
    versus: Annotated[str, typer.Option(help="Strategy of the other side; none: the same.")] = "",
) -> None:
    """Print what got better and what got worse, and whether that is more than noise."""
    console = report_console()
    try:
        old: Side = ([_read(Path(part)) for part in before.split(",")], strategy)
        new: Side = ([_read(Path(part)) for part in after.split(",")], versus or strategy)
        found = pairs(old, new)
    except PairsError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    for line in _changed(old, new):
        console.print(line, markup=False)
    _show(found, console)
    console.print(_sums(found, old, new))
    if alone := left_out(old, new):
        console.print(f"{alone} probes stand in one side alone, and are not compared.")
    console.print(told(found), markup=False)


def told(found: Sequence[Pair]) -> str:
    """What the pairs say, in words."""
    better, worse = sum(p.better for p in found), sum(p.worse for p in found)
    share = chance(better, worse)
    sure = "more than noise" if share < NOISE else "not more than noise"
    if better == worse:
        sure = "no difference"
    shown = f"p = {share:.3f}" if share >= _LEAST else f"p < {_LEAST}"
    return (
        f"{better} better, {worse} worse, {len(found) - better - worse} alike: {sure} "
        f"(McNemar's exact test, {shown})"
    )


def _read(path: Path) -> Report:
    """Raises PairsError."""
    file = path / "report.json" if path.is_dir() else path
    try:
        return Report.model_validate_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise PairsError(f"{file}: {error.strerror}") from None
    except ValidationError as error:
        raise PairsError(
            f"{file} is no report of this release: {error.errors()[0]['msg']}"
        ) from None


def _changed(before: Side, after: Side) -> list[str]:
    """With what else than another memory the sides were held."""
    lines = []
    if before[1] != after[1]:
        lines.append(f"strategy: {before[1]} -> {after[1]}")
    for name in ("model", "settings"):
        old = {str(getattr(report.plan, name)) for report in before[0]}
        new = {str(getattr(report.plan, name)) for report in after[0]}
        if old != new:
            lines.append(f"{name}: {', '.join(sorted(old))} -> {', '.join(sorted(new))}")
    return lines


def _show(found: Sequence[Pair], console: Console) -> None:
    moved = [pair for pair in found if pair.before != pair.after]
    if not moved:
        console.print("Each probe has the same verdict.")
        return
    table = Table("", "conversation", "turn", "asked", "before", "after")
    for pair in sorted(moved, key=lambda p: (not p.better, not p.worse)):
        way = "better" if pair.better else "worse" if pair.worse else "other"
        colour = {"better": "green", "worse": "red"}.get(way)
        table.add_row(
            way,
            pair.conversation,
            str(pair.turn),
            pair.asked or "nothing",
            pair.before,
            pair.after,
            style=colour,
        )
    console.print(table)


def _sums(found: Sequence[Pair], before: Side, after: Side) -> Table:
    table = Table("", "before", "after")
    verdicts = [[p.before for p in found], [p.after for p in found]]
    table.add_row("answered", *(f"{v.count('answered')} of {len(found)}" for v in verdicts))
    sides = [[report.strategies[name] for report in reports] for reports, name in (before, after)]
    table.add_row("tokens of the questions", *(f"{sum(s.tokens for s in e):,}" for e in sides))
    counted = [[s.sent for s in each if s.sent is not None] for each in sides]
    if all(counted):
        table.add_row("tokens of all turns", *(f"{sum(each):,}" for each in counted))
    return table


if __name__ == "__main__":
    cli()
