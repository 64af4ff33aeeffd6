"""`evals upload --dataset NAME`: the probes of a run as an experiment in LangSmith, when asked."""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID, uuid4, uuid5

import typer
from langsmith import Client
from langsmith.utils import LangSmithError

from evals.run.conversation import ConversationError
from evals.run.plan import Plan, PlanError, recalled_run
from evals.second.probes import Asked, asked_in, read_report
from evals.suites.result import wide_console

KEY, ENDPOINT = "LANGSMITH_API_KEY", "LANGSMITH_ENDPOINT"
SCORE = "answered"

cli = typer.Typer(add_completion=False)


def upload(
    client: Client, dataset: str, experiment: str, plan: Plan, probes: Sequence[Asked]
) -> None:
    """Sends each probe: as an example of `dataset`, once, and as a scored run of `experiment`.

    Question, right value, reply, verdict and blame go; what the model was sent does not.
    Raises LangSmithError.
    """
    if client.has_dataset(dataset_name=dataset):
        where = client.read_dataset(dataset_name=dataset)
    else:
        where = client.create_dataset(dataset, description="Probes of long conversations.")
    ids = {each: _example_id(where.id, each) for each in probes}
    there = {example.id for example in client.list_examples(dataset_id=where.id)}
    new = [_example(ids[each], each) for each in probes if ids[each] not in there]
    if new:
        client.create_examples(dataset_id=where.id, examples=new)
    project = client.create_project(
        experiment, reference_dataset_id=where.id, metadata=plan.model_dump(mode="json")
    )
    now = datetime.now(UTC)
    for each in probes:
        run = uuid4()
        client.create_run(
            each.name,
            _inputs(each),
            "chain",
            id=run,
            trace_id=run,
            project_name=experiment,
            outputs={"reply": each.reply},
            reference_example_id=ids[each],
            start_time=now,
            end_time=now,
        )
        client.create_feedback(
            run,
            key=SCORE,
            score=each.verdict == SCORE,
            value=each.verdict,
            comment=f"{each.blame}: {each.why}" if each.blame else None,
            session_id=project.id,
        )


def _inputs(asked: Asked) -> dict[str, Any]:
    return {"question": asked.question, "conversation": asked.conversation, "turn": asked.turn}


def _example(id: UUID, asked: Asked) -> dict[str, Any]:
    outputs = {"right": asked.right, "earlier": list(asked.earlier)}
    return {"id": id, "inputs": _inputs(asked), "reference_outputs": outputs}


def _example_id(dataset: UUID, asked: Asked) -> UUID:
    """The same for the same question in every run, so that experiments stand side by side."""
    return uuid5(dataset, f"{asked.name}\n{asked.question}\n{asked.right}")


@cli.command()
def main(
    dataset: Annotated[str, typer.Option(help="The data set, made if it is not there.")],
    out: Annotated[Path, typer.Option(help="Folder of the run.")] = Path("build/evals/run"),
) -> None:
    """Send the probes of a run to LangSmith, for which LANGSMITH_API_KEY must be set."""
    console = wide_console()
    if not (key := os.environ.get(KEY)):
        raise typer.BadParameter(f"{KEY} is not set: nothing was sent")
    try:
        kept, probes = recalled_run(out), list(asked_in(read_report(out)))
    except (ConversationError, PlanError) as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    client = Client(os.environ.get(ENDPOINT), api_key=key, auto_batch_tracing=False)
    experiment = f"{dataset}-{kept.id}-{uuid4().hex[:6]}"
    try:
        upload(client, dataset, experiment, kept.plan, probes)
    except LangSmithError as error:
        console.print(f"LangSmith: {error}", style="red", markup=False)
        raise typer.Exit(1) from None
    console.print(f"{len(probes)} probes are in {dataset!r}, as {experiment!r}", markup=False)


if __name__ == "__main__":
    cli()
