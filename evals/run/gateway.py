"""What the graph takes for its model: scripted replies, and else the model that is chosen."""

import threading
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from app.model_server.chat import ChatRequest, text_of
from app.model_server.script import Answer
from app.model_server.steps import Reply, Step, Usage, text
from evals.run.records import Spent
from state.operations import Operations
from state.summary import Changes
from state.tokens import PER_MESSAGE, count_text

_FORMS: tuple[type[BaseModel], ...] = (Operations, Changes)


@dataclass
class Meter:
    """What the chosen model was asked for, by all conversations together; written by any thread."""

    most_calls: int = 0
    """0: as many as it takes."""
    most_tokens: int = 0
    calls: int = 0
    tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, tokens: int, calls: int = 1) -> None:
        """Counts calls and their tokens."""
        with self._lock:
            self.calls += calls
            self.tokens += tokens

    @property
    def spent(self) -> str:
        """Which cap is reached; empty while none is."""
        if 0 < self.most_calls <= self.calls:
            return f"the cap of {self.most_calls} calls is reached"
        if 0 < self.most_tokens <= self.tokens:
            return f"the cap of {self.most_tokens} tokens is reached"
        return ""


@dataclass(frozen=True, kw_only=True)
class TimedReply(Reply):
    """A reply of a model whose first word was waited for."""

    first_token: float
    """Seconds from the request to the first word."""


def first_token(step: Step) -> float | None:
    """Seconds until the first word came; None from a model that is not timed."""
    return step.first_token if isinstance(step, TimedReply) else None


@dataclass
class Gateway:
    """The model of one conversation, whose player says before each turn how it is answered."""

    model: Answer
    meter: Meter
    reply: str | None = None
    """What is answered in this turn; None: the model answers."""
    asked: ChatRequest | None = None
    """The newest request for a reply."""
    first_token: float | None = None
    """Of the newest reply of the model itself."""
    calls: int = 0
    """How often the model was asked since `turn`."""
    tokens: int = 0
    _spent: dict[tuple[str, str], Spent] = field(default_factory=dict)

    def turn(self, reply: str | None) -> None:
        """Begins a turn."""
        self.reply, self.asked, self.first_token = reply, None, None
        self.calls, self.tokens, self._spent = 0, 0, {}

    def spent(self) -> list[Spent]:
        """What was asked since `turn`, by purpose and model."""
        return [self._spent[key] for key in sorted(self._spent)]

    def __call__(self, request: ChatRequest) -> Step:
        if not (form := form_of(request)):
            self.asked = request
            if self.reply is not None:
                return text(self.reply, usage=Usage(prompt_tokens=0, completion_tokens=0))
        step = self.ask(request, form or "reply")
        if not form:
            self.first_token = first_token(step)
        return step

    def ask(self, request: ChatRequest, purpose: str = "otherwise") -> Step:
        """The model's answer, counted; a refusal costs nothing."""
        step = self.model(request)
        used = _usage(request, step)
        tokens = used.prompt_tokens + used.completion_tokens
        self.calls += 1
        self.tokens += tokens
        self.meter.add(tokens)
        self._note(purpose, request.model, used)
        return step

    def _note(self, purpose: str, model: str, used: Usage) -> None:
        key = (purpose, model)
        before = self._spent.get(key)
        self._spent[key] = Spent(
            purpose=purpose,
            model=model,
            calls=(before.calls if before else 0) + 1,
            input=(before.input if before else 0) + used.prompt_tokens,
            cached=(before.cached if before else 0) + used.cached_tokens,
            output=(before.output if before else 0) + used.completion_tokens,
        )


def form_of(request: ChatRequest) -> str:
    """The name of the form that is to be filled in, however it is asked for; empty for a reply."""
    wanted: dict[str, Any] = request.body.get("response_format") or {}
    if not wanted or wanted.get("type") == "text":
        return ""
    # As llama.cpp wants it, the form has no name.
    fields = (wanted.get("schema") or {}).get("properties", {}).keys()
    named = (shape.__name__ for shape in _FORMS if fields == shape.model_fields.keys())
    return request.schema_name or next(named, "form")


def _usage(request: ChatRequest, step: Step) -> Usage:
    """What the server says it took; else counted as the graph counts."""
    if not isinstance(step, Reply):
        return Usage(prompt_tokens=0, completion_tokens=0)
    if step.usage is not None:
        return step.usage
    sent = sum(PER_MESSAGE + count_text(text_of(message)) for message in request.messages)
    return Usage(prompt_tokens=sent, completion_tokens=count_text(step.content or ""))
