"""Models by a few rules for evals: they read what they are told, or have one fault on purpose."""

import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.model_server.chat import ChatRequest, text_of
from app.model_server.steps import Step, text
from evals.run.stretch import Course
from evals.run.whereabouts import text_of_request

_TURN = re.compile(r'<turn n="(\d+)"[^>]*>(.*?)(?=<turn n="|\Z)', re.DOTALL)
_FACTS = re.compile(r"<facts>.*?</facts>", re.DOTALL)
_HOME = re.compile(r"(?:live in|moved to) (\d \w+ Row)")
_FEAST = re.compile(r"We plan a feast")

Told = Callable[[int, str], list[dict[str, object]]]
"""What is said of a turn: its number, and its words."""


def homes(turn: int, words: str) -> list[dict[str, object]]:
    """The address that a turn states."""
    return [
        {"kind": "address", "value": found[1], "quote": found[0], "turn": turn}
        for found in _HOME.finditer(words)
    ]


def first_homes(turn: int, words: str) -> list[dict[str, object]]:
    """An extractor that keeps old values: it sees no move."""
    return homes(turn, words) if "live in" in words else []


def plans(turn: int, words: str) -> list[dict[str, object]]:
    """A note of what is planned, and one of anything else that says nothing."""
    said = "User plans a feast." if _FEAST.search(words) else "User talked of this and that."
    return [{"kind": "happened", "text": said, "turns": [turn]}]


def nothing_much(turn: int, _: str) -> list[dict[str, object]]:
    """A summariser that drops all there is to know."""
    return [{"kind": "happened", "text": "User talked of this and that.", "turns": [turn]}]


@dataclass(frozen=True)
class Reader:
    """Answers a probe with what it is told of it, the facts before all else; else knows nothing."""

    course: Course
    facts: Told = homes
    notes: Told = plans

    def __call__(self, request: ChatRequest) -> Step:
        match request.schema_name:
            case "Operations":
                return text(json.dumps({"facts": _of_turns(request, self.facts)}))
            case "Changes":
                notes = _of_turns(request, self.notes)
                return text(json.dumps({"add": notes, "reword": [], "close": []}))
            case _:
                return text(self._answer(request))

    def _answer(self, request: ChatRequest) -> str:
        question = text_of(request.messages[-1]).partition("\n\n<context>")[0]
        told = text_of_request(request)
        first = "\n".join(_FACTS.findall(told))
        for seen in (first, told):
            for value in self._values(question):
                if value in seen:
                    return f"It is {value}."
        return "I do not know."

    def _values(self, question: str) -> list[str]:
        """Of what is asked for, the newest value first."""
        values: Mapping[str, list[str]] = {
            held.user: [
                says.value
                for earlier in reversed(self.course.turns[: held.number])
                for says in earlier.says
                if says.fact == held.probe.fact
            ]
            for held in self.course.turns
            if held.probe is not None and not held.probe.breaks
        }
        return [value for value in values.get(question, []) if value]


def _of_turns(request: ChatRequest, told: Told) -> list[dict[str, object]]:
    turns = _TURN.findall(text_of(request.messages[-1]).partition("\n\nTurns:\n")[2])
    return [each for number, words in turns for each in told(int(number), html.unescape(words))]
