"""Turns to fold, and what a summary of them must say: the form of the files, and their check."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from evals.run.conversation import Value
from evals.suites.detection import MaterialError
from state.admission import AT
from state.exchanges import Exchange

FOLDER = Path(__file__).with_name("material") / "summaries"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Spoken(_Model):
    """One turn."""

    user: str = Field(min_length=1)
    tool: str = ""
    """What a tool told the bot before its reply."""
    bot: str = Field(min_length=1)


class Kept(Value):
    """What the notes must hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    turn: int
    """Which turn says it."""
    open: bool = False
    """Whether it is a thread that is not settled at the end; its pattern tells all its wordings."""


class Pattern(_Model):
    """What the notes must not claim."""

    what: str
    pattern: str
    """A regular expression, case apart."""
    quoted: int = 0
    """The turn that only quotes somebody who says so, if one does."""

    def stands_in(self, text: str) -> bool:
        """Whether `text` says it."""
        return re.search(self.pattern, text, re.IGNORECASE) is not None


class Gone(Pattern):
    """What a turn gives up, so that no note may hold it for a plan."""

    turn: int
    unless: str = (
        "drop|cancel|no longer|not any|instead|bankrupt|abandon|gave up|moved|reschedul|forget"
    )
    """A regular expression of words that say so: a note with them is right."""

    def stands_in(self, text: str) -> bool:
        """Whether `text` holds it for a plan."""
        return super().stands_in(text) and re.search(self.unless, text, re.IGNORECASE) is None


class Case(_Model):
    """One file."""

    about: str
    start: AwareDatetime
    folds: tuple[int, ...] = Field(min_length=1)
    """After which turns the ones before are folded."""
    turns: tuple[Spoken, ...] = Field(alias="turn")
    kept: tuple[Kept, ...] = Field(min_length=1)
    gone: tuple[Gone, ...] = ()
    false: tuple[Pattern, ...] = ()
    """What nobody said."""

    def exchanges(self) -> list[Exchange]:
        """The turns as messages."""
        return [
            _exchange(number, spoken, (self.start + timedelta(hours=number)).isoformat())
            for number, spoken in enumerate(self.turns, 1)
        ]


def read_cases(names: Sequence[str] = (), folder: Path = FOLDER) -> dict[str, Case]:
    """The files of `folder`, or those named, by name. Raises MaterialError."""
    there = {path.stem: path for path in sorted(folder.glob("*.toml"))}
    if unknown := [name for name in names if name not in there]:
        raise MaterialError(f"{unknown[0]!r} is none of {', '.join(there)}")
    return {name: _read(there[name]) for name in names or there}


def _read(path: Path) -> Case:
    try:
        case = Case.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise MaterialError(f"{path.name}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = " ".join(str(p + 1) if isinstance(p, int) else p for p in first["loc"])
        raise MaterialError(f"{path.name}: {place}: {first['msg']}") from None
    if wrong := next(_faults(case), ""):
        raise MaterialError(f"{path.name}: {wrong}")
    return case


def _faults(case: Case) -> Iterator[str]:
    """What cannot be right, for each promise that a file makes."""
    said = [f"{spoken.user}\n{spoken.bot}" for spoken in case.turns]
    if list(case.folds) != sorted(set(case.folds)) or case.folds[-1] != len(said):
        yield f"folds {list(case.folds)} do not ascend to turn {len(said)}"
    turns = [*(kept.turn for kept in case.kept), *(gone.turn for gone in case.gone)]
    if strange := [turn for turn in turns if not 1 <= turn <= len(said)]:
        yield f"there is no turn {strange[0]}"
        return
    for kept in case.kept:
        yield from _kept_faults(kept, said[kept.turn - 1])
    for gone in case.gone:
        if not any(Pattern.stands_in(gone, words) for words in said[: gone.turn]):
            yield f"gone {gone.what!r} was in no turn up to {gone.turn}"
    for false in case.false:
        holding = [n for n, words in enumerate(said, 1) if false.stands_in(words)]
        yield from (f"false {false.what!r} is in turn {n}" for n in holding if n != false.quoted)


def _kept_faults(kept: Kept, words: str) -> Iterator[str]:
    if kept.value not in words:
        yield f"kept {kept.value!r} is not in turn {kept.turn}"
    elif not kept.open and not kept.stands_in(kept.value):
        yield f"kept {kept.value!r} does not match its own pattern"


def _exchange(number: int, spoken: Spoken, at: str) -> Exchange:
    asked = HumanMessage(spoken.user, id=f"u{number}", additional_kwargs={AT: at})
    messages: list[AnyMessage] = [asked]
    if spoken.tool:
        call = ToolCall(type="tool_call", id=f"c{number}", name="look_up", args={})
        messages.append(AIMessage("", id=f"t{number}", tool_calls=[call]))
        messages.append(ToolMessage(spoken.tool, id=f"r{number}", tool_call_id=f"c{number}"))
    return Exchange((*messages, AIMessage(spoken.bot, id=f"a{number}")))
