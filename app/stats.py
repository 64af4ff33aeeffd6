"""`longhaul stats`: how the releases did, for a thousand conversations."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.names import thread_id
from app.own_graph import with_database
from app.review import ALL
from graph.database import Database
from graph.environment import read_settings
from graph.prices import read_prices
from graph.stats import Line, Stats, stats
from memory import counts, erase
from state.counts import GAP_NAMES, Counts

_WIDE = 100
"""Columns of a terminal from which on a row a release is readable."""
_RATES = ("turns", "corrections", "asked_again", "input_tokens", "output_tokens")


def show_stats(
    thread: Annotated[str, typer.Option(help="Name or id of the thread; all: every one.")] = ALL,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show by release what a thousand conversations cost, and how often the bot was corrected."""
    file = read_settings().prices
    prices = read_prices(file) if file else None

    async def run(database: Database) -> list[Counts]:
        store = database.store
        ids = await erase.threads(store) if thread == ALL else [thread_id(thread)]
        return await counts.read(store, ids)

    found = stats(with_database(run), prices)
    if as_json:
        typer.echo(json.dumps(plain(found), indent=2, ensure_ascii=False))
    else:
        show(found, Console(highlight=False))


def plain(found: Stats) -> dict[str, Any]:
    """`found` as JSON values: sums as they are, and rates for a thousand conversations."""
    return {
        "currency": found.currency,
        "unpriced": found.unpriced,
        "releases": [_plain(line) for line in found.lines],
        "total": _plain(found.total) if found.total else None,
    }


def show(found: Stats, console: Console) -> None:
    """Prints what a thousand conversations come to, and the gaps between turns."""
    if found.total is None:
        console.print("nothing was counted yet")
        return
    lines = [*found.lines, found.total]
    for table in (_rates(lines, found.currency), _gaps(lines)):
        console.print(turned(table) if console.width < _WIDE else table)
    if found.unpriced:
        console.print(Text(f"no price for: {', '.join(found.unpriced)}"))
    elif not found.currency:
        console.print("LONGHAUL_PRICES names no file of prices, so there are no costs")


def _plain(line: Line) -> dict[str, Any]:
    rates = {name: line.per_thousand(getattr(line, name)) for name in _RATES}
    if line.cost is not None:
        rates["cost"] = line.per_thousand(line.cost)
    gaps = dict(zip(GAP_NAMES, line.gaps, strict=True))
    more = {"cached_share": line.cached_share, "gaps": gaps, "per_thousand_conversations": rates}
    return asdict(line) | more


def _rates(lines: Sequence[Line], currency: str) -> Table:
    cost = f"cost, {currency}" if currency else "cost"
    table = _table(
        "For a thousand conversations",
        *("conversations", "turns", "corrections", "asked again", "tokens in", "cached"),
        *("tokens out", cost),
    )
    for line in lines:
        share, spent = line.cached_share, line.cost
        table.add_row(
            Text(line.release),
            f"{line.conversations:,}",
            *(f"{line.per_thousand(getattr(line, name)):,.0f}" for name in _RATES[:4]),
            "-" if share is None else f"{share:.0%}",
            f"{line.per_thousand(line.output_tokens):,.0f}",
            "-" if spent is None else f"{line.per_thousand(spent):,.2f}",
        )
    return table


def _gaps(lines: Sequence[Line]) -> Table:
    table = _table("Time since the turn before", *GAP_NAMES)
    for line in lines:
        every = sum(line.gaps)
        shares = (f"{gap / every:.0%}" if every else "-" for gap in line.gaps)
        table.add_row(Text(line.release), *shares)
    return table


def turned(table: Table) -> Table:
    """The same with a column a release: what is wide becomes long."""
    heads, *rows = [list(column.cells) for column in table.columns]
    names = [str(column.header) for column in table.columns][1:]
    other = Table(title=table.title, title_justify="left", title_style="bold")
    other.add_column("")
    for release in heads:
        other.add_column(release, justify="right", overflow="fold")
    for name, cells in zip(names, rows, strict=True):
        other.add_row(name, *cells)
    return other


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("release")
    for column in columns:
        table.add_column(column, justify="right")
    return table
