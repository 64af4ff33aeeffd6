"""Exchanges to rank."""

from memory.recall.documents import Document
from memory.recall.lexical import Lexical
from memory.recall.ranking import DEFAULT, Ranking


def document(turn: int, user: str, assistant: str = "I see.", *, at: str = "") -> Document:
    return Document(key=f"{turn}-k", turn=turn, at=at, user=user, assistant=assistant)


def index(*said: str, ranking: Ranking = DEFAULT) -> Lexical:
    lexical = Lexical(ranking=ranking)
    lexical.grow([document(turn, words) for turn, words in enumerate(said, 1)])
    return lexical


SMALL_TALK = (
    "The weather is fine today",
    "My sister sings in a choir",
    "We had soup for dinner",
    "The train was late again",
    "I bought new shoes",
    "Work is busy this month",
)
