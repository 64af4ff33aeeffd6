"""Where each planted fact was over the turns: a strip a fact, a lane a place."""

from collections.abc import Iterator
from html import escape
from itertools import pairwise

from evals.report.axes import Axes, label, picture
from evals.run.records import PLACES
from evals.run.report import ConversationResult, ProbeResult

_LANE = 5
_GAP = 14
_STRIP = _LANE * len(PLACES) + _GAP
_TOP = 8


def strips(result: ConversationResult) -> str:
    """The drawing of a conversation."""
    height = _STRIP * len(result.places)
    axes = Axes(turns=result.turns, top=_TOP, height=height)
    body = [
        mark
        for place, fact in enumerate(result.places)
        for mark in _strip(result, fact, axes, _TOP + place * _STRIP)
    ]
    body += [*axes.folds(result.compactions), *axes.turn_marks()]
    return picture(_TOP + height + 24, f"Where each fact of {result.name} was", body)


def _strip(result: ConversationResult, fact: str, axes: Axes, top: int) -> Iterator[str]:
    lanes = _LANE * len(PLACES)
    yield label(4, top + lanes / 2 + 4, fact, kind="name")
    width = round(axes.x(result.turns + 1) - axes.x(1), 1)
    yield f'<rect class="lane" x="{axes.x(1)}" y="{top}" width="{width}" height="{lanes}"/>'
    steps = result.places[fact]
    for (turn, letters), (end, _) in pairwise([*steps, (result.held + 1, "")]):
        wide = round(axes.x(end) - axes.x(turn), 1)
        for row, (place, letter) in enumerate(zip(PLACES, letters or "-----", strict=True)):
            if letter != "-":
                yield (
                    f'<rect class="f-{place}" x="{axes.x(turn)}" y="{top + row * _LANE}" '
                    f'width="{wide}" height="{_LANE - 1}">'
                    f"<title>{escape(fact)}: {place}, turns {turn} to {end - 1}</title></rect>"
                )
    for turn, value in result.said[fact]:
        told = f"turn {turn}: {value or 'taken back'}"
        yield _triangle(axes.middle(turn), top + lanes + 1, f"{fact}, {told}")
    yield from (_mark(p, axes, top + lanes + 6) for p in result.probes if p.fact == fact)


def _triangle(x: float, y: float, told: str) -> str:
    """Where it was said: it points up to its strip."""
    points = f"{x},{y} {x - 4},{y + 8} {x + 4},{y + 8}"
    return f'<polygon class="said" points="{points}"><title>{escape(told)}</title></polygon>'


def _mark(probe: ProbeResult, axes: Axes, y: float) -> str:
    told = f"asked in turn {probe.turn}: {probe.verdict}"
    return (
        f'<circle class="probe-{tone(probe.verdict)}" cx="{axes.middle(probe.turn)}" cy="{y}" '
        f'r="4"><title>{escape(told)}</title></circle>'
    )


def tone(verdict: str) -> str:
    """The colour of a verdict: right, wrong, or merely not known."""
    return {"answered": "answered", "forgotten": "unknown", "asked again": "unknown"}.get(
        verdict, "wrong"
    )
