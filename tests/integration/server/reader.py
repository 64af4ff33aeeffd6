"""A book whose extractor reads."""

import json
import re

from app.model_server.chat import ChatRequest, text_of
from app.model_server.steps import Step, text
from tests.integration.server.book import Book

_TURN = re.compile(r'<turn n="(\d+)".*?<user>(.*?)</user>', re.DOTALL)
_STATES = {
    "customer_name": re.compile(r"My name is (\w+)"),
    "must_not": re.compile(r"I am allergic to (\w+)"),
    "budget": re.compile(r"I can spend (\w+)"),
}


class Reader(Book):
    """A book whose extractor reads a few phrases."""

    def __call__(self, request: ChatRequest) -> Step:
        if request.schema_name != "Operations":
            return super().__call__(request)
        facts = [
            {"kind": kind, "value": found[1], "quote": found[0], "turn": int(turn)}
            for turn, words in _TURN.findall(text_of(request.messages[-1]))
            for kind, form in _STATES.items()
            if (found := form.search(words))
        ]
        return text(json.dumps({"facts": facts}))
