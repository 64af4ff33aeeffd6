"""Opening chat models: any OpenAI-compatible server, three roles, one fallback."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import httpx
from langchain_core.tools import BaseTool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from graph.settings import Settings
from nodes.asking import Candidate

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

    async def _responder(self, name: str, *, may_call: bool) -> Candidate:
        server = await self.endpoint()
        model = self._opened.setdefault(name, open_model(self.settings(), name, server))
        if not self.tools:
            return Candidate(name=name, server=server, model=model)
        # The tools stay in the request when they may not be called: they are part of its prefix.
        choice = "auto" if may_call else "none"
        bound = model.bind_tools(self.tools, tool_choice=choice)
        return Candidate(name=name, server=server, model=bound)


def open_model(settings: Settings, name: str, base_url: str) -> ChatOpenAI:
    """A chat model that streams, reports its usage, times out and retries as the settings say."""
    return ChatOpenAI(
        model_name=name,
        openai_api_base=base_url,
        openai_api_key=settings.openai_api_key or SecretStr("none"),
        request_timeout=httpx.Timeout(settings.request_timeout),
        stream_chunk_timeout=settings.request_timeout,
        max_retries=settings.retries,
        max_tokens=settings.reply_tokens,
        stream_usage=True,
    )
