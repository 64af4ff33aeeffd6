"""What the model of the page's server says: what is written for the words, else the stand-in's."""

from collections.abc import Mapping

from app.model_server import standin
from app.model_server.chat import ChatRequest
from app.model_server.steps import Held, Step, hold, text
from tests.integration.server.book import Book, said

SMALL: Mapping[str, str] = {
    "LONGHAUL_HIGH_MARK": "700",
    "LONGHAUL_LOW_MARK": "350",
    "LONGHAUL_HARD_LIMIT": "4000",
    "LONGHAUL_REPLY_TOKENS": "300",
    "LONGHAUL_SUMMARY_TOKENS": "300",
    "LONGHAUL_RETRIES": "0",
}
"""Marks at which a dozen short turns are folded."""


class Counter(Book):
    """A book for some words, and the stand-in for all others."""

    def __init__(self) -> None:
        super().__init__()
        self._held: list[Held] = []

    def hold_extraction(self) -> Held:
        """Lets the next request for facts wait, which comes after a reply; it finds none."""
        held = hold(text('{"facts": []}'))
        self._held.append(held)
        return held

    def __call__(self, request: ChatRequest) -> Step:
        if request.schema_name == "Operations" and self._held:
            return self._held.pop()
        if request.schema_name is None and said(request) in self._steps:
            return super().__call__(request)
        return standin.answer(request)
