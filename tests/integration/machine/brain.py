"""The models of the machine: they answer, fail or wait as they are told, and check each request."""

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Literal

import httpx
import openai
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessageChunk, BaseMessage, ToolCall

from graph.models import Models
from nodes.asking import Candidate
from tests.integration.machine.requests import Expected, check_request
from tests.scripted import SERVER, Asked, Scripted, whole

SummaryMode = Literal[
    "good", "lazy", "lying", "malformed", "blank", "placeholder", "cut", "down", "refused", "slow"
]
ExtractMode = Literal["good", "nothing", "malformed", "down", "refused", "slow"]
Respond = Literal["well", "down", "overflow", "hold"]
POISON = "POISON"
"""A word that the summariser's provider refuses to read."""


class _Overflow(openai.BadRequestError, ContextOverflowError):
    """As langchain-openai raises it."""


def _refused(kind: type[openai.BadRequestError] = openai.BadRequestError) -> Exception:
    response: Any = httpx.Response(400, request=httpx.Request("POST", SERVER))
    return kind("refused", response=response, body=None)


def _down() -> Exception:
    request: Any = httpx.Request("POST", SERVER)
    return openai.APITimeoutError(request=request)


@dataclass
class Brain:
    """What the models do next, and what they were shown."""

    summary: SummaryMode = "good"
    extract: ExtractMode = "good"
    respond: Respond = "well"
    rounds: deque[int] = field(default_factory=deque)
    """How many tools each of the next replies calls."""
    reply_words: int = 3
    expected: dict[str, Expected] = field(default_factory=dict)
    """What a request has to look like, by the code of its newest user message."""
    replies: set[str] = field(default_factory=set)
    """Every reply that was given."""
    partial: set[str] = field(default_factory=set)
    """What was given of the replies that were stopped."""
    shown: str = ""
    """All that a summariser was shown and answered for, without white space."""
    read: str = ""
    """All that an extractor was shown and answered for."""
    problems: list[str] = field(default_factory=list)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    _count: int = 0
    _halved: bool = False

    async def reply(self, asked: Asked, *, may_call: bool) -> AsyncIterator[AIMessageChunk]:
        """A reply in chunks, after a look at the request."""
        self.problems += check_request(asked.messages, self.expected, halved=self._halved)
        self._halved = self.respond == "overflow"
        self._count += 1
        if self.respond == "down":
            raise _down()
        if self.respond == "overflow":
            self.respond = "well"
            raise _refused(_Overflow)
        if self.respond == "hold":
            self.partial.add(f"P{self._count}")
            yield AIMessageChunk(content=f"P{self._count}")
            self.reached.set()
            await asyncio.Event().wait()
        calls = self.rounds.popleft() if self.rounds and may_call else 0
        text = f"R{self._count} " + "so " * self.reply_words
        self.replies.add(text)
        yield whole(text, calls=[_call(f"{self._count}-{n}") for n in range(calls)])

    async def summarise(self, asked: Asked) -> AIMessageChunk:
        """The changes to the notes."""
        words, mode = asked.messages[-1].text, self.summary
        if mode == "slow":
            await self.gate.wait()
        if mode == "down":
            raise _down()
        if mode == "refused" or POISON in words:
            raise _refused()
        text = {
            "malformed": '{"add": [{"kind": "gossip"}]}',
            "blank": " ",
            "placeholder": '{"add": [{"kind": "happened", "text": "...", "turns": [1]}]}',
        }.get(mode)
        if text is not None:
            return whole(text)
        if mode == "cut":
            return whole(json.dumps(_changes(words, mode)), finish="length")
        self._note_shown(words)
        return whole(json.dumps(_changes(words, mode)))

    async def extract_from(self, asked: Asked) -> AIMessageChunk:
        """The facts of some turns."""
        words, mode = asked.messages[-1].text, self.extract
        if mode == "slow":
            await asyncio.Event().wait()
        if mode == "down":
            raise _down()
        if mode == "refused" or POISON in words:
            raise _refused()
        if mode == "malformed":
            return whole("No facts.")
        self.read += words
        return whole(json.dumps({"facts": _facts(words) if mode == "good" else []}))

    def _note_shown(self, words: str) -> None:
        _, found, turns = words.partition("\n\nTurns:\n")
        if found and "\nThese values of the turns are in no note:\n" not in turns:
            self.shown += "".join(unescape(turns.rpartition("\n\n")[0]).split())


def _call(item: str) -> ToolCall:
    return ToolCall(name="fetch", args={"item": item}, id=f"c{item}", type="tool_call")


def _changes(words: str, mode: SummaryMode) -> dict[str, Any]:
    turns = re.findall(r'<turn n="(\d+)".*?<user>(\S*)', words, re.DOTALL)
    notes = [
        {"kind": kind, "text": f"User spoke of {unescape(code)}.", "turns": [int(turn)]}
        for turn, code in (turns[:1] if mode == "lazy" else turns)
        for kind in ("happened", "open")[: 1 + (int(turn) % 5 == 0)]
    ]
    if mode != "lying":
        return {"add": notes}
    invented = {"kind": "decided", "text": "User owes 99999 to Barbara.", "turns": [1]}
    return {
        "add": [invented, *notes],
        "reword": [{"id": 1, "text": "User owes 99999.", "turns": [1]}],
        "close": [0, 10_000],
    }


def _facts(words: str) -> list[dict[str, Any]]:
    turns = re.findall(r'<turn n="(\d+)".*?<user>(K\d{4})', words, re.DOTALL)
    return [
        {"kind": kind, "value": code, "quote": code, "turn": int(turn), "act": "state"}
        for turn, code in turns
        for kind in ("budget", "note")[: 1 + (int(turn) % 6 == 0)]
    ]


@dataclass(eq=False)
class _Responder(Scripted):
    brain: Brain = field(default_factory=Brain)
    may_call: bool = True

    async def astream(self, input: Any, config: Any = None, **kwargs: Any) -> AsyncIterator[Any]:  # noqa: ARG002
        messages: Sequence[BaseMessage] = input
        async for chunk in self.brain.reply(Asked(messages, kwargs), may_call=self.may_call):
            yield chunk


@dataclass(kw_only=True)
class BrainModels(Models):
    """Models that are a brain."""

    brain: Brain

    async def responders(self, name: str, *, may_call: bool) -> list[Candidate]:
        model = _Responder(self.brain.summarise, brain=self.brain, may_call=may_call)
        return [Candidate(name=name, server=SERVER, model=model)]

    async def summarisers(self) -> list[Candidate]:
        return [Candidate(name="s", server=SERVER, model=Scripted(self.brain.summarise))]

    async def extractors(self) -> list[Candidate]:
        return [Candidate(name="e", server=SERVER, model=Scripted(self.brain.extract_from))]
