"""An instant extractor: every planted value as a fact, with the words that state it."""

import html
import json
import re

from app.model_server.chat import ChatRequest, text_of
from evals.bench.conversation import planted_in

_TURN = re.compile(r'<turn n="(\d+)"[^>]*>(.*?)</turn>', re.DOTALL)
_USER = re.compile(r"<user>(.*?)</user>", re.DOTALL)
_ASSISTANT = re.compile(r"<assistant>(.*?)</assistant>", re.DOTALL)
_WORDS_BEFORE = 4


def extraction(request: ChatRequest) -> str:
    """The answer to an extractor's request."""
    _, _, turns = text_of(request.messages[-1]).partition("\n\nTurns:\n")
    facts = [fact for n, body in _TURN.findall(turns) for fact in _facts(int(n), body)]
    return json.dumps({"facts": facts})


def _facts(turn: int, body: str) -> list[dict[str, object]]:
    user, assistant = (html.unescape(" ".join(w.findall(body))) for w in (_USER, _ASSISTANT))
    said = [
        (user, "order_number" if value.isdigit() else "note", value) for value in planted_in(user)
    ]
    said += [(assistant, "promise", value) for value in planted_in(assistant)]
    return [
        {"kind": kind, "value": value, "quote": _quote(words, value), "turn": turn}
        for words, kind, value in said
    ]


def _quote(words: str, value: str) -> str:
    """The value and the few words before it."""
    before, _, _ = words.partition(value)
    return f"{' '.join(before.split()[-_WORDS_BEFORE:])} {value}"
