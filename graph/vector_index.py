"""Opening what old turns are searched with, as the settings say: embedder, Chroma, indexer."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graph.models import shown_url
from graph.services import ServiceError, local_service
from graph.settings import Settings
from memory.scope import VectorError

if TYPE_CHECKING:
    from memory.embeddings import Embedder
    from memory.indexing import Indexer, Texts

OPENAI = "https://api.openai.com/v1"

log = logging.getLogger(__name__)


def open_embedder(settings: Settings) -> "Embedder":
    """The embedder that the settings name. Nothing is loaded or asked before it is used."""
    from memory.embeddings import OFFLINE, compatible, offline  # noqa: PLC0415

    if settings.embedding_model == OFFLINE:
        return offline()
    url = settings.embedding_base_url or settings.openai_base_url or OPENAI
    return compatible(
        settings.embedding_model,
        base_url=url,
        shown=shown_url(url),
        key=settings.embedding_api_key or settings.openai_api_key,
        seconds=settings.embedding_timeout,
        retries=settings.retries,
    )


@dataclass(kw_only=True)
class VectorIndex:
    """The vectors of one process and event loop. Nothing is opened or imported before it is used.

    Chroma's client and the embedder take seconds to import, so they are imported in a thread.
    """

    settings: Callable[[], Settings]
    texts: "Texts"
    """What of a row is embedded, by leg."""
    prefix: str = "longhaul"
    """What the names of the collections begin with."""
    embedder: "Callable[[Settings], Embedder]" = open_embedder
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _indexer: "Indexer | None" = None
    _told: bool = False
    _starting: asyncio.Task[str] | None = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def off(self) -> bool:
        """Whether vectors are of no use, or have no place: no Chroma is named, nor a checkout's."""
        settings = self.settings()
        return settings.recall == "never" or (settings.container and settings.chroma_url is None)

    async def indexer(self) -> "Indexer | None":
        """Embedder and vectors, with what keeps them level; None while recall is off."""
        if self.off:
            if not self._told and self.settings().recall != "never":
                self._told = True
                log.warning("LONGHAUL_CHROMA_URL is not set: old turns are not searched for")
            return None
        async with self._opening:
            if self._indexer is None:
                self._indexer = await asyncio.to_thread(self._open)
            return self._indexer

    async def close(self) -> None:
        """Closes the connections, and leaves the local Chroma; a later use opens them anew."""
        indexer, self._indexer = self._indexer, None
        if indexer is not None:
            await indexer.embedder.close()
            await indexer.vectors.collections.connection.close()
        starting, self._starting = self._starting, None
        if starting is not None:
            starting.cancel()
            await asyncio.wait([starting])
        await self._stack.aclose()

    async def _url(self) -> str:
        """Where Chroma is. One that has to be started goes on starting when a caller gives up."""
        settings = self.settings()
        if settings.chroma_url is not None:
            return settings.chroma_url
        if self._starting is None or self._has_failed(self._starting):
            started = local_service("chroma", settings.data)
            self._starting = asyncio.create_task(self._stack.enter_async_context(started))
        try:
            return await asyncio.shield(self._starting)
        except ServiceError as error:
            raise VectorError(str(error)) from error

    @staticmethod
    def _has_failed(task: asyncio.Task[str]) -> bool:
        return task.done() and (task.cancelled() or task.exception() is not None)

    def _open(self) -> "Indexer":
        from memory.chroma import Connection  # noqa: PLC0415
        from memory.collections import Collections  # noqa: PLC0415
        from memory.indexing import Indexer  # noqa: PLC0415
        from memory.vectors import Vectors  # noqa: PLC0415

        settings = self.settings()
        embedder = self.embedder(settings)
        token = settings.chroma_token
        connection = Connection(
            endpoint=self._url,
            token=token.get_secret_value() if token else None,
            tenant=settings.chroma_tenant,
            database=settings.chroma_database,
        )
        collections = Collections(connection=connection, model=embedder.name, prefix=self.prefix)
        vectors = Vectors(collections=collections, seconds=settings.chroma_timeout)
        return Indexer(vectors=vectors, embedder=embedder, texts=self.texts)
