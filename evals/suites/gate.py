"""`python -m evals.suites.gate`: whether recall searches when it should, and only then."""

from pathlib import Path
from typing import Annotated

import typer

from evals.suites.detection import Detection, Material, MaterialError, Seen, detected, read_material
from evals.suites.result import RULES, Limits, Result, Written, finish, shipped, wide_console
from graph.environment import read_settings
from state.refers_back import refers_back

MATERIAL = Path(__file__).with_name("material") / "gate.toml"

cli = typer.Typer(add_completion=False)


def score(material: Material) -> Detection:
    """What the gate let through of the labelled messages."""
    decisions = [
        refers_back(
            each.message.says,
            window=[each.message.after] if each.message.after else material.window,
            left=True,
            when="auto",
        )
        for each in material.messages
    ]
    return detected(material.messages, [Seen(d.search, d.reason) for d in decisions])


def result(found: Detection) -> Result:
    """What is kept of it."""
    return Result(suite="gate", model=RULES, figures=found.figures, faults=found.faults)


@cli.command()
def main(
    file: Annotated[Path, typer.Option(help="The labelled messages.")] = MATERIAL,
    thresholds: Limits = None,
    json: Written = None,
) -> None:
    """Say how often recall searches when it should, and when it should not."""
    console = wide_console()
    try:
        found = score(read_material(file))
    except MaterialError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    limits = thresholds or shipped(read_settings())
    finish(result(found), [found.table("Should it have searched?")], limits, json, console)


if __name__ == "__main__":
    cli()
