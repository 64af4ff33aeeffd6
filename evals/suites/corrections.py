"""`python -m evals.suites.corrections`: whether it is noticed that the user corrects the bot."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from evals.suites.asking import opened
from evals.suites.detection import Detection, Material, MaterialError, Seen, detected, read_material
from evals.suites.result import RULES, Limits, Result, Written, finish, shipped, wide_console
from graph.environment import read_settings
from graph.settings import Settings
from nodes.corrections import Corrections
from state.corrections import corrects
from state.said import Said

MATERIAL = Path(__file__).with_name("material") / "corrections.toml"

cli = typer.Typer(add_completion=False)


def score(material: Material) -> Detection:
    """What the rule saw of the labelled messages."""
    return detected(material.messages, [Seen(corrects(m.message.says)) for m in material.messages])


async def judged(material: Material, settings: Settings) -> Detection:
    """The same where the extract model is asked about what the rule does not see."""
    async with opened(settings) as models:
        detector = Corrections(
            models=models, judged=lambda: True, seconds=lambda: settings.turn_timeout
        )
        seen = [
            Seen(await detector.told(Said(2, "", m.message.after, m.message.says, "")))
            for m in material.messages
        ]
    return detected(material.messages, seen)


def result(found: Detection, model: str = RULES) -> Result:
    """What is kept of it."""
    return Result(suite="corrections", model=model, figures=found.figures, faults=found.faults)


@cli.command()
def main(
    file: Annotated[Path, typer.Option(help="The labelled messages.")] = MATERIAL,
    judge: Annotated[
        bool, typer.Option("--judge", help="Also ask the extract model, as JUDGE_CORRECTIONS does.")
    ] = False,
    thresholds: Limits = None,
    json: Written = None,
) -> None:
    """Say how often the bot notices that it is corrected, and how often for nothing."""
    console = wide_console()
    settings = read_settings()
    try:
        material = read_material(file)
    except MaterialError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    found = asyncio.run(judged(material, settings)) if judge else score(material)
    model = settings.extract_model or settings.default_model
    told = result(found, model) if judge else result(found)
    table = found.table("Does the user correct the bot?")
    finish(told, [table], thresholds or shipped(settings), json, console)


if __name__ == "__main__":
    cli()
