"""What a suite found, and whether that is enough: as tables, as JSON and as an exit code."""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table

from graph.settings import Settings

FOLDER = Path(__file__).parents[1] / "thresholds"
"""The shipped files of what must be reached: with the stand-in, and with a model."""
_WIDE = 160
RULES = "rules"
"""In place of a model's name, for a part that asks none."""

Limits = Annotated[
    Path | None,
    typer.Option("--thresholds", help="TOML file of what must be reached; none: as shipped."),
]
Written = Annotated[Path | None, typer.Option("--json", help="Write the result here.")]


class ThresholdError(ValueError):
    """A file of thresholds cannot be used; the message names it and the fault."""


class Result(BaseModel):
    """What a suite found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    suite: str
    model: str
    """Who answered, or `rules`."""
    figures: dict[str, Annotated[float, Field(ge=0, le=1)]]
    """Shares, of which more is better."""
    faults: list[str]
    """What was wrong, a line each."""


def shipped(settings: Settings) -> Path:
    """The shipped thresholds for the model that `settings` name."""
    return FOLDER / ("standin.toml" if settings.stand_in else "model.toml")


def section(path: Path, name: str) -> dict[str, Any]:
    """Table `name` of a file of thresholds, empty if it has none. Raises ThresholdError."""
    try:
        return dict(tomllib.loads(path.read_text(encoding="utf-8")).get(name, {}))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ThresholdError(f"{path}: {error}") from None


def short(result: Result, path: Path) -> list[str]:
    """What falls short of the file at `path`, a line each. Raises ThresholdError."""
    wanted = section(path, result.suite)
    for name, least in wanted.items():
        if name not in result.figures:
            known = ", ".join(result.figures)
            raise ThresholdError(f"{path}: {result.suite} has no figure {name!r}, but {known}")
        if not isinstance(least, int | float) or not 0 <= least <= 1:
            raise ThresholdError(f"{path}: {result.suite} {name} = {least!r} is no share")
    found = result.figures
    return [
        f"{result.suite}: {name} {found[name]:.3f}, wanted {least:.3f}"
        for name, least in wanted.items()
        if found[name] < least
    ]


def finish(
    result: Result, tables: Sequence[Table], limits: Path, written: Path | None, console: Console
) -> None:
    """Prints and writes `result`. Raises typer.Exit: 1 below a threshold, 2 for a bad file."""
    for fault in result.faults:
        console.print(fault, markup=False, highlight=False)
    for table in tables:
        console.print(table)
    if written is not None:
        written.write_text(result.model_dump_json(indent=1) + "\n", encoding="utf-8")
    try:
        lines = short(result, limits)
    except ThresholdError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    for line in lines:
        console.print(line, style="red", markup=False)
    if lines:
        raise typer.Exit(1)


def share(part: int, whole: int) -> float:
    """How much of `whole` the part is; all of nothing is 1."""
    return part / whole if whole else 1.0


def wide_console() -> Console:
    """The terminal; what goes into a file or a log is not cut to a terminal's width."""
    return Console() if sys.stdout.isatty() else Console(width=_WIDE)
