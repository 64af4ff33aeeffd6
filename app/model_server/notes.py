"""The stand-in as a summariser and an extractor: what a few rules see, word for word."""

import html
import json
import re

from app.model_server import window
from app.model_server.chat import ChatRequest, text_of
from app.model_server.steps import Reply, text

WORDS = 24
"""How much of each turn a note repeats, in words."""

_TURN = re.compile(r'<turn n="(\d+)"[^>]*>(.*?)(?=<turn n="|\Z)', re.DOTALL)
_USER = re.compile(r"<user>(.*?)</user>", re.DOTALL)
_ASKED = "\n\nTurns:\n"


def summarise(request: ChatRequest) -> Reply:
    """A note for each turn of the request, none closed; none for notes that are to be shortened."""
    _, asked, turns = text_of(request.messages[-1]).partition(_ASKED)
    notes = [_note(int(n), body) for n, body in _TURN.findall(turns)] if asked else []
    return text(json.dumps({"add": notes, "reword": [], "close": []}))


def _note(turn: int, body: str) -> dict[str, object]:
    said = html.unescape(" ".join(_USER.findall(body)) or body)
    short = " ".join(said.split()[:WORDS])
    return {"kind": "happened", "text": f"User said: {short[:500]}", "turns": [turn]}


_STATED = (
    ("customer_name", re.compile(r"\bmy name is ((?:[A-Z][\w'-]+ ?){1,3})")),
    ("must_not", re.compile(r"\b(?:I am|I'm) (allergic to [\w -]{2,40})", re.IGNORECASE)),
    ("preference", re.compile(r"\bI prefer ([^.!?\n]{2,60})", re.IGNORECASE)),
    ("address", re.compile(r"\bmy address is ([^.!?\n]{4,80})", re.IGNORECASE)),
    (
        "instruction",
        re.compile(r"\b(?:from now on|please always),? ([^.!?\n]{4,80})", re.IGNORECASE),
    ),
)


def extract(request: ChatRequest) -> Reply:
    """The facts that the users of the request's turns state in the plainest ways."""
    _, _, turns = text_of(request.messages[-1]).partition(_ASKED)
    facts = [fact for n, body in _TURN.findall(turns) for fact in _facts(int(n), body)]
    return text(json.dumps({"facts": facts}))


def _facts(turn: int, body: str) -> list[dict[str, object]]:
    said = html.unescape(" ".join(_USER.findall(body)))
    found = [
        (kind, match[1].strip(), match[0])
        for kind, form in _STATED
        for match in form.finditer(said)
    ]
    others = [stated for stated in window.statements(said) if stated not in _quotes(found)]
    notes = [("note", stated, stated) for stated in others]
    return [
        {"kind": kind, "value": value, "quote": quote, "turn": turn}
        for kind, value, quote in [*found, *notes]
    ]


def _quotes(found: list[tuple[str, str, str]]) -> str:
    return "\n".join(quote.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'") for *_, quote in found)
