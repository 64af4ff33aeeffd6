"""One contestant in a process of its own: reads orders, a line each, and answers with the times."""

import asyncio
import gc
import json
import logging
import os
import sys
from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer

from evals.bench.contestant import Contestant, Place, opener
from evals.bench.conversation import Exchange, conversation
from evals.bench.play import play
from evals.bench.timing import READY


class _Warnings(logging.Handler):
    """Counts what the contestant warns of, by the form of the text."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.counts: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        self.counts[str(record.msg)] += 1


def work(
    name: Annotated[str, typer.Argument(help="The contestant.")],
    database: Annotated[str, typer.Option(help="URL of its database.")],
    model_url: Annotated[str, typer.Option(help="Base URL of the model.")],
    turns: Annotated[int, typer.Option(help="Turns of the conversation.")],
    seed: Annotated[int, typer.Option(help="Seed of the conversation.")] = 0,
) -> None:
    """Play what each line of the input orders: `{"first": 1, "count": 25, "pause": 0}`."""
    place = Place(database=database, model_url=model_url)
    asyncio.run(_work(name, place, conversation(turns, seed)))


async def _work(name: str, place: Place, exchanges: list[Exchange]) -> None:
    warnings = _Warnings()
    logging.getLogger().addHandler(warnings)
    async with opener(name)(place) as contestant:
        _print(READY)
        while line := await asyncio.to_thread(sys.stdin.readline):
            _print(await _block(contestant, exchanges, json.loads(line), warnings))


async def _block(
    contestant: Contestant,
    exchanges: list[Exchange],
    order: dict[str, float],
    warnings: _Warnings,
) -> str:
    first, count = int(order["first"]), int(order["count"])
    said = exchanges[first - 1 : first - 1 + count]
    gc.collect()
    block = await play(contestant, said, first=first, pause=order["pause"])
    return json.dumps({**asdict(block), "warnings": warnings.counts})


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    for variable in [each for each in os.environ if each.startswith(("LONGHAUL_", "OPENAI_"))]:
        del os.environ[variable]
    typer.run(work)
