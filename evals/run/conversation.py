"""A conversation with planted facts: the form of its file, and the check of what it says."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from state.catalogue import KINDS, Speaker
from state.wording import folded, holds

Sort = Literal["fact", "negation", "promise", "invention", "instruction", "detail", "injection"]
"""`detail` never becomes a fact; `injection` is an order in data, which is never obeyed."""
Home = Literal["facts", "summary", "archive"]
"""Where a thing must be found when the window has lost it."""
Topic = Literal["support", "planning", "companion"]

FOLDER = Path(__file__).parents[1] / "conversations"
"""The shipped conversations, a file each."""


class ConversationError(ValueError):
    """A conversation's file cannot be used; the message names the file, the place and the fault."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Value(_Model):
    """A value as it is looked for: by itself in other words, or by a pattern."""

    value: str
    pattern: str = ""
    """A regular expression, case apart; for what can be said in several ways."""

    def stands_in(self, text: str) -> bool:
        """Whether `text` says it."""
        if self.pattern:
            return self._form.search(text) is not None
        return holds(folded(text), folded(self.value))

    @cached_property
    def _form(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE)


class Says(Value):
    """What a turn does to a planted fact: gives it a value, or with an empty one takes it back."""

    fact: str
    value: str = ""


class Planted(_Model):
    """A thing that is said, and asked for later."""

    sort: Sort = "fact"
    kind: str = ""
    """Of the catalogue; empty for what is no fact there."""
    kept: Home | None = None
    """None: in the facts when it has a kind, in the archive when it is a detail, else summary."""
    by: Speaker = "user"
    near: tuple[str, ...] = ()
    """Other facts whose values must not be taken for this one's."""
    form: str = ""
    """A regular expression, case counts: what any value of this looks like, to see an invention."""
    asked: str = ""
    """A regular expression: a reply that asks for it."""

    @property
    def home(self) -> Home:
        """Where it must be found when the window has lost it."""
        if self.kept is not None:
            return self.kept
        if self.kind:
            return "facts"
        return "archive" if self.sort == "detail" else "summary"


class Probe(_Model):
    """A question whose answer is known."""

    fact: str = ""
    """What it asks for; empty: what nobody ever said."""
    holds: str = ""
    """A regular expression that a right reply matches, in place of the value."""
    breaks: str = ""
    """A regular expression that a right reply does not match."""
    invents: str = ""
    """A regular expression, case counts: how an invented answer looks where there is none."""


class Turn(_Model):
    """What the user says, and what the bot says in return: nothing, where a model is to answer."""

    user: str = Field(min_length=1)
    bot: str = ""
    at: int | None = Field(None, ge=1)
    """Its number; the turns before it that are not written here are filler. None: the next."""
    follows: bool = False
    """Whether it stays right behind the turn before it when the conversation is stretched."""
    hours: float = Field(0.0, ge=0)
    """How long after the turn before it; 0: some minutes."""
    says: tuple[Says, ...] = ()
    probe: Probe | None = None


class Conversation(_Model):
    """One file."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
    about: str
    persona: str = "support"
    filler: Topic = "support"
    start: AwareDatetime
    facts: dict[str, Planted]
    turns: tuple[Turn, ...] = Field(alias="turn", min_length=1)

    @property
    def places(self) -> list[int]:
        """The number of each written turn."""
        numbers: list[int] = []
        for turn in self.turns:
            numbers.append(turn.at or (numbers[-1] if numbers else 0) + 1)
        return numbers


def read(path: Path) -> Conversation:
    """The conversation of a file. Raises ConversationError."""
    try:
        return parsed(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConversationError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, ConversationError) as error:
        raise ConversationError(f"{path.name}: {error}") from None


def parsed(data: dict[str, Any]) -> Conversation:
    """The checked conversation. Raises ConversationError, naming all that is wrong."""
    try:
        conversation = Conversation.model_validate(data)
    except ValidationError as error:
        faults = [_told(each["loc"], each["msg"]) for each in error.errors()]
        raise ConversationError("; ".join(faults)) from None
    if wrong := list(_faults(conversation)):
        raise ConversationError("; ".join(wrong))
    return conversation


def shipped(names: Sequence[str] = (), folder: Path = FOLDER) -> list[Conversation]:
    """The conversations of `folder`, or those named; one that ends with .toml is a file elsewhere.

    Raises ConversationError for a name that is none of them, and for two that are called the same.
    """
    there = {path.stem: path for path in sorted(folder.glob("*.toml"))}
    paths = {name: there.get(name, Path(name)) for name in names or there}
    if unknown := [name for name in names if name not in there and not name.endswith(".toml")]:
        raise ConversationError(f"{unknown[0]!r} is none of {', '.join(there)}")
    found = [read(path) for path in paths.values()]
    called = [each.name for each in found]
    if twice := [name for name in called if called.count(name) > 1]:
        raise ConversationError(f"two conversations are called {twice[0]!r}")
    return found


def _told(loc: tuple[int | str, ...], message: str) -> str:
    """The place as a person counts: the first turn is turn 1."""
    parts = [str(part + 1) if isinstance(part, int) else part for part in loc]
    return f"{' '.join(parts)}: {message}"


def _faults(conversation: Conversation) -> Iterator[str]:
    for name, planted in conversation.facts.items():
        yield from (f"facts {name}: {fault}" for fault in _planted_faults(planted, conversation))
    places = conversation.places
    for number, (turn, place) in enumerate(zip(conversation.turns, places, strict=True), 1):
        if number > 1 and place <= places[number - 2]:
            yield f"turn {number}: at = {place} does not come after turn {places[number - 2]}"
        yield from (f"turn {number}: {fault}" for fault in _turn_faults(turn, number, conversation))


def _planted_faults(planted: Planted, conversation: Conversation) -> Iterator[str]:
    if planted.kind and planted.kind not in KINDS:
        yield f"kind {planted.kind!r} is none of the catalogue's: {', '.join(KINDS)}"
    elif planted.kind and KINDS[planted.kind].by != planted.by:
        yield f"kind {planted.kind!r} is stated by the {KINDS[planted.kind].by}"
    yield from (f"near {n!r} is no fact here" for n in planted.near if n not in conversation.facts)
    yield from _bad_patterns(form=planted.form, asked=planted.asked)


def _turn_faults(turn: Turn, number: int, conversation: Conversation) -> Iterator[str]:
    if bool(turn.bot) == (turn.probe is not None):
        yield "it needs either the bot's words or a probe"
    for says in turn.says:
        yield from _says_faults(says, turn, number, conversation)
    if turn.probe is not None:
        yield from _probe_faults(turn.probe, turn, number, conversation)


def _says_faults(says: Says, turn: Turn, number: int, conversation: Conversation) -> Iterator[str]:
    if bad := list(_bad_patterns(pattern=says.pattern)):
        yield from bad
    elif says.fact not in conversation.facts:
        yield f"it says {says.fact!r}, which is no fact here"
    elif says.value:
        speaker = conversation.facts[says.fact].by
        if not says.stands_in(turn.user if speaker == "user" else turn.bot):
            yield f"{says.fact} {says.value!r} is not in the {speaker}'s words"
    elif not said_before(conversation, says.fact, number):
        yield f"{says.fact} is taken back before it is said"


def _probe_faults(
    probe: Probe, turn: Turn, number: int, conversation: Conversation
) -> Iterator[str]:
    if bad := list(_bad_patterns(holds=probe.holds, breaks=probe.breaks, invents=probe.invents)):
        yield from bad
        return
    if not probe.fact:
        return
    said = said_before(conversation, probe.fact, number)
    if not said:
        yield f"it asks for {probe.fact!r}, which no earlier turn says"
    elif said[-1].value and not probe.holds and said[-1].stands_in(turn.user):
        yield f"it asks for {probe.fact} and gives the answer away"


def said_before(conversation: Conversation, fact: str, number: int) -> list[Says]:
    """What the written turns before the `number`th say of `fact`, in order."""
    earlier = conversation.turns[: number - 1]
    return [says for turn in earlier for says in turn.says if says.fact == fact]


def _bad_patterns(**patterns: str) -> Iterator[str]:
    for name, pattern in patterns.items():
        try:
            re.compile(pattern)
        except re.error as error:
            yield f"{name} {pattern!r}: {error}"
