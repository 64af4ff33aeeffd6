"""What each side said in an exchange, apart, as facts are taken from it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage

from state.admission import AT
from state.catalogue import Speaker
from state.exchanges import Exchange

_PASTED = re.compile(
    r"^[ \t]*>[^\n]*$"
    r"|```.*?(?:```|\Z)"
    r"|^[ \t]*-{2,} ?(?:original|forwarded|ursprüngliche|weitergeleitete|mensaje|message)\b.*",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)

_MARKS = (">", "```", "--")
"""One of which stands in whatever was pasted."""


@dataclass(frozen=True)
class Said:
    """One exchange by speaker. Tool output is nobody's words; quoted lines are somebody else's."""

    turn: int
    at: str
    """When: ISO 8601 with an offset; empty when unknown."""
    before: str
    """The assistant's words that the user answers."""
    user: str
    assistant: str

    def words(self, speaker: Speaker) -> str:
        """The words of one of the two."""
        return self.user if speaker == "user" else self.assistant


def said_in(exchanges: Sequence[Exchange], first: int) -> list[Said]:
    """`exchanges`, the first of which has number `first`, by speaker."""
    result: list[Said] = []
    before = ""
    for turn, exchange in enumerate(exchanges, first):
        asked = exchange.asked
        user = "\n".join(own_words(m.text) for m in asked)
        replies = [m.text for m in exchange.messages if isinstance(m, AIMessage)]
        assistant = "\n".join(text for text in replies if text)
        at = str(asked[0].additional_kwargs.get(AT, "")) if asked else ""
        result.append(Said(turn, at, before, user, assistant))
        before = assistant
    return result


def own_words(text: str) -> str:
    """`text` without quoted lines, fenced blocks and forwarded mail: the writer pasted them."""
    if not any(mark in text for mark in _MARKS):
        return text
    return _PASTED.sub("", text)
