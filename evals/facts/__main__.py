"""`python -m evals.facts`: precision and recall of the facts that a model finds."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from evals.facts.cases import Case, read_cases
from evals.facts.score import Score, Stage, attribution, scored
from evals.suites.asking import opened
from evals.suites.result import Limits, Result, Written, finish, share, shipped, wide_console
from graph.environment import read_settings
from graph.settings import Settings
from nodes.asking import ModelError
from nodes.structured import ask_for
from prompts.extractor import as_written, extract_request
from state.operations import Operations, operations_schema

cli = typer.Typer(add_completion=False)


async def asked(settings: Settings, cases: list[Case], console: Console) -> dict[str, Any]:
    """What the extract model says of each exchange, by id; null where it failed."""
    said: dict[str, Any] = {}
    async with opened(settings) as models:
        for case in cases:
            try:
                operations = await ask_for(
                    Operations,
                    await models.extractors(),
                    extract_request([case.said], case.standing),
                    seconds=settings.turn_timeout,
                    schema=operations_schema(),
                )
            except ModelError as error:
                console.print(f"{case.id}: {error}", style="red", markup=False)
                said[case.id] = None
            else:
                said[case.id] = as_written(operations).model_dump()
    return said


def read(case: Case, said: Mapping[str, Any]) -> Operations:
    """What was said of an exchange; nothing where the model failed."""
    return Operations.model_validate(said[case.id] or {})


def table(scores: Mapping[Stage, Score]) -> Table:
    """The scores, a row a stage."""
    drawn = Table("facts", "precision", "recall", "wrong", "missed", "recall of identifiers")
    for stage, score in scores.items():
        shares = (score.precision, score.recall, score.identifier_recall)
        precision, recall, identifiers = (f"{share:.0%}" for share in shares)
        drawn.add_row(
            stage, precision, recall, str(len(score.wrong)), str(len(score.missed)), identifiers
        )
    return drawn


@cli.command()
def main(
    model: Annotated[str, typer.Option(help="The extract model; none: as the settings say.")] = "",
    save: Annotated[Path | None, typer.Option(help="Write here what the model said.")] = None,
    answers: Annotated[Path | None, typer.Option(help="Score what was saved; ask nobody.")] = None,
    thresholds: Limits = None,
    json_file: Written = None,
) -> None:
    """Ask for the facts of each shipped exchange and print how right they are."""
    console = wide_console()
    cases = read_cases()
    settings = read_settings(**({"extract_model": model} if model else {}))
    if answers is not None:
        said = json.loads(answers.read_text(encoding="utf-8"))
        cases = [case for case in cases if case.id in said]
    else:
        said = asyncio.run(asked(settings, cases, console))
    if save is not None:
        save.write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    scores = scored((case, read(case, said)) for case in cases)
    found = result(cases, said, settings.extract_model or settings.default_model)
    console.print(f"{len(cases)} exchanges, {_failed(said)} of them not answered")
    finish(found, [table(scores)], thresholds or shipped(settings), json_file, console)


def result(cases: Sequence[Case], said: Mapping[str, Any], model: str) -> Result:
    """What is kept of it: the facts as they are pinned, and whose words the model took them for."""
    answers = [(case, read(case, said)) for case in cases]
    final = scored(answers)["with the net"]
    return Result(
        suite="facts",
        model=model,
        figures={
            "precision": final.precision,
            "recall": final.recall,
            "identifiers": final.identifier_recall,
            "attribution": attribution(answers),
            "answered": share(len(cases) - _failed(said), len(cases)),
        },
        faults=[
            *(f"wrong  {line}" for line in final.wrong),
            *(f"missed  {line}" for line in final.missed),
        ],
    )


def _failed(said: Mapping[str, Any]) -> int:
    return sum(each is None for each in said.values())


if __name__ == "__main__":
    cli()
