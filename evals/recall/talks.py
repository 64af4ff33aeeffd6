"""A conversation with questions whose evidence is known, whatever set it comes from."""

from dataclasses import dataclass

from memory.recall.documents import Document, Speakers


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question and the exchanges that answer it."""

    text: str
    category: str
    evidence: frozenset[str]
    """Keys of documents; never empty."""


@dataclass(frozen=True, kw_only=True)
class Talk:
    """One conversation, cut into exchanges."""

    name: str
    speakers: Speakers
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
