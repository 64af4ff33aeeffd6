"""Opening chat models: any OpenAI-compatible server, three roles, one fallback."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_openai import ChatOpenAI
from openai import DefaultAsyncHttpxClient
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
    _bound: dict[tuple[str, bool], Runnable[LanguageModelInput, AIMessage]] = field(
        default_factory=dict
    )
    """By name, and whether it may call its tools: describing those takes milliseconds."""
    _learnt: dict[str, dict[str, int]] = field(default_factory=dict)
    """By name, what was found out about the server."""
    _client: DefaultAsyncHttpxClient | None = None
    """Our own: langchain-openai's is shared by all event loops, and outlives the one it is of."""

    async def responders(self, name: str, *, may_call: bool) -> list[Candidate]:
        """Model `name`, then the fallback; with the tools bound, or with calling them forbidden."""
        settings = self.settings()
        names = dict.fromkeys(n for n in (name, settings.fallback_model) if n)
        return [await self._responder(n, may_call=may_call) for n in names]

    async def summarisers(self) -> list[Candidate]:
        """The summarise model, then the fallback."""
        return await self._silent(self.settings().summarise_model)

    async def extractors(self) -> list[Candidate]:
        """The extract model, then the fallback."""
        return await self._silent(self.settings().extract_model)

    async def _silent(self, name: str | None) -> list[Candidate]:
        """The named model and the fallback; tagged so that no user's stream shows them."""
        settings = self.settings()
        first = name or settings.default_model
        names = dict.fromkeys(n for n in (first, settings.fallback_model) if n)
        return [self._candidate(n, (await self._open(n)).with_config(tags=[SILENT])) for n in names]

    async def _responder(self, name: str, *, may_call: bool) -> Candidate:
        model = await self._open(name)
        if not self.tools:
            return self._candidate(name, model)
        if (name, may_call) not in self._bound:
            # Tools stay in the request when they may not be called: they are part of its prefix.
            choice = "auto" if may_call else "none"
            self._bound[name, may_call] = model.bind_tools(self.tools, tool_choice=choice)
        return self._candidate(name, self._bound[name, may_call])

    def _candidate(self, name: str, model: Runnable[LanguageModelInput, AIMessage]) -> Candidate:
        server = shown_url(self._opened[name].openai_api_base or "")
        return Candidate(
            name=name,
            server=server,
            model=model,
            key=self.settings().openai_api_key,
            learnt=self._learnt.setdefault(name, {}),
        )

    async def _open(self, name: str) -> ChatOpenAI:
        server = await self.endpoint()
        if self._client is None:
            self._client = DefaultAsyncHttpxClient()
        if name not in self._opened:
            self._opened[name] = open_model(self.settings(), name, server, self._client)
        return self._opened[name]

    async def close(self) -> None:
        """Closes the connections to the model server; a later question opens new ones."""
        self._opened.clear()
        self._bound.clear()
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


class _OpenAI(ChatOpenAI):
    """Hears a refusal that is streamed, which langchain-openai drops: its words are the reply's.

    Its messages and tools, which are plain JSON by then, go to the server as they are.
    """

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        # By name, the client would walk them field by field along its types: half of the time of a
        # turn. What stands in `extra_body` takes the place of what is given by name.
        as_they_are = {k: payload[k] for k in ("messages", "tools") if k in payload}
        payload["messages"] = []
        payload.pop("tools", None)
        if _LENGTH in payload and not _is_openai(self.openai_api_base or ""):
            as_they_are["max_tokens"] = payload.pop(_LENGTH)
        payload["extra_body"] = {**as_they_are, **(payload.get("extra_body") or {})}
        return payload

    def _convert_chunk_to_generation_chunk(
        self,
        chunk: dict[str, Any],
        default_chunk_class: type,
        base_generation_info: dict[str, Any] | None,
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        choice, *_ = chunk.get("choices") or [{}]
        if made is not None and (words := (choice.get("delta") or {}).get("refusal")):
            made.message.content = words
            made.message.additional_kwargs["refusal"] = words
        return made


_LENGTH = "max_completion_tokens"
"""OpenAI's name for the longest reply. Many servers know `max_tokens` only, and would write on."""


def _is_openai(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host.endswith((".openai.com", ".azure.com"))


def shown_url(url: str) -> str:
    """`url` without a user, a password or a query, which can hold a key."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def open_model(
    settings: Settings, name: str, base_url: str, client: DefaultAsyncHttpxClient
) -> ChatOpenAI:
    """A chat model that streams, reports its usage, times out and retries as the settings say."""
    return _OpenAI(
        model_name=name,
        openai_api_base=base_url,
        openai_api_key=settings.openai_api_key or SecretStr("none"),
        request_timeout=settings.request_timeout,
        stream_chunk_timeout=settings.request_timeout,
        max_retries=settings.retries,
        max_tokens=settings.reply_tokens,
        reasoning_effort=settings.reasoning_effort,
        stream_usage=True,
        http_async_client=client,
        use_responses_api=False,  # langchain-openai would choose it by the model's name
    )
