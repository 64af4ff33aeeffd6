"""The stand-in as a summariser: the beginning of what each turn's user said, word for word."""

import html
import json
import re

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
