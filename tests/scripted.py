"""A chat model in process: a function answers, so that a test needs no socket."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.runnables import Runnable, RunnableConfig

from nodes.asking import Candidate

SERVER = "http://models.example/v1"


@dataclass(frozen=True)
class Asked:
    """One request: its messages, and the options that came with it."""

    messages: Sequence[BaseMessage]
    options: dict[str, Any]

    @property
    def format(self) -> str | None:
        """The kind of answer that was asked for."""
        body = self.options.get("extra_body", {})
        kind: str | None = body.get("response_format", {}).get("type")
        return kind


Answer = Callable[[Asked], Awaitable[AIMessageChunk]]


@dataclass(eq=False)
class Scripted(Runnable[LanguageModelInput, AIMessage]):
    """Answers each request with what a function returns, or fails as it raises."""

    answer: Answer
    asked: list[Asked] = field(default_factory=list)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        """Not offered."""
        raise NotImplementedError

    async def astream(
        self,
        input: Any,
        config: RunnableConfig | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        asked = Asked(input, kwargs)
        self.asked.append(asked)
        yield await self.answer(asked)


def candidate(answer: Answer, name: str = "m") -> Candidate:
    """A model to ask."""
    return Candidate(name=name, server=SERVER, model=Scripted(answer))


def whole(
    text: str, *, calls: Sequence[ToolCall] = (), finish: str = "stop", **more: Any
) -> AIMessageChunk:
    """A reply in one piece."""
    chunks = [
        tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=n)
        for n, call in enumerate(calls)
    ]
    return AIMessageChunk(
        content=text,
        tool_call_chunks=chunks,
        response_metadata={"finish_reason": "tool_calls" if calls else finish},
        chunk_position="last",
        additional_kwargs=more,
    )
