"""The picture of tokens a turn: an SVG that reads on light and on dark pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 840, 470
_LEFT, _RIGHT = 64, 16
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #57606a }
.title { font-weight: 600; fill: #24292f }
.grid { stroke: #d0d7de; stroke-width: 1 }
.line { fill: none; stroke-width: 1.2; stroke-linejoin: round }
.bold { stroke-width: 2.4 }
.c0 { stroke: #0969da } .c1 { stroke: #d1570a } .c2 { stroke: #8250df }
.c3 { stroke: #bf8700 } .c4 { stroke: #1a7f37 } .c5 { stroke: #8c959f }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .title { fill: #f0f6fc } .grid { stroke: #3d444d }
  .c0 { stroke: #58a6ff } .c1 { stroke: #f0883e } .c2 { stroke: #bc8cff }
  .c3 { stroke: #d29922 } .c4 { stroke: #3fb950 } .c5 { stroke: #6e7681 }
}
"""


@dataclass(frozen=True, kw_only=True)
class Series:
    """The tokens of each turn's request."""

    title: str
    tokens: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """Where a part of the picture lies, and what it spans."""

    top: int
    height: int
    turns: int
    most: int
    """Tokens at its upper edge."""

    def x(self, turn: int) -> float:
        width = _WIDTH - _LEFT - _RIGHT
        return round(_LEFT + width * (turn - 1) / max(1, self.turns - 1), 1)

    def y(self, tokens: float) -> float:
        return round(self.top + self.height * (1 - tokens / self.most), 1)


def draw(ours: Series, theirs: Sequence[Series]) -> str:
    """All on one scale above; below, without what grows, on a scale of its own."""
    every = {f"c{i}": each for i, each in enumerate([ours, *theirs])}
    turns = len(ours.tokens)
    bounded = {k: s for k, s in every.items() if max(s.tokens) <= 3 * max(ours.tokens)}
    above = _Panel(top=66, height=150, turns=turns, most=_rounded(every))
    below = _Panel(top=262, height=170, turns=turns, most=_rounded(bounded))
    body = [
        f'<text class="title" x="{_LEFT}" y="20">Input tokens a turn, {turns} turns</text>',
        *_legend(every),
        *_axes(above),
        *_lines(above, every),
        f'<text x="{_LEFT}" y="252">The same from 0 to {below.most:,} tokens</text>',
        *_axes(below),
        *_lines(below, bounded),
        *_turn_marks(below),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">'
    name = "<title>Input tokens a turn, longhaul and what people would use instead</title>"
    return "\n".join([head, name, f"<style>{_STYLE}</style>", *body, "</svg>", ""])


def _rounded(series: Mapping[str, Series]) -> int:
    """A round number of tokens that is no less than any."""
    most = max(max(each.tokens) for each in series.values())
    step = int(f"1{'0' * (len(str(most)) - 1)}")
    return -(-most // step) * step


def _lines(panel: _Panel, series: Mapping[str, Series]) -> list[str]:
    """A line each, ours last and so on top."""
    return [
        f'<polyline class="line {key}{" bold" if key == "c0" else ""}" points="'
        + " ".join(f"{panel.x(turn)},{panel.y(t)}" for turn, t in enumerate(each.tokens, 1))
        + '"/>'
        for key, each in sorted(series.items(), reverse=True)
    ]


def _axes(panel: _Panel) -> list[str]:
    marks: list[str] = []
    for part in range(5):
        tokens = panel.most * part // 4
        y = panel.y(tokens)
        marks += [
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>',
            f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{tokens:,}</text>',
        ]
    return marks


def _turn_marks(panel: _Panel) -> list[str]:
    y = panel.top + panel.height + 18
    turns = sorted({1, *(panel.turns * part // 5 for part in range(1, 6))})
    return [
        f'<text x="{panel.x(turn)}" y="{y}" text-anchor="middle">{turn}</text>' for turn in turns
    ]


def _legend(series: Mapping[str, Series]) -> list[str]:
    marks: list[str] = []
    for place, (key, each) in enumerate(series.items()):
        x, y = _LEFT + place % 3 * 250, 38 + place // 3 * 16
        weight = " bold" if key == "c0" else ""
        marks += [
            f'<line class="line {key}{weight}" x1="{x}" x2="{x + 22}" y1="{y - 4}" y2="{y - 4}"/>',
            f'<text x="{x + 28}" y="{y}">{escape(each.title)}</text>',
        ]
    return marks
