"""Chroma's own HTTP client, with connections of its own, checked certificates and clear errors."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx
from chromadb.api.async_fastapi import AsyncFastAPI
from chromadb.config import Settings, System
from typing_extensions import override

from memory.scope import VectorError

_CONNECT_SECONDS = 3.0
_MOST_WORDS = 300
_API = "/api/v2"
_FAULTS = (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, TypeError, KeyError)
"""What the client raises for an answer that is late, broken or none."""


class ChromaServer(AsyncFastAPI):
    """The client that `chromadb.AsyncHttpClient` would use.

    Upstream, its connections are shared by all clients of an event loop, and by the next loop that
    gets the same address; they wait forever, and certificates are not checked unless one asks.
    """

    _http: httpx.AsyncClient | None = None

    @override
    def _get_client(self) -> httpx.AsyncClient:
        if self._http is None:
            self._http = httpx.AsyncClient(
                headers={
                    "Content-Type": "application/json",
                    **(self._settings.chroma_server_headers or {}),
                },
                timeout=httpx.Timeout(None, connect=_CONNECT_SECONDS),
                limits=self.http_limits,
                event_hooks={"response": [_checked]},
            )
        return self._http

    def prepare(self) -> None:
        """Makes the client: it reads the certificates, which no event loop should wait for."""
        self._get_client()

    async def close(self) -> None:
        """Closes the connections."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None


@dataclass(kw_only=True)
class Connection:
    """Where Chroma is, opened at the first need; for one event loop."""

    endpoint: Callable[[], Awaitable[str]]
    """The base URL, known once a local server has started. Raises VectorError."""
    token: str | None = None
    tenant: str = "default_tenant"
    database: str = "default_database"
    _server: ChromaServer | None = None
    _url: str = ""
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def bounded(self, seconds: float) -> AsyncIterator[ChromaServer]:
        """The server, for work of at most so long. What fails is raised as VectorError."""
        try:
            async with asyncio.timeout(seconds):
                yield await self._opened()
        except TimeoutError as error:
            raise VectorError(f"{self._named} did not answer within {seconds:g} s") from error
        except httpx.HTTPStatusError as error:
            gone = error.response.status_code == httpx.codes.NOT_FOUND
            raise VectorError(f"{self._named} refused: {error}", gone=gone) from error
        except httpx.TransportError as error:
            raise VectorError(f"{self._named} cannot be reached") from error
        except _FAULTS as error:
            raise VectorError(f"{self._named} failed: {type(error).__name__}: {error}") from error

    async def close(self) -> None:
        """Closes what is open; a later call opens it anew."""
        server, self._server, self._url = self._server, None, ""
        if server is not None:
            await server.close()

    async def _opened(self) -> ChromaServer:
        url = await self.endpoint()
        async with self._opening:
            if self._server is None or url != self._url:
                await self.close()
                self._server = await asyncio.to_thread(_open, url, self.token)
                self._url = url
            return self._server

    @property
    def _named(self) -> str:
        parts = urlsplit(self._url)
        return f"Chroma at {parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _open(url: str, token: str | None) -> ChromaServer:
    parts = urlsplit(url)
    settings = Settings(  # reads a file `.env`, so this runs in a thread
        anonymized_telemetry=False,
        chroma_api_impl="chromadb.api.async_fastapi.AsyncFastAPI",
        chroma_server_host=f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}{_API}",
        chroma_server_http_port=parts.port or (443 if parts.scheme == "https" else 80),
        chroma_server_ssl_enabled=parts.scheme == "https",
        chroma_server_headers={"X-Chroma-Token": token} if token else None,
    )
    server = System(settings).instance(ChromaServer)
    server.prepare()
    return server


async def _checked(response: httpx.Response) -> None:
    if response.is_error:
        await response.aread()
        text = f"status {response.status_code}: {response.text[:_MOST_WORDS]}"
        raise httpx.HTTPStatusError(text, request=response.request, response=response)
