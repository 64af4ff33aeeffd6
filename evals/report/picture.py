"""The picture of the strategies: an SVG that reads on light and on dark pages."""

from collections.abc import Iterator
from html import escape

from evals.report.strips import tone
from evals.run.report import Report
from evals.run.sides import Side

_WIDTH = 840
_NAMES, _VERDICTS, _TOKENS = 16, 110, 520
"""Where the columns begin."""
_WIDE = 340
_NARROW = 230
_ROW, _BAR, _TOP = 34, 18, 62
_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #57606a }
.title { font-weight: 600; fill: #24292f }
.answered { fill: #2da44e } .unknown { fill: #d4a72c } .wrong { fill: #cf222e }
.tokens { fill: #0969da }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .title { fill: #f0f6fc }
  .answered { fill: #3fb950 } .unknown { fill: #bb8009 } .wrong { fill: #f85149 }
  .tokens { fill: #58a6ff }
}
"""
_TONES = {"answered": "answered", "unknown": "forgotten, asked again", "wrong": "wrong"}


def draw(found: Report) -> str:
    """What each strategy answered, and the tokens of its requests."""
    height = _TOP + _ROW * len(found.strategies) + 8
    most = max((_a_question(side) for side in found.strategies.values()), default=0)
    body = list(_heads(found))
    for row, (name, side) in enumerate(found.strategies.items()):
        body += _row(name, side, _TOP + row * _ROW, most)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">'
    title = "<title>Questions answered by each way of remembering, and its tokens</title>"
    return "\n".join([head, title, f"<style>{_STYLE}</style>", *body, "</svg>", ""])


def _heads(found: Report) -> Iterator[str]:
    probes = max((side.probes for side in found.strategies.values()), default=0)
    told = f"{probes} questions, model {found.plan.model}"
    yield _text(_VERDICTS, 22, told, kind="title")
    yield _text(_TOKENS, 22, "Tokens a question", kind="title")
    x = _VERDICTS
    for kind, name in _TONES.items():
        yield f'<rect class="{kind}" x="{x}" y="35" width="10" height="10"/>'
        yield _text(x + 15, 44, name)
        x += 40 + 7 * len(name)


def _row(name: str, side: Side, y: int, most: int) -> Iterator[str]:
    yield _text(_NAMES, y + 14, name, kind="title")
    x = float(_VERDICTS)
    for kind in _TONES:
        count = sum(n for verdict, n in side.verdicts.items() if tone(verdict) == kind)
        width = round(_WIDE * count / max(1, side.probes), 1)
        if count:
            yield f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{width}" height="{_BAR}"/>'
        x += width
    yield _text(_VERDICTS + _WIDE + 8, y + 14, str(side.answered))
    tokens = _a_question(side)
    width = round(_NARROW * tokens / max(1, most), 1)
    yield f'<rect class="tokens" x="{_TOKENS}" y="{y}" width="{width}" height="{_BAR}"/>'
    yield _text(_TOKENS + width + 8, y + 14, f"{tokens:,}")


def _a_question(side: Side) -> int:
    return round(side.tokens / side.probes) if side.probes else 0


def _text(x: float, y: float, words: str, *, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x}" y="{y}">{escape(words)}</text>'
