"""What of a row is indexed: people's words, with speaker and date, in legs.

A long reply blurs the vector of its exchange, so the user's words are a leg of their own; in short
talk the whole exchange finds more than its halves. Either one brings the whole exchange.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory.transcript import Row

Leg = Literal["user", "exchange"]
"""What one vector stands for: the user's words, or all that was said."""


@dataclass(frozen=True, kw_only=True)
class Speakers:
    """What the two are called in the indexed text."""

    user: str = "user"
    assistant: str = "assistant"


@dataclass(frozen=True, kw_only=True)
class Document:
    """One exchange as it is ranked and shown: what each said, tool calls and results left out."""

    key: str
    """Key of its row in the transcript; unique among what is ranked together."""
    turn: int
    at: str
    """ISO 8601 time of the user's first message; empty when it is not known."""
    user: str
    assistant: str


UNNAMED = Speakers()


def document(key: str, row: Row) -> Document:
    """The row under `key` as a document."""
    said = {
        role: "\n".join(
            filter(None, (_text(m["content"]) for m in row["messages"] if m["role"] == role))
        )
        for role in ("user", "assistant")
    }
    return Document(key=key, turn=row["turn"], at=row["at"], **said)


def indexed(row: Row) -> dict[str, str]:
    """The text of each leg of `row` to embed. A leg without words is left out."""
    return {str(leg): text for leg, text in legs_of(document("", row)).items()}


def legs_of(said: Document, speakers: Speakers = UNNAMED) -> dict[Leg, str]:
    """The same of a document, where the speakers may have names."""
    user, assistant = spoken(said, speakers)
    legs: dict[Leg, str] = {}
    if said.user:
        legs["user"] = user
    if said.assistant:
        legs["exchange"] = "\n".join(filter(None, (user, assistant)))
    return legs


def spoken(said: Document, speakers: Speakers = UNNAMED) -> tuple[str, str]:
    """The words of user and assistant, each after its speaker's name, the first after the date."""
    user = f"{speakers.user}: {said.user}" if said.user else ""
    assistant = f"{speakers.assistant}: {said.assistant}" if said.assistant else ""
    return "\n".join(filter(None, (_date(said.at), user))), assistant


def _date(at: str) -> str:
    return f"{datetime.fromisoformat(at):%d %B %Y}" if at else ""


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        block if isinstance(block, str) else block.get("text", "")
        for block in content
        if isinstance(block, str) or block.get("type") == "text"
    )
