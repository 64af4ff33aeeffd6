"""Opening chat models: any OpenAI-compatible server, three roles, one fallback."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from langchain_core.tools import BaseTool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from graph.settings import Settings
from nodes.asking import Candidate

SILENT = "nostream"
"""LangGraph's tag for a model whose tokens stay out of the run's stream."""

Endpoint = Callable[[], Awaitable[str]]
"""Where the model server is: a base URL, known once a local one has started."""


@dataclass(kw_only=True)
class Models:
    """The models of one process, opened at their first use and kept."""

    settings: Callable[[], Settings]
    endpoint: Endpoint
    tools: Sequence[BaseTool] = ()
    _opened: dict[str, ChatOpenAI] = field(default_factory=dict)

    async def responders(self, name: str, *, may_call: bool) -> list[Candidate]:
        """Model `name`, then the fallback; with the tools bound, or with calling them forbidden."""
        settings = self.settings()
        names = dict.fromkeys(n for n in (name, settings.fallback_model) if n)
        return [await self._responder(n, may_call=may_call) for n in names]

    async def summarisers(self) -> list[Candidate]:
        """The summarise model, then the fallback; tagged so that no user's stream shows them."""
        settings = self.settings()
        first = settings.summarise_model or settings.default_model
        server = await self.endpoint()
        names = dict.fromkeys(n for n in (first, settings.fallback_model) if n)
        return [
            Candidate(name=n, server=server, model=self._open(n, server).with_config(tags=[SILENT]))
            for n in names
        ]

    async def _responder(self, name: str, *, may_call: bool) -> Candidate:
        server = await self.endpoint()
        model = self._open(name, server)
        if not self.tools:
            return Candidate(name=name, server=server, model=model)
        # The tools stay in the request when they may not be called: they are part of its prefix.
        choice = "auto" if may_call else "none"
        bound = model.bind_tools(self.tools, tool_choice=choice)
        return Candidate(name=name, server=server, model=bound)

    def _open(self, name: str, server: str) -> ChatOpenAI:
        if name not in self._opened:
            self._opened[name] = open_model(self.settings(), name, server)
        return self._opened[name]


def open_model(settings: Settings, name: str, base_url: str) -> ChatOpenAI:
    """A chat model that streams, reports its usage, times out and retries as the settings say."""
    return ChatOpenAI(
        model_name=name,
        openai_api_base=base_url,
        openai_api_key=settings.openai_api_key or SecretStr("none"),
        request_timeout=settings.request_timeout,
        stream_chunk_timeout=settings.request_timeout,
        max_retries=settings.retries,
        max_tokens=settings.reply_tokens,
        stream_usage=True,
    )
