"""`longhaul review`: what happened to the memory, by week."""

import csv
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, fields
from itertools import groupby
from pathlib import Path
from typing import Annotated, TextIO

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.chat import printable
from app.names import thread_id
from app.own_graph import with_database
from graph.build import utc_now
from graph.database import Database
from memory import erase
from memory.review import entries, monday
from state.review import Entry

ALL = "all"
_WIDE = 100
"""Columns of a terminal from which on a table is readable."""
_COLUMNS = ("date", "turn", "event", "kind", "value", "before", "why, or the words")


def review(
    thread: Annotated[str, typer.Option(help="Name or id of the thread; all: every one.")] = ALL,
    weeks: Annotated[int, typer.Option(min=1, help="How many weeks, this one too.")] = 4,
    path: Annotated[
        str, typer.Option("--csv", help="Write CSV to this file instead; -: to the output.")
    ] = "",
) -> None:
    """Show by week what changed in the facts, what was not believed, and what was missed."""

    async def run(database: Database) -> list[Entry]:
        store, since = database.store, monday(utc_now(), weeks)
        ids = await erase.threads(store) if thread == ALL else [thread_id(thread)]
        return [entry for each in ids for entry in await entries(store, each, since)]

    found = sorted(with_database(run), key=lambda e: (e.week, e.thread, e.at, e.turn))
    if path:
        write_csv(found, path)
    else:
        show(found, Console(highlight=False), apart=thread == ALL)


def write_csv(found: Sequence[Entry], path: str) -> None:
    """Writes an entry a row, with a header, to the file at `path`, or to the output for `-`."""
    with nullcontext(sys.stdout) if path == "-" else _file(path) as file:
        writer = csv.DictWriter(
            file, [*(f.name for f in fields(Entry)), "missed"], lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows({**asdict(entry), "missed": int(entry.missed)} for entry in found)
    if path != "-":
        typer.echo(f"{len(found)} rows in {path}")


def _file(path: str) -> TextIO:
    try:
        return Path(path).open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise typer.BadParameter(f"{path!r}: {error.strerror}", param_hint="--csv") from None


def show(found: Sequence[Entry], console: Console, *, apart: bool) -> None:
    """Prints a table a week; `apart`: with a column that tells threads apart."""
    if not found:
        console.print("nothing happened to the memory in these weeks")
    for week, group in groupby(found, key=lambda entry: entry.week):
        happened = list(group)
        if console.width < _WIDE:
            _list(week, happened, console, apart=apart)
        else:
            console.print(_table(week, happened, apart=apart))
        console.print(Text(_sum(happened)), style="dim")


def _table(week: str, happened: Sequence[Entry], *, apart: bool) -> Table:
    table = Table(title=f"Week {week}", title_justify="left", title_style="bold")
    for column in ("thread", *_COLUMNS) if apart else _COLUMNS:
        table.add_column(column, justify="right" if column == "turn" else "left")
    for entry in happened:
        cells = [
            entry.at[:10],
            str(entry.turn),
            entry.event,
            entry.kind,
            entry.value,
            entry.before,
            entry.reason or entry.quote,
        ]
        # A thread's words must drive neither the terminal nor Rich's markup.
        row = [Text(printable(cell)) for cell in ([entry.thread[:8], *cells] if apart else cells)]
        table.add_row(*row, style="yellow" if entry.missed else None)
    return table


def _list(week: str, happened: Sequence[Entry], console: Console, *, apart: bool) -> None:
    """An entry a paragraph, for a terminal in which the columns would be a word wide."""
    console.print(Text(f"Week {week}"), style="bold")
    for entry in happened:
        thread = f"{entry.thread[:8]}  " if apart else ""
        before = f" (before: {entry.before})" if entry.before else ""
        words = entry.reason or entry.quote
        lines = [
            f"{thread}{entry.at[:10]}  t{entry.turn}  {entry.event}",
            f"  {entry.kind}: {entry.value}{before}",
            *([f"  {words}"] if words else []),
        ]
        for line in lines:
            console.print(Text(printable(line)), style="yellow" if entry.missed else None)


def _sum(happened: Sequence[Entry]) -> str:
    events = Counter(entry.event for entry in happened)
    told = ", ".join(f"{event} {count}" for event, count in events.most_common())
    return f"{told}; suspected misses: {sum(entry.missed for entry in happened)}\n"
