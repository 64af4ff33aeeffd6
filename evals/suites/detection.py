"""Labelled messages for what says yes or no to one: what it saw, what it missed."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.table import Table

from evals.suites.result import share

ALL = "all"


class MaterialError(ValueError):
    """The labelled material cannot be used; the message names the file, the place and the fault."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Message(_Model):
    """What somebody says."""

    says: str = Field(min_length=1)
    after: str = ""
    """The words that it answers, where they matter."""


class _Language(_Model):
    yes: tuple[Message | str, ...] = Field(min_length=1)
    no: tuple[Message | str, ...] = Field(min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    window: tuple[str, ...] = ()
    __pydantic_extra__: dict[str, _Language]


@dataclass(frozen=True)
class Labelled:
    """A message, its language, and whether it is one of those that are looked for."""

    language: str
    message: Message
    wanted: bool


@dataclass(frozen=True)
class Material:
    """A file."""

    messages: list[Labelled]
    window: tuple[str, ...]
    """What a message stands under that names no words of its own."""


class Seen(NamedTuple):
    """What was said of a message."""

    yes: bool
    why: str = ""


@dataclass
class Tally:
    """Counts of one language, or of all."""

    right: int = 0
    false: int = 0
    missed: int = 0
    others: int = 0
    """Those that are rightly passed over."""

    @property
    def precision(self) -> float:
        """Share of what was seen that is so."""
        return share(self.right, self.right + self.false)

    @property
    def recall(self) -> float:
        """Share of what is so that was seen."""
        return share(self.right, self.right + self.missed)

    def add(self, *, wanted: bool, seen: bool) -> None:
        """Counts a message."""
        self.right += wanted and seen
        self.missed += wanted and not seen
        self.false += seen and not wanted
        self.others += not wanted and not seen


@dataclass
class Detection:
    """Tallies by language, all of them first, and the messages that were taken wrongly."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def figures(self) -> dict[str, float]:
        """Precision and recall over all languages."""
        return {"precision": self.tallies[ALL].precision, "recall": self.tallies[ALL].recall}

    def table(self, title: str) -> Table:
        """A row a language."""
        table = Table("language", "messages", "precision", "recall", "false", "missed", title=title)
        for language, tally in self.tallies.items():
            whole = tally.right + tally.false + tally.missed + tally.others
            shares = (f"{tally.precision:.0%}", f"{tally.recall:.0%}")
            table.add_row(language, str(whole), *shares, str(tally.false), str(tally.missed))
        return table


def read_material(path: Path) -> Material:
    """The messages of a file. Raises MaterialError."""
    try:
        file = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise MaterialError(f"{path.name}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        raise MaterialError(
            f"{path.name}: {' '.join(map(str, first['loc']))}: {first['msg']}"
        ) from None
    messages = list(_labelled(file.__pydantic_extra__))
    counts = Counter(each.message for each in messages)
    if twice := [message.says for message, count in counts.items() if count > 1]:
        raise MaterialError(f"{path.name}: {twice[0]!r} is there twice")
    return Material(messages, file.window)


def detected(messages: Iterable[Labelled], seen: Sequence[Seen]) -> Detection:
    """The score of what was `seen`, a verdict a message."""
    found = Detection({ALL: Tally()})
    for each, verdict in zip(messages, seen, strict=True):
        for name in (ALL, each.language):
            tally = found.tallies.setdefault(name, Tally())
            tally.add(wanted=each.wanted, seen=verdict.yes)
        if verdict.yes != each.wanted:
            fault = "missed" if each.wanted else "false"
            why = f" ({verdict.why})" if verdict.why else ""
            found.faults.append(f"{fault}  {each.language}: {each.message.says}{why}")
    return found


def _labelled(languages: dict[str, _Language]) -> Iterator[Labelled]:
    for name, language in languages.items():
        for wanted, messages in ((True, language.yes), (False, language.no)):
            for each in messages:
                message = Message(says=each) if isinstance(each, str) else each
                yield Labelled(name, message, wanted)
