"""How long the gate of recall takes behind a full window."""

import time
from collections.abc import Sequence
from random import Random
from statistics import median

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from evals.recall.timing_data import words
from nodes.recall import gate
from state.session import SessionState
from state.summary import EMPTY

WINDOW = 12
"""Exchanges in the window: some 6,000 tokens, where it is folded."""
_GATED = 200


def gated(message: str, window: Sequence[AnyMessage]) -> list[float]:
    """Milliseconds that the gate takes for `message` behind a full window."""
    messages = [*window, HumanMessage(message, id="asked")]
    state = SessionState(messages=messages, summary={**EMPTY, "through": 1})
    taken = []
    for _ in range(_GATED):
        began = time.perf_counter()
        gate(state, messages, "auto")
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def gates() -> str:
    """What the gate takes, in words."""
    made = Random("gate")  # noqa: S311
    window: list[AnyMessage] = []
    for n in range(WINDOW):
        window.append(HumanMessage(words(made, 60), id=f"user-{n}"))
        window.append(AIMessage(words(made, 200), id=f"reply-{n}"))
    short, long, pasted = (words(made, count) for count in (8, 500, 3000))
    messages = {
        "a short message": short,
        "a short one with a number": f"{short} So 42.",
        f"one of {len(long)} characters": long,
        f"one of {len(pasted)}": pasted,
        "that one with accents": pasted.replace("e", "é"),
    }
    each = ((name, gated(message, window)) for name, message in messages.items())
    lines = (f"{name} {median(taken):.2f} (worst {max(taken):.2f})" for name, taken in each)
    return f"gate, ms: {'; '.join(lines)}"
