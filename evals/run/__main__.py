"""`python -m evals.run`: hold conversations that know their answers, judge, show."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from app.model_server import standin
from app.model_server.script import Answer
from evals.progress import progress_bars
from evals.report.page import page
from evals.report.picture import draw
from evals.run.conversation import ConversationError, shipped
from evals.run.gateway import Meter
from evals.run.plan import Kept, Plan, PlanError, begun, recalled_run
from evals.run.records import RecordsError
from evals.run.report import Report, report
from evals.run.run import Hall, Outcome, run, so_far
from evals.run.sides import Times, times
from evals.run.strategies import STRATEGIES
from evals.run.stretch import Course, course
from evals.run.tables import report_console, show
from evals.run.thresholds import missed, read_thresholds
from evals.run.upstream import Upstream
from graph.environment import SettingsError, read_settings
from graph.prices import read_prices
from graph.settings import Settings

cli = typer.Typer(add_completion=False)


@cli.command()
def main(  # noqa: PLR0917
    names: Annotated[
        list[str] | None, typer.Argument(help="Conversations or files; none: all.")
    ] = None,
    turns: Annotated[int, typer.Option(help="Stretch each to so many turns; 0: as written.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the filler and its places.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder of the run; an old one goes on.")] = Path(
        "build/evals/run"
    ),
    change: Annotated[
        list[str] | None, typer.Option("--set", help="A setting, as high_mark=1500.")
    ] = None,
    strategies: Annotated[
        str, typer.Option(help=f"Also ask under: {', '.join(STRATEGIES)}; or all.")
    ] = "",
    parallel: Annotated[int, typer.Option(min=1, help="Conversations at once.")] = 3,
    calls: Annotated[int, typer.Option(help="Most calls of the model; 0: no cap.")] = 0,
    tokens: Annotated[int, typer.Option(help="Most tokens; 0: no cap.")] = 0,
    thresholds: Annotated[
        Path | None, typer.Option(help="TOML file of what must be reached; else exit code 1.")
    ] = None,
    judge: Annotated[
        bool, typer.Option("--judge", help="Hold nothing: judge what OUT holds, by its own plan.")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option(help="SVG file for a picture of the strategies.")
    ] = None,
    data: Annotated[Path, typer.Option(help="Folder of the services.")] = Path(".longhaul/evals"),
) -> None:
    """Hold the conversations, ask what was planted, and say which part lost what."""
    console = report_console()
    try:
        person = read_settings(data=data)
        prices = read_prices(person.prices) if person.prices else None
        plan = Plan(
            conversations=tuple(names or ()),
            seed=seed,
            turns=turns,
            model=person.default_model,
            strategies=_chosen(strategies),
            settings=dict(_setting(each) for each in change or ()),
        )
        kept = recalled_run(out) if judge else begun(out, plan)
        outcomes = so_far(out, _courses(kept.plan))
        try:
            if not judge:
                caps = Meter(most_calls=calls, most_tokens=tokens)
                _hold(out, kept, person, outcomes, caps=caps, parallel=parallel)
        finally:
            # Also of a run that is interrupted: up to there.
            found = report(kept.plan, outcomes, prices)
            timed = times(outcomes)
            _write(out, found, timed)
            if picture:
                picture.write_text(draw(found), encoding="utf-8")
        show(found, timed, console)
        _judge(found, thresholds, console)
    except (ConversationError, PlanError, RecordsError, SettingsError) as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None


def _write(out: Path, found: Report, timed: Times) -> None:
    """The same run gives the same report.json; what no two runs share stands in times.json."""
    (out / "report.json").write_text(found.model_dump_json(indent=1) + "\n", encoding="utf-8")
    (out / "times.json").write_text(json.dumps(timed, indent=1) + "\n", encoding="utf-8")
    (out / "report.html").write_text(page(found, timed), encoding="utf-8")


def _courses(plan: Plan) -> list[Course]:
    return [course(c, seed=plan.seed, turns=plan.turns) for c in shipped(plan.conversations)]


def _hold(
    out: Path,
    kept: Kept,
    person: Settings,
    outcomes: Sequence[Outcome],
    *,
    caps: Meter,
    parallel: int,
) -> None:
    with progress_bars() as progress, _model(person) as model:
        bars = {
            outcome.course.conversation.name: progress.add_task(
                outcome.course.conversation.name, total=len(outcome.course.turns)
            )
            for outcome in outcomes
        }

        def held(of: Course, turn: int) -> None:
            progress.update(bars[of.conversation.name], completed=turn)

        hall = Hall(folder=out, kept=kept, person=person, model=model, meter=caps, on_turn=held)
        asyncio.run(run(hall, outcomes, parallel=parallel))


def _judge(found: Report, thresholds: Path | None, console: Console) -> None:
    short = missed(found, read_thresholds(thresholds)) if thresholds else []
    for line in short:
        console.print(line, style="red", markup=False)
    if short:
        raise typer.Exit(1)


@contextmanager
def _model(person: Settings) -> Iterator[Answer]:
    """What answers: the stand-in in this process, or the server that the settings name."""
    if person.stand_in:
        yield standin.answer
        return
    upstream = Upstream(person)
    try:
        yield upstream
    finally:
        upstream.close()


def _chosen(given: str) -> tuple[str, ...]:
    names = tuple(STRATEGIES) if given == "all" else tuple(filter(None, given.split(",")))
    if unknown := [name for name in names if name not in STRATEGIES]:
        raise PlanError(f"{unknown[0]!r} is none of {', '.join(STRATEGIES)}")
    return names


def _setting(given: str) -> tuple[str, str]:
    name, sign, value = given.partition("=")
    if not sign or name not in Settings.model_fields:
        raise PlanError(f"{given!r} is no setting, as in high_mark=1500")
    return name, value


if __name__ == "__main__":
    cli()
