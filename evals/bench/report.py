"""The figures as tables for a person, and as JSON for a program."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from evals.bench.bench import PAUSE_SECONDS, Result
from evals.bench.checks import SLOW_SECONDS, Check, checks
from evals.bench.figures import End, Figures, Spread
from evals.bench.lineup import OURS, TITLES

Row = Callable[[Figures], str]

_GAP = "reply's end to next token, ms: p50, p95, max"


def show(result: Result, console: Console) -> None:
    """Prints the tables."""
    console.print(_beside(result))
    if result.waiting:
        console.print(_waiting(result.waiting))
    if result.extracting is not None:
        console.print(_extracting(result.extracting))
    if result.old is not None and result.young is not None:
        console.print(_alone(result.old, result.young))
    console.print(_verdicts(_checks(result)))


def as_json(result: Result) -> str:
    """Everything that was measured, and the ratios of longhaul's figures to the others'."""
    ours = result.main.get(OURS)
    ratios = {name: _ratios(ours, each) for name, each in result.main.items()} if ours else {}
    plan = {k: v for k, v in asdict(result.plan).items() if k != "data"}
    found: dict[str, Any] = {
        "plan": plan,
        "counter": "state.tokens.count_messages",
        "bytes": "pg_database_size growth; log_bytes: pg_current_wal_insert_lsn",
        "contestants": {name: asdict(each) for name, each in result.main.items()},
        "ours_over_theirs": ratios,
        "slow_seconds": SLOW_SECONDS,
        "slow_summariser": {name: asdict(each) for name, each in result.waiting.items()},
        "slow_extractor": asdict(result.extracting) if result.extracting else None,
        "old": asdict(result.old) if result.old else None,
        "young": asdict(result.young) if result.young else None,
        "checks": [{**asdict(each), "holds": each.holds} for each in _checks(result)],
    }
    return json.dumps(found, indent=1) + "\n"


def _checks(result: Result) -> list[Check]:
    return checks(result.main, result.waiting, result.old, result.young)


def _beside(result: Result) -> Table:
    spans = result.spans
    first, last = (f"turns {s.start}-{s.stop - 1}" for s in (spans.first, spans.last))
    ours = result.main.get(OURS)
    rows: dict[str, Row] = {
        f"ms a turn, {first}": lambda f: f"{f.first.wall_ms:.0f}",
        f"ms a turn, {last}": lambda f: f"{f.last.wall_ms:.0f}",
        "longhaul's over theirs, first": lambda f: _over(ours, f, lambda e: e.first.wall_ms),
        "longhaul's over theirs, last": lambda f: _over(ours, f, lambda e: e.last.wall_ms),
        f"KB in Postgres a turn, {first}": lambda f: f"{f.first.database_bytes / 1000:.0f}",
        f"KB in Postgres a turn, {last}": lambda f: f"{f.last.database_bytes / 1000:,.0f}",
        f"input tokens a turn, {last}": lambda f: f"{f.last.tokens:,.0f}",
        "input tokens in all": lambda f: f"{f.total_tokens:,}",
        "input tokens of summariser and extractor": lambda f: f"{f.other_tokens:,}",
        "input that repeats the request before": lambda f: f"{f.repeated:.1%}",
        "planted values lost": lambda f: f"{f.fate.lost:.1%}",
        "message in to model called, ms": lambda f: f"{f.to_model_ms:.0f}",
        _GAP: lambda f: _spread(f.gap),
        "the same when a summary is due": lambda f: _spread(f.gap_due),
    }
    title = f"{spans.turns} turns, all contestants block by block in one run"
    return _table(title, rows, result.main)


def _waiting(waiting: Mapping[str, Figures]) -> Table:
    title = f"A summariser that takes {SLOW_SECONDS:g} s, a user who takes {PAUSE_SECONDS:g} s"
    rows: dict[str, Row] = {
        _GAP: lambda f: _spread(f.gap),
        "the same when a summary is due": lambda f: _spread(f.gap_due),
    }
    return _table(title, rows, waiting)


def _extracting(ours: Figures) -> Table:
    title = f"An extractor that takes {SLOW_SECONDS:g} s, a user who takes no time"
    rows: dict[str, Row] = {_GAP: lambda f: _spread(f.gap)}
    return _table(title, rows, {OURS: ours})


def _table(title: str, rows: Mapping[str, Row], columns: Mapping[str, Figures]) -> Table:
    table = _headed(title, "", *(TITLES[name] for name in columns))
    for label, row in rows.items():
        table.add_row(label, *(row(each) for each in columns.values()))
    return table


def _alone(old: Figures, young: Figures) -> Table:
    title = f"longhaul's last turns of {old.turns:,}, and another's first at the same time"
    table = _headed(title, "", "first", "last", "ratio")
    values: dict[str, Callable[[End], float]] = {
        "ms a turn": lambda e: e.wall_ms,
        "ms of the processor a turn": lambda e: e.cpu_ms,
        "KB in Postgres a turn": lambda e: e.database_bytes / 1000,
        "KB written to its log a turn": lambda e: e.log_bytes / 1000,
        "input tokens a turn": lambda e: e.tokens,
    }
    for label, value in values.items():
        one, two = value(young.first), value(old.last)
        table.add_row(label, f"{one:,.0f}", f"{two:,.0f}", f"{two / one:.2f}")
    return table


def _verdicts(made: list[Check]) -> Table:
    table = _headed("What must hold of longhaul", "", "figure", "bound", "verdict")
    for each in made:
        sign = "at most" if each.at_most else "at least"
        verdict = "holds" if each.holds else "falls short"
        table.add_row(each.what, f"{each.figure:.3f}", f"{sign} {each.bound:.3f}", verdict)
    return table


def _headed(title: str, *columns: str) -> Table:
    """An empty table that is Markdown as it is printed."""
    table = Table(title=title, box=box.MARKDOWN, title_justify="left", title_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column else "left")
    return table


def _spread(durations: Spread | None) -> str:
    if durations is None or not durations.count:
        return "-"
    return f"{durations.p50:,.0f}, {durations.p95:,.0f}, {durations.most:,.0f}"


def _over(ours: Figures | None, theirs: Figures, value: Callable[[Figures], float]) -> str:
    return "-" if ours is None else f"{value(ours) / value(theirs):.2f}"


def _ratios(ours: Figures, theirs: Figures) -> dict[str, float]:
    return {
        "wall_ms_first": ours.first.wall_ms / theirs.first.wall_ms,
        "wall_ms_last": ours.last.wall_ms / theirs.last.wall_ms,
        "database_bytes_last": ours.last.database_bytes / theirs.last.database_bytes,
        "total_tokens": ours.total_tokens / theirs.total_tokens,
        "to_model_ms": ours.to_model_ms / theirs.to_model_ms,
    }
