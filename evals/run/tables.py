"""A report as tables for the terminal."""

import sys

from rich.console import Console
from rich.table import Table

from evals.run.report import Report
from evals.run.sides import COLUMNS, Times, cells

_WIDE = 200


def report_console() -> Console:
    """As wide as the terminal; wide where the output goes to a file."""
    return Console() if sys.stdout.isatty() else Console(width=_WIDE)


def show(found: Report, timed: Times, console: Console) -> None:
    """Prints the tables."""
    table = Table("conversation", "turn", "asked", "verdict", "blame", title="Probes")
    for result in found.conversations:
        for probe in result.probes:
            told = f"{probe.blame}: {probe.why}" if probe.blame else ""
            table.add_row(
                result.name, str(probe.turn), probe.fact or "nothing", probe.verdict, told
            )
    console.print(table)
    console.print(_sums(found))
    if len(found.strategies) > 1:
        console.print(side_by_side(found, timed))
    for result in found.conversations:
        if result.stopped:
            console.print(f"{result.name}: {result.held} of {result.turns} turns: {result.stopped}")
    if found.note:
        console.print(found.note)


def _sums(found: Report) -> Table:
    table = Table("conversation", "turns", "answered", "told", "compactions", "calls", "tokens")
    for result in found.conversations:
        told = [probe.told for probe in result.probes if probe.told is not None]
        answered = sum(probe.verdict == "answered" for probe in result.probes)
        table.add_row(
            result.name,
            f"{result.held} of {result.turns}",
            f"{answered} of {len(result.probes)}",
            f"{sum(told)} of {len(told)}",
            str(len(result.compactions)),
            str(result.calls),
            str(result.tokens),
        )
    return table


def side_by_side(found: Report, timed: Times) -> Table:
    """The strategies: what each answered, sent, cost, and how long it let one wait."""
    table = Table(*COLUMNS, title="Side by side")
    for name, side in found.strategies.items():
        table.add_row(*cells(name, side, found.currency, timed))
    return table
