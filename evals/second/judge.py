"""`evals judge --model NAME`: a model's opinion of the verdicts of a run, beside the rules'."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table

from evals.progress import progress_bars
from evals.run.conversation import ConversationError
from evals.run.plan import PlanError
from evals.run.verdict import Verdict
from evals.second.probes import Asked, asked_in, read_report
from evals.suites.asking import opened
from evals.suites.result import share, wide_console
from graph.environment import read_settings
from graph.settings import Settings
from nodes.asking import Candidate, ModelError
from nodes.structured import ask_for
from prompts.markup import cut_middle, escaped

_REPLY_TOKENS = 1000

cli = typer.Typer(add_completion=False)


class Opinion(BaseModel):
    """What the model answers."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    verdict: Verdict
    why: str = Field("", max_length=400)


@dataclass(frozen=True)
class Judged:
    """A probe and the opinion of it; None where the model gave none."""

    asked: Asked
    opinion: Opinion | None

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.opinion is not None and self.opinion.verdict == self.asked.verdict


def request(asked: Asked) -> list[BaseMessage]:
    """What the model is sent about a probe. It is not told what the rules say."""
    parts = {
        "question": asked.question,
        "right": asked.right,
        "earlier": "; ".join(asked.earlier),
        "answer": cut_middle(asked.reply, _REPLY_TOKENS),
    }
    told = "\n".join(f"<{name}>{escaped(words)}</{name}>" for name, words in parts.items() if words)
    prompt = files(__package__).joinpath("judge.md").read_text(encoding="utf-8")
    return [SystemMessage(prompt), HumanMessage(told)]


async def judged(probes: Sequence[Asked], settings: Settings, console: Console) -> list[Judged]:
    """The opinions of the extract model that `settings` name, one after the other."""
    done: list[Judged] = []
    async with opened(settings) as models:
        judges = await models.extractors()
        with progress_bars() as progress:
            bar = progress.add_task(judges[0].name, total=len(probes))
            for each in probes:
                done.append(Judged(each, await _opinion(each, judges, settings, console)))
                progress.advance(bar)
    return done


async def _opinion(
    asked: Asked, judges: Sequence[Candidate], settings: Settings, console: Console
) -> Opinion | None:
    try:
        return await ask_for(Opinion, judges, request(asked), seconds=settings.turn_timeout)
    except ModelError as error:
        console.print(f"{asked.name}: {error}", style="red", markup=False)
        return None


def agreement(found: Sequence[Judged]) -> float:
    """Share of the opinions that say what the rules say."""
    given = [each for each in found if each.opinion is not None]
    return share(sum(each.agrees for each in given), len(given))


def table(found: Sequence[Judged]) -> Table:
    """The probes on which they differ."""
    drawn = Table("conversation", "turn", "asked", "right", "reply", "rules", "judge", "why")
    for each in found:
        if each.opinion is not None and not each.agrees:
            asked = each.asked
            drawn.add_row(
                asked.conversation,
                str(asked.turn),
                asked.fact or "nothing",
                asked.right,
                asked.reply[:200],
                asked.verdict,
                each.opinion.verdict,
                each.opinion.why,
            )
    return drawn


def plain(found: Sequence[Judged], model: str) -> str:
    """All opinions as JSON."""
    rows = [
        {
            "conversation": each.asked.conversation,
            "turn": each.asked.turn,
            "fact": each.asked.fact,
            "rules": each.asked.verdict,
            "judge": each.opinion.verdict if each.opinion else None,
            "why": each.opinion.why if each.opinion else "",
        }
        for each in found
    ]
    told = {"model": model, "agreement": round(agreement(found), 4), "opinions": rows}
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"


@cli.command()
def main(
    model: Annotated[str, typer.Option(help="Which model judges.")],
    out: Annotated[Path, typer.Option(help="Folder of the run.")] = Path("build/evals/run"),
) -> None:
    """Ask a model for its verdict on each probe of a run, and show where it differs."""
    console = wide_console()
    settings = read_settings(extract_model=model).model_copy(update={"fallback_model": None})
    try:
        probes = list(asked_in(read_report(out)))
    except (ConversationError, PlanError) as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    found = asyncio.run(judged(probes, settings, console))
    (out / "opinions.json").write_text(plain(found, model), encoding="utf-8")
    console.print(table(found))
    given = sum(each.opinion is not None for each in found)
    console.print(f"{model} judged {given} of {len(found)}; the same as the rules: ", end="")
    console.print(f"{agreement(found):.0%}")


if __name__ == "__main__":
    cli()
