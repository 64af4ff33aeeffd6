"""What the graph takes for its model: scripted replies, and else the model that is chosen."""

import threading
from dataclasses import dataclass, field

from app.model_server.chat import ChatRequest, text_of
from app.model_server.script import Answer
from app.model_server.steps import Reply, Step, Usage, text
from state.tokens import PER_MESSAGE, count_text


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


@dataclass
class Gateway:
    """The model of one conversation, whose player says before each turn how it is answered."""

    model: Answer
    meter: Meter
    reply: str | None = None
    """What is answered in this turn; None: the model answers."""
    asked: ChatRequest | None = None
    """The newest request for a reply."""
    calls: int = 0
    """How often the model was asked since `turn`."""
    tokens: int = 0

    def turn(self, reply: str | None) -> None:
        """Begins a turn."""
        self.reply, self.asked, self.calls, self.tokens = reply, None, 0, 0

    def __call__(self, request: ChatRequest) -> Step:
        if request.schema_name is None:
            self.asked = request
            if self.reply is not None:
                return text(self.reply, usage=Usage(prompt_tokens=0, completion_tokens=0))
        return self.ask(request)

    def ask(self, request: ChatRequest) -> Step:
        """The model's answer, counted."""
        step = self.model(request)
        tokens = _tokens(request, step)
        self.calls += 1
        self.tokens += tokens
        self.meter.add(tokens)
        return step


def request_tokens(request: ChatRequest) -> int:
    """Tokens of the messages of a request, as the graph counts them."""
    return sum(PER_MESSAGE + count_text(text_of(message)) for message in request.messages)


def _tokens(request: ChatRequest, step: Step) -> int:
    """What the server says it took; else counted as the graph counts."""
    reply = step if isinstance(step, Reply) else Reply()
    if reply.usage is not None:
        return reply.usage.prompt_tokens + reply.usage.completion_tokens
    return request_tokens(request) + count_text(reply.content or "")
