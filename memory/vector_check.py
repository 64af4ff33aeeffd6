"""Looking for each record with its own vector: Chroma's index can lose what is there."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memory.collections import Kept
from memory.scope import parse_id
from memory.vectors import Vectors
from state.session import RowKey

_NEAREST = 10
_SAME = 1e-4
"""Difference of distances below which two records say the same, so that either will do."""


class Stored(NamedTuple):
    """A record as it is in Chroma."""

    id: str
    vector: Sequence[float]
    space: str
    row: RowKey


async def stored(vectors: Vectors, ids: Sequence[str]) -> list[Stored]:
    """The records of `ids` that are there and are ours. Raises VectorError."""

    async def get(kept: Kept) -> list[Stored]:
        held: Any = await kept.held.get(ids=list(ids), include=["embeddings", "metadatas"])
        return list(_read(held))

    return await vectors.use(get, vectors.write_seconds) or []


async def unfound(vectors: Vectors, records: Sequence[Stored]) -> list[Stored]:
    """Which of `records` no search finds: none of all, and none of their space.

    The latter is what a reply searches, and takes longer. Raises VectorError.
    """
    missed = await _missed(vectors, records, None)
    return [each for each in missed if await _missed(vectors, [each], each.space)]


async def _missed(vectors: Vectors, records: Sequence[Stored], space: str | None) -> list[Stored]:
    if not records:
        return []

    async def look(kept: Kept) -> list[Stored]:
        own: Any = [each.vector for each in records]
        where: Any = None if space is None else {"space": {"$in": [space]}}
        found: Any = await kept.held.query(
            query_embeddings=own, n_results=_NEAREST, where=where, include=["distances"]
        )
        near = zip(records, found["ids"], found["distances"], strict=True)
        return [each for each, ids, distances in near if is_lost(each.id, ids, distances)]

    return await vectors.use(look, vectors.write_seconds) or []


def is_lost(id: str, ids: Sequence[str], distances: Sequence[float]) -> bool:
    """Whether a search with the record's own vector found others, and those not as near as it is.

    `distances` are those of the records `ids`, the nearest first.
    """
    crowded = len(ids) == _NEAREST and abs(distances[-1]) < _SAME
    return id not in ids and not crowded


def _read(held: Any) -> Iterator[Stored]:
    columns = zip(held["ids"], held["embeddings"], held["metadatas"], strict=True)
    for name, vector, metadata in columns:
        named = parse_id(name)
        if named is not None:
            row = RowKey(thread=str(metadata["thread"]), key=named.key)
            yield Stored(name, [float(x) for x in vector], named.space, row)
