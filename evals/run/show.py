"""`python -m evals.run.show`: what the model saw when it was asked, under each strategy."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.rule import Rule

from evals.run.conversation import Conversation, ConversationError, shipped
from evals.run.plan import Kept, PlanError, recalled_run
from evals.run.records import Asked, RecordsError, Sent, TurnRecord, read_records
from evals.run.strategies import OURS, STRATEGIES
from evals.run.stretch import Course, course
from evals.run.verdict import verdict

cli = typer.Typer(add_completion=False)


@cli.command()
def main(
    name: Annotated[str, typer.Argument(help="The conversation, or its file.")],
    fact: Annotated[str, typer.Argument(help="What was asked for; empty: every probe.")] = "",
    strategy: Annotated[
        str, typer.Option(help=f"{OURS}, {', '.join(STRATEGIES)}; or all, one after the other.")
    ] = OURS,
    out: Annotated[Path, typer.Option(help="Folder of the run.")] = Path("build/evals/run"),
) -> None:
    """Print the request of each probe that was held, what came back, and the verdict."""
    console = Console(soft_wrap=not sys.stdout.isatty())
    try:
        kept = recalled_run(out)
        chosen = _chosen(kept, strategy)
        conversation = _named(kept, name)
        held = course(conversation, seed=kept.plan.seed, turns=kept.plan.turns)
        for record in read_records(out / f"{conversation.name}.jsonl"):
            probe = held.turns[record.turn - 1].probe
            if record.asked and probe and fact in {"", probe.fact}:
                for each in chosen:
                    _show(console, held, record, record.asked, each)
    except (ConversationError, PlanError, RecordsError) as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None


def seen(held: Course, turn: int, asked: Asked, strategy: str) -> list[Sent]:
    """The messages that the model got in `turn` under `strategy`."""
    if strategy == OURS:
        return asked.request
    return STRATEGIES[strategy](asked.request, held.turns[: turn - 1])


def _named(kept: Kept, name: str) -> Conversation:
    """The conversation of that name or file. Raises ConversationError, and PlanError for others."""
    held = shipped(kept.plan.conversations)
    given = kept.plan.conversations or [each.name for each in held]
    for path, each in zip(given, held, strict=True):
        if name in {path, each.name}:
            return each
    raise PlanError(f"the run holds {', '.join(each.name for each in held)}, and no {name!r}")


def _chosen(kept: Kept, strategy: str) -> list[str]:
    """Raises PlanError for a strategy that the run did not ask under."""
    asked = [*kept.plan.strategies, OURS]
    if strategy == "all":
        return asked
    if strategy not in asked:
        raise PlanError(
            f"the run did not ask under {strategy!r}, but under {', '.join(asked)}: hold it with "
            "--strategies"
        )
    return [strategy]


def _show(console: Console, held: Course, record: TurnRecord, asked: Asked, strategy: str) -> None:
    turn = held.turns[record.turn - 1]
    reply = asked.reply if strategy == OURS else asked.others[strategy].reply
    name = turn.probe.fact if turn.probe else ""
    tokens = record.request_tokens
    if strategy != OURS:
        tokens = asked.others[strategy].request_tokens
    title = f"turn {record.turn}, {name or 'nothing'}, under {strategy}: {tokens:,} tokens"
    console.print(Rule(title))
    for message in seen(held, record.turn, asked, strategy):
        console.print(f"--- {message.role}\n{message.content}", markup=False, highlight=False)
    console.print(f"--- reply\n{reply}", markup=False, highlight=False)
    if turn.probe is not None:
        given = verdict(reply, turn.probe, held.standing(name, record.turn), held.conversation)
        console.print(f"--- {given}", markup=False)


if __name__ == "__main__":
    cli()
