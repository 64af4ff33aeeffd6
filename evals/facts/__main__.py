"""`python -m evals.facts`: precision and recall of the facts that a model finds."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from evals.facts.cases import Case, read_cases
from evals.facts.score import Score, Stage, scored
from graph.models import Models
from graph.resources import ModelServer
from graph.settings import Settings, read_settings
from nodes.asking import ModelError
from nodes.structured import ask_for
from prompts.extractor import as_written, extract_request
from state.operations import Operations, operations_schema

cli = typer.Typer(add_completion=False)


async def asked(settings: Settings, cases: list[Case], console: Console) -> dict[str, Any]:
    """What the extract model says of each exchange, by id; null where it failed."""
    server = ModelServer(lambda: settings)
    said: dict[str, Any] = {}
    models = Models(settings=lambda: settings, endpoint=server.url)
    try:
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
    finally:
        await models.close()
        await server.close()
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
) -> None:
    """Ask for the facts of each shipped exchange and print how right they are."""
    console = Console()
    cases = read_cases()
    if answers is not None:
        said = json.loads(answers.read_text(encoding="utf-8"))
        cases = [case for case in cases if case.id in said]
    else:
        settings = read_settings(**({"extract_model": model} if model else {}))
        said = asyncio.run(asked(settings, cases, console))
    if save is not None:
        save.write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    scores = scored((case, read(case, said)) for case in cases)
    final = scores["with the net"]
    for name, lines in (("wrong", final.wrong), ("missed", final.missed)):
        for line in lines:
            console.print(f"{name}  {line}", markup=False)
    failed = sum(each is None for each in said.values())
    console.print(table(scores))
    console.print(f"{len(cases)} exchanges, {failed} of them not answered")


if __name__ == "__main__":
    cli()
