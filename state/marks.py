"""When the window is folded, and how far: the two marks and the hard limit."""

import re
from dataclasses import dataclass
from typing import Literal

_FORM = re.compile(r"(\d+)\s*(%|turns?)?")


@dataclass(frozen=True)
class Mark:
    """A size of the window: so many tokens, or so many turns."""

    amount: int
    unit: Literal["tokens", "turns"] = "tokens"


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Above `high` the oldest exchanges are folded until the window is at `low`."""

    high: Mark
    low: Mark
    hard: int
    """Most tokens that a whole request may have."""


def parse_mark(text: str, model_window: int) -> Mark:
    """`6000` (tokens), `40%` (of `model_window` tokens) or `16 turns`. Raises ValueError."""
    form = _FORM.fullmatch(text.strip())
    if form is None or int(form[1]) == 0:
        raise ValueError(f"{text!r} is not a size such as 6000, 40% or 16 turns")
    amount, unit = int(form[1]), form[2]
    if unit == "%":
        if amount > 100:
            raise ValueError(f"{text!r} is more than the model's whole window")
        return Mark(model_window * amount // 100)
    return Mark(amount, "turns" if unit else "tokens")


def checked(high: Mark, low: Mark, hard: Mark) -> Marks:
    """The three as Marks. Raises ValueError when they contradict one another."""
    if high.unit != low.unit:
        raise ValueError(f"the low mark is in {low.unit}, the high mark in {high.unit}")
    if low.amount >= high.amount:
        raise ValueError(f"the low mark ({low.amount}) is not below the high mark ({high.amount})")
    if hard.unit != "tokens":
        raise ValueError("the hard limit is in turns; it must be in tokens")
    if high.unit == "tokens" and high.amount >= hard.amount:
        raise ValueError(
            f"the high mark ({high.amount}) is not below the hard limit ({hard.amount})"
        )
    return Marks(high=high, low=low, hard=hard.amount)
