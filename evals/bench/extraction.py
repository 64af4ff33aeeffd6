"""An instant extractor: every planted value as a fact, with the words that state it."""

import html
import json
import re
from collections.abc import Iterator

from app.model_server.chat import ChatRequest, text_of
from evals.bench.conversation import planted_in

_KNOWN = re.compile(r"^(\{.*\})$", re.MULTILINE)
_TURN = re.compile(r'<turn n="(\d+)"[^>]*>(.*?)</turn>', re.DOTALL)
_USER = re.compile(r"<user>(.*?)</user>", re.DOTALL)
_ASSISTANT = re.compile(r"<assistant>(.*?)</assistant>", re.DOTALL)
_WORDS_BEFORE = 4

Stated = dict[str, str | int]


def extraction(request: ChatRequest) -> str:
    """The answer to an extractor's request. A promise is kept when the next one is made."""
    known, _, turns = text_of(request.messages[-1]).partition("\n\nTurns:\n")
    listed = [json.loads(html.unescape(line)) for line in _KNOWN.findall(known)]
    promised = [str(each["value"]) for each in listed if each["kind"] == "promise"]
    facts: list[Stated] = []
    for n, body in _TURN.findall(turns):
        for fact in _facts(int(n), body):
            if fact["kind"] == "promise":
                facts += [{**fact, "act": "kept", "value": value} for value in promised]
                promised = [str(fact["value"])]
            facts.append(fact)
    return json.dumps({"facts": facts})


def _facts(turn: int, body: str) -> Iterator[Stated]:
    user, assistant = (html.unescape(" ".join(w.findall(body))) for w in (_USER, _ASSISTANT))
    for value in planted_in(user):
        kind = "order_number" if value.isdigit() else "note"
        yield {"kind": kind, "value": value, "quote": _quote(user, value), "turn": turn}
    for value in planted_in(assistant):
        yield {"kind": "promise", "value": value, "quote": _quote(assistant, value), "turn": turn}


def _quote(words: str, value: str) -> str:
    """The value and the few words before it."""
    before, _, _ = words.partition(value)
    return f"{' '.join(before.split()[-_WORDS_BEFORE:])} {value}"
