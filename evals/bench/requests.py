"""What the model was asked, read back from its log, and what can be told from it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from langchain_core.messages import convert_to_messages

from state.tokens import count_messages


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request."""

    at: int
    """When it had come, in nanoseconds of the system's monotonic clock."""
    body: Mapping[str, Any]

    @property
    def model(self) -> str:
        """Which model is asked: its name says its role."""
        return str(self.body["model"])

    @cached_property
    def text(self) -> str:
        """What a provider's cache compares: the tools, then the messages, as JSON."""
        parts = [self.body.get("tools"), self.body["messages"]]
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))

    @property
    def system(self) -> object:
        """The first message."""
        return self.body["messages"][0]


def read_log(file: Path) -> Iterator[Asked]:
    """The requests of one contestant, in order."""
    with file.open("rb") as log:
        for line in log:
            entry = json.loads(line)
            yield Asked(at=entry["at"], body=entry["body"])


class Counter:
    """Counts a request's messages with `state.tokens.count_messages`, each text once."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def tokens(self, asked: Asked) -> int:
        """Tokens of the messages; the tools, the same for all, are not among them."""
        return sum(self._of(json.dumps(message)) for message in asked.body["messages"])

    def _of(self, message: str) -> int:
        if message not in self._known:
            self._known[message] = count_messages(convert_to_messages([json.loads(message)]))
        return self._known[message]


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """How much of a request was in the one before it, from the beginning on."""

    shared: int
    """Characters of the longest common beginning."""
    length: int
    """Characters of the request."""
    up_to: int
    """Where the last user words of the request before it ended."""
    same_system: bool

    @property
    def reaches(self) -> bool:
        """Whether everything up to those words is repeated."""
        return self.shared >= self.up_to


def repeated(before: Asked, said: str, now: Asked) -> Repeated:
    """Compares a request with the one before it, in which the user's last words were `said`."""
    return Repeated(
        shared=common_beginning(before.text, now.text),
        length=len(now.text),
        up_to=_end_of(said, before.text),
        same_system=before.system == now.system,
    )


def common_beginning(one: str, other: str) -> int:
    """Characters that both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _end_of(said: str, text: str) -> int:
    written = json.dumps(said, ensure_ascii=False)[1:-1]
    return text.rfind(written) + len(written)


@dataclass(frozen=True, kw_only=True)
class Fate:
    """Where the planted values are, as shares of all that were planted before the last turn."""

    in_request: float
    """In the last request."""
    shown: float
    """Shown to a summariser at some time."""
    stored: float
    """In the LangGraph store."""
    lost: float
    """In none of these."""


def fate(planted: Sequence[str], *, last: str, shown: set[str], stored: set[str]) -> Fate:
    """What became of the values. Raises ValueError when none was planted."""
    if not planted:
        raise ValueError("no value was planted: the conversation is too short")
    sent = {value for value in planted if value in last}
    lost = set(planted) - sent - shown - stored
    count = len(planted)
    return Fate(
        in_request=len(sent) / count,
        shown=len(shown & set(planted)) / count,
        stored=len(stored & set(planted)) / count,
        lost=len(lost) / count,
    )
