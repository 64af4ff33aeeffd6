"""What the model says: steps by the words it is asked, so that many threads share one server."""

import threading
from collections import deque

from app.model_server.chat import ChatRequest, text_of
from app.model_server.script import ScriptExhaustedError
from app.model_server.steps import Step, text


def said(request: ChatRequest) -> str:
    """The newest user message of a request, without its late context."""
    newest = next(m for m in reversed(request.messages) if m["role"] == "user")
    return text_of(newest).partition("\n\n<context>")[0]


def user_words(request: ChatRequest) -> list[str]:
    """Every user message of a request, oldest first, without late context."""
    users = [text_of(m) for m in request.messages if m["role"] == "user"]
    return [words.partition("\n\n<context>")[0] for words in users]


class Book:
    """An answer for a `Script`: the steps written for the newest user message, in order.

    Words that nothing is written for are answered with `reply_to`; an extractor finds no facts.
    """

    def __init__(self) -> None:
        self._steps: dict[str, deque[Step]] = {}
        self._lock = threading.Lock()

    def write(self, words: str, *steps: Step) -> None:
        """The steps for a user message, from any thread; one request more than steps is a fault."""
        with self._lock:
            self._steps[words] = deque(steps)

    def __call__(self, request: ChatRequest) -> Step:
        if request.schema_name == "Operations":
            return text('{"facts": []}')
        words = said(request)
        with self._lock:
            if (steps := self._steps.get(words)) is None:
                return text(reply_to(words))
            if not steps:
                raise ScriptExhaustedError(f"asked once more than planned: {words!r}")
            return steps.popleft()


def reply_to(words: str) -> str:
    """What is said to words that nothing is written for."""
    return f"I hear you: {words}"
