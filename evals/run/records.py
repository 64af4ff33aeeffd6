"""What is written of each turn while it is held, and read again to judge or to go on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Place = Literal["window", "summary", "facts", "archive", "request"]
PLACES: tuple[Place, ...] = ("window", "summary", "facts", "archive", "request")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sent(_Model):
    """One message of a request."""

    role: str
    content: str


class Logged(_Model):
    """What the log of facts says of a kind."""

    event: str
    value: str
    before: str = ""


class Spent(_Model):
    """What one model was asked for one purpose."""

    purpose: str
    """`reply`, or the name of the form that was filled in."""
    model: str
    calls: int
    input: int
    """Tokens."""
    cached: int
    """Of `input`, what the server had in its cache."""
    output: int


class Other(_Model):
    """The same question under another strategy."""

    reply: str
    """Empty where the model failed."""
    request_tokens: int
    first_token: float | None = None
    """Seconds until the first word came; None from a model that is not timed."""


class Asked(_Model):
    """A probe, what the model saw, and what it said."""

    reply: str
    request: list[Sent]
    searched: bool
    recalled: list[int]
    """Turns of the passages that a search brought back."""
    log: list[Logged]
    """What happened to facts of the kind that is asked for."""
    others: dict[str, Other]
    first_token: float | None = None
    """Seconds until the first word came; None from a model that is not timed."""


class TurnRecord(_Model):
    """One turn that was held."""

    turn: int
    version: int
    """How many compactions were applied."""
    through: int
    """The last turn that the summary covers."""
    request_tokens: int
    calls: int
    """Of the chosen model, with those behind the reply."""
    tokens: int
    current: dict[str, list[Place]]
    """Where the value that stands is found, for each planted fact that was said."""
    earlier: dict[str, list[Place]]
    """Where a value that stands no more is found, if anywhere."""
    asked: Asked | None = None
    checkpoint: str
    """Where the graph goes on from."""
    layers: dict[str, int] = Field(default_factory=dict)
    """Tokens of each layer of the request."""
    otherwise: dict[str, int] = Field(default_factory=dict)
    """Tokens of what each other strategy would have sent in this turn, asked or not."""
    spent: list[Spent] = Field(default_factory=list)
    """What the graph itself asked the chosen model for, apart from the other strategies."""

    def is_in(self, fact: str, place: Place) -> bool:
        """Whether the value of `fact` that stands is found there."""
        return place in self.current.get(fact, ())


class RecordsError(ValueError):
    """A file of records cannot be read; the message names it and the line."""


def append(path: Path, record: TurnRecord) -> None:
    """Adds a line."""
    with path.open("a", encoding="utf-8") as file:
        file.write(record.model_dump_json() + "\n")


def read_records(path: Path) -> list[TurnRecord]:
    """The turns that were held, in order; a last line that a crash cut is dropped from the file.

    Raises RecordsError.
    """
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    records: list[TurnRecord] = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            record = TurnRecord.model_validate_json(line)
        except ValidationError as error:
            raise RecordsError(f"{path}, line {number}: {error.errors()[0]['msg']}") from None
        if record.turn != number:
            raise RecordsError(f"{path}, line {number} is of turn {record.turn}")
        records.append(record)
    return records


def found(places: Mapping[Place, bool]) -> list[Place]:
    """The places where something is, in their order."""
    return [place for place in PLACES if places.get(place)]
