"""Where every planted fact stands after a turn: window, summary, facts, archive, request."""

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.model_server.chat import ChatRequest, text_of
from evals.run.conversation import Value
from evals.run.records import Place, found
from evals.run.stretch import Course
from state.fact_budget import flat
from state.facts import Fact
from state.session import SessionState
from state.summary import EMPTY


@dataclass(frozen=True)
class Layers:
    """The text of each place."""

    texts: Mapping[Place, str]

    def of(self, values: Iterable[Value]) -> list[Place]:
        """Where one of `values` is said."""
        wanted = list(values)
        return found({p: any(v.stands_in(t) for v in wanted) for p, t in self.texts.items()})


def layers(
    state: SessionState, *, spilled: Sequence[Fact], rows: str, request: ChatRequest | None
) -> Layers:
    """The places of a turn. `rows` is the text of the transcript's rows that are looked at."""
    summary = state.get("summary", EMPTY)
    lines = [item["text"] for item in summary["items"]]
    lines += [f"{pin['value']} {pin['words']}" for pin in summary["pins"]]
    facts = [fact["value"] for fact in [*flat(state.get("facts", {})), *spilled]]
    return Layers(
        {
            "window": "\n".join(message.text for message in state["messages"]),
            "summary": "\n".join(lines),
            "facts": "\n".join(facts),
            "archive": rows,
            "request": text_of_request(request) if request else "",
        }
    )


def text_of_request(request: ChatRequest) -> str:
    """All that a model was told, as it was before it was escaped."""
    return html.unescape("\n".join(text_of(message) for message in request.messages))


def row_text(row: Mapping[str, Any]) -> str:
    """The words of one exchange in the transcript."""
    said = [message["content"] for message in row["messages"]]
    return "\n".join(words for words in said if isinstance(words, str))


def whereabouts(
    course: Course, turn: int, places: Layers
) -> tuple[dict[str, list[Place]], dict[str, list[Place]]]:
    """By fact: where the value that stands is, and where one is that stands no more."""
    current: dict[str, list[Place]] = {}
    earlier: dict[str, list[Place]] = {}
    for fact in course.conversation.facts:
        standing = course.standing(fact, turn)
        if standing.current is not None:
            current[fact] = places.of([standing.current])
        if gone := places.of(standing.earlier):
            earlier[fact] = gone
    return current, earlier
