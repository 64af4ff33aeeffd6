"""Which of Chroma's collections is searched: the newest whole one of the embedding model."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chromadb.api.models.AsyncCollection import AsyncCollection
from chromadb.types import Collection as CollectionModel

from memory.chroma import ChromaServer, Connection
from memory.scope import ModelChangedError

_MODEL, _SIZE, _WHOLE, _MADE = "embedding_model", "embedding_size", "whole", "made"
_SECONDS = 60.0
_BREADTH = 400
"""Of a search of the index. With Chroma's 100, 7 of 1,000 records were not found by themselves."""


@dataclass(frozen=True)
class Kept:
    """A collection of ours, and what its metadata remembers."""

    held: AsyncCollection
    model: str
    size: int
    whole: bool
    """Whether all that it should hold is in it; until then nobody searches it."""
    made: int
    """1 for the first collection of a model and size; a rebuilt one counts on."""


@dataclass(kw_only=True)
class Collections:
    """Our collections of one database of Chroma, one in use and others on their way in or out."""

    connection: Connection
    model: str
    """Name of the embedding model; vectors of another are not searched with its."""
    prefix: str = "longhaul"
    """What their names begin with."""

    async def all(self) -> list[Kept]:
        """Every collection of ours, of whatever model. Raises VectorError."""
        async with self.connection.bounded(_SECONDS) as server:
            return await self.found(server)

    async def found(self, server: ChromaServer) -> list[Kept]:
        """The same, inside of somebody's time."""
        there = await server.list_collections(
            tenant=self.connection.tenant, database=self.connection.database
        )
        mine = (model for model in there if model.name.startswith(f"{self.prefix}-"))
        return [kept for model in mine if (kept := _kept(server, model)) is not None]

    async def make(self, server: ChromaServer, size: int, made: int = 1) -> Kept:
        """The collection of that number, found or made; the first is whole from the start.

        Two that make it at once make the same.
        """
        model = await server.get_or_create_collection(
            name=collection_name(self.prefix, self.model, size, made),
            configuration={
                "hnsw": {"space": "cosine", "ef_search": _BREADTH},
                "embedding_function": None,
            },
            metadata=_metadata(self.model, size, whole=made == 1, made=made),
            tenant=self.connection.tenant,
            database=self.connection.database,
        )
        kept = _kept(server, model)
        if kept is None:
            raise ValueError(f"collection {model.name!r} has lost its metadata")
        return kept

    async def make_next(self, size: int) -> Kept:
        """A further collection, to be filled and marked whole. Raises VectorError.

        One that a process left behind before it was whole is taken up again.
        """
        before = [kept for kept in await self.all() if _is(kept, self.model, size)]
        waiting = [kept for kept in before if not kept.whole]
        if waiting:
            return waiting[-1]
        made = max((kept.made for kept in before), default=1) + 1
        async with self.connection.bounded(_SECONDS) as server:
            return await self.make(server, size, made)

    async def put_in_use(self, kept: Kept) -> None:
        """Marks `kept` whole, and drops all others. Raises VectorError."""
        async with self.connection.bounded(_SECONDS):
            now = _metadata(kept.model, kept.size, whole=True, made=kept.made)
            await kept.held.modify(metadata=dict(now))
        for other in await self.all():
            if other.held.id != kept.held.id:
                async with self.connection.bounded(_SECONDS) as server:
                    await server.delete_collection(
                        other.held.name,
                        tenant=self.connection.tenant,
                        database=self.connection.database,
                    )


def chosen(found: Sequence[Kept], model: str, size: int | None) -> Kept | None:
    """The collection to use for vectors of `model`; None when there is none of any model yet.

    Raises ModelChangedError when there are only others, or those of another size.
    """
    whole = [each for each in found if each.whole]
    mine = [each for each in whole if _is(each, model, size)]
    if mine:
        return max(mine, key=lambda each: each.made)
    if found:
        was = max(whole or found, key=lambda each: each.made)
        now = f"{model!r}" if size is None else f"{model!r} with {size} dimensions"
        raise ModelChangedError(
            f"the vectors are those of {was.model!r} with {was.size} dimensions, and the embedding "
            f"model is {now}: run `longhaul reindex`, or set LONGHAUL_EMBEDDING_MODEL back"
        )
    return None


def collection_name(prefix: str, model: str, size: int, made: int) -> str:
    """Name of a collection: equal for equal arguments, and one that Chroma takes."""
    digest = hashlib.sha256(f"{size}:{model}".encode()).hexdigest()[:12]
    return f"{prefix}-{digest}-{made}"


def _is(kept: Kept, model: str, size: int | None) -> bool:
    return kept.model == model and size in {None, kept.size}


def _metadata(model: str, size: int, *, whole: bool, made: int) -> dict[str, str | int | bool]:
    return {_MODEL: model, _SIZE: size, _WHOLE: whole, _MADE: made}


def _kept(server: ChromaServer, model: CollectionModel) -> Kept | None:
    says: dict[str, Any] = dict(model.metadata or {})
    if not {_MODEL, _SIZE, _WHOLE, _MADE} <= set(says):
        return None
    held = AsyncCollection(client=server, model=model, embedding_function=None)
    return Kept(held, says[_MODEL], says[_SIZE], says[_WHOLE], says[_MADE])
