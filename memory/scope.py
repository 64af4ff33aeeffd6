"""What is asked of the vectors: whose records a search may see, by names that nothing widens."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memory.transcript import turn_of
from state.identity import Owner
from state.session import RowKey

_DIGITS = 32


class ScopeError(ValueError):
    """A search must say whose words it may find, in which threads."""


class VectorError(RuntimeError):
    """Chroma did not do what it was asked. The text names the server and the cause."""

    def __init__(self, text: str, *, gone: bool = False) -> None:
        super().__init__(text)
        self.gone = gone
        """Whether it does not know what it was asked about: a collection that was replaced."""


class ModelChangedError(VectorError):
    """The vectors were made by another embedding model. The text names the command to run."""


@dataclass(frozen=True)
class Hit:
    """A record that a search found."""

    thread: str
    key: str
    """Key of its row in the transcript of `thread`."""
    leg: str
    turn: int
    similarity: float
    """The cosine, from -1 to 1."""


@dataclass(frozen=True)
class Named:
    """What the id of a record says."""

    space: str
    key: str
    leg: str

    @property
    def turn(self) -> int:
        """The turn of its exchange."""
        return turn_of(RowKey(thread="", key=self.key))


@dataclass(frozen=True)
class Scope:
    """The words of `owner` in `threads`; with no list of threads, in all threads of a user.

    A thread that owns itself may be read along with those that it was copied from, which own
    themselves, too. Raises ScopeError for an owner or a thread without an id, and for no threads.
    """

    owner: Owner
    threads: Sequence[str] | None

    def __post_init__(self) -> None:
        if not self.owner.id:
            raise ScopeError("a search has no owner")
        if self.threads is None and self.owner.kind != "user":
            raise ScopeError("only a user has other threads")
        if self.threads is not None and not (self.threads and all(self.threads)):
            raise ScopeError("a search names no thread")

    @cached_property
    def spaces(self) -> Mapping[str, str]:
        """The threads by the space of their records; none when all of a user's are meant."""
        return {self._space(thread): thread for thread in self.threads or ()}

    def holds(self, of: str, thread: str) -> bool:
        """Whether records of the space `of`, said to be of `thread`, may be shown."""
        allowed = self.threads is None or thread in self.threads
        return allowed and of == self._space(thread)

    def _space(self, thread: str) -> str:
        mine = self.owner.kind == "user"
        return space(self.owner if mine else Owner(kind="thread", id=thread), thread)


def space(owner: Owner, thread: str) -> str:
    """What the records of `owner` in `thread` are filtered by: 32 hexadecimal digits."""
    named = json.dumps([owner.kind, owner.id, thread])
    return hashlib.sha256(named.encode()).hexdigest()[:_DIGITS]


def record_id(space: str, key: str, leg: str) -> str:
    """The id of the record of one leg of the row at `key`: the same words have the same id."""
    return f"{space}-{key}-{leg}"


def parse_id(id: str) -> Named | None:
    """What `record_id` was made of; None for the id of something else."""
    match id.split("-"):
        case [space, turn, digest, leg] if turn.isdecimal():
            return Named(space, f"{turn}-{digest}", leg)
    return None
