"""Where turns and tokens lie on a chart."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

WIDTH = 1040
LEFT, RIGHT = 132, 12


@dataclass(frozen=True, kw_only=True)
class Axes:
    """The plane of a chart over `turns` turns, of which each is a column."""

    turns: int
    top: int
    height: int
    most: int = 1
    """Tokens at its upper edge."""

    def x(self, turn: float) -> float:
        """The left edge of a turn's column."""
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (turn - 1) / max(1, self.turns), 1)

    def middle(self, turn: float) -> float:
        """The middle of a turn's column."""
        return self.x(turn + 0.5)

    def y(self, tokens: float) -> float:
        """The height of so many tokens."""
        return round(self.top + self.height * (1 - tokens / self.most), 1)

    def turn_marks(self) -> Iterator[str]:
        """The numbers of some turns under the plane."""
        y = self.top + self.height + 16
        for turn in sorted({1, *(max(1, self.turns * part // 6) for part in range(1, 7))}):
            yield label(self.middle(turn), y, str(turn), anchor="middle")

    def token_marks(self) -> Iterator[str]:
        """Lines across the plane, and how many tokens they mean."""
        for part in range(5):
            tokens = self.most * part // 4
            y = self.y(tokens)
            yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>'
            yield label(LEFT - 8, y + 4, f"{tokens:,}", anchor="end")

    def folds(self, compactions: dict[int, int]) -> Iterator[str]:
        """A line for each compaction, which was applied before its turn."""
        for number, turn in compactions.items():
            x, bottom = self.x(turn), self.top + self.height
            yield (
                f'<line class="fold" x1="{x}" x2="{x}" y1="{self.top}" y2="{bottom}">'
                f"<title>compaction {number}, before turn {turn}</title></line>"
            )


def rounded(most: int) -> int:
    """A round number that is no less than `most`, and parts in four."""
    step = max(4, int(f"1{'0' * (len(str(most)) - 1)}") // 2)
    return -(-most // step) * step


def label(x: float, y: float, words: str, *, anchor: str = "start", kind: str = "") -> str:
    """Words at a place."""
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


def picture(height: int, title: str, body: list[str]) -> str:
    """The drawing of so many units, as wide as the page."""
    head = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">'
    return "\n".join([head, *body, "</svg>"])


def key(names: dict[str, str]) -> str:
    """What the colours mean: the variable of each, and its name."""
    marks = [
        f'<span style="--colour: var(--{c})">{escape(name)}</span>' for c, name in names.items()
    ]
    return f'<div class="key">{"".join(marks)}</div>'
