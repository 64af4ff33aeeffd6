"""What the benchmark knows of a contestant."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

from langchain_openai import ChatOpenAI
from langgraph.graph.state import CompiledStateGraph
from pydantic import SecretStr

from evals.bench.model import REPLY, SUMMARY
from graph.settings import Settings
from prompts.files import system_prompt


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a contestant works: an empty database of its own, and the model."""

    database: str
    model_url: str


async def _nothing() -> None:
    """There is no work behind the replies."""


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """A compiled graph with a saver, ready for a conversation."""

    graph: CompiledStateGraph[Any, Any, Any, Any]
    reply_node: str
    """The node whose tokens are the reply."""
    settled: Callable[[], Awaitable[None]] = _nothing
    """Waits for the work behind the replies."""


Opener = Callable[[Place], AbstractAsyncContextManager[Contestant]]

_OPENERS = {
    "all": "plain:everything",
    "trimmed": "plain:trimmed",
    "langchain": "middleware:defaults",
    "langchain-tuned": "middleware:tuned",
    "langmem": "langmem_node:summarised",
    "longhaul": "ours:longhaul",
}


def opener(name: str) -> Opener:
    """What opens a contestant. Imports only its own file: peers are heavy, and optional."""
    module, _, function = _OPENERS[name].partition(":")
    found = getattr(import_module(f"evals.bench.contestants.{module}"), function)
    return cast("Opener", found)


def default_settings(**values: Any) -> Settings:
    """The settings as they ship; the person's own environment is no part of a benchmark."""
    return Settings(_env_file=None, **values)


def instructions() -> str:
    """The system prompt, the same for all."""
    return system_prompt(default_settings().persona)


def reply_model(place: Place) -> ChatOpenAI:
    """The model that answers, as every contestant but longhaul opens it."""
    return _model(REPLY, place)


def summary_model(place: Place) -> ChatOpenAI:
    """The model that writes summaries."""
    return _model(SUMMARY, place)


def _model(name: str, place: Place) -> ChatOpenAI:
    return ChatOpenAI(
        model_name=name,
        openai_api_base=place.model_url,
        openai_api_key=SecretStr("none"),
        stream_usage=True,
    )
