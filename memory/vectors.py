"""The vectors of all threads, in one collection of Chroma: ids and scope, never words.

Importing this imports Chroma's client, which takes seconds: a program does it when it needs one.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, TypeVar

from memory.chroma import ChromaServer
from memory.collections import Collections, Kept, chosen
from memory.scope import Hit, Scope, ScopeError, VectorError, parse_id, record_id, space
from memory.transcript import turn_of
from state.identity import Owner
from state.session import RowKey

Item = TypeVar("Item")
Result = TypeVar("Result")

BATCH = 100
"""Records in one request: Chroma takes 5,461, but no more than 40 MB, and the loop has to turn."""


@dataclass(frozen=True)
class Record:
    """A vector of one leg of an exchange."""

    owner: Owner
    row: RowKey
    leg: str
    at: str
    """When the exchange began."""
    vector: Sequence[float]

    @property
    def id(self) -> str:
        """Its id in Chroma."""
        return record_id(space(self.owner, self.row["thread"]), self.row["key"], self.leg)


@dataclass(kw_only=True)
class Vectors:
    """The collection in use. Its methods raise VectorError, in bounded time.

    Nothing is opened before the first call; after an error the collection is looked up anew, for
    it may have been replaced. `into` names one that is not in use yet instead.
    """

    collections: Collections
    seconds: float = 3.0
    """For a search."""
    write_seconds: float = 60.0
    """For anything else."""
    into: Kept | None = None
    _kept: Kept | None = None

    async def query(self, scope: Scope, vector: Sequence[float], n: int) -> list[Hit]:
        """The `n` records of `scope` nearest to `vector`, or fewer; the nearest first."""
        if n < 1 or not any(vector):
            return []

        # Of the threads that are named, the id says which one it is; metadata takes its time.
        more: Any = ["metadatas"] if scope.threads is None else []

        async def search(kept: Kept) -> list[Hit]:
            found: Any = await kept.held.query(
                query_embeddings=list(vector),
                n_results=n,
                where=_within(scope),
                include=["distances", *more],
            )
            return list(_hits(found, scope))

        return await self.use(search, self.seconds, size=len(vector)) or []

    async def upsert(self, records: Sequence[Record]) -> None:
        """Writes `records`; those that are there are written over."""
        for batch in _batches(records):

            async def put(kept: Kept, batch: Sequence[Record] = batch) -> None:
                vectors: Any = [list(record.vector) for record in batch]
                await kept.held.upsert(
                    ids=[record.id for record in batch],
                    embeddings=vectors,
                    metadatas=[_metadata(record) for record in batch],
                )

            size = len(batch[0].vector)
            await self.use(put, self.write_seconds, size=size, make=True)

    async def present(self, ids: Sequence[str]) -> set[str]:
        """Which of `ids` are there."""
        there: set[str] = set()
        for batch in _batches(ids):

            async def get(kept: Kept, batch: Sequence[str] = batch) -> list[str]:
                return (await kept.held.get(ids=list(batch), include=[]))["ids"]

            there.update(await self.use(get, self.write_seconds) or ())
        return there

    async def delete(self, ids: Sequence[str]) -> None:
        """Deletes records, of whatever model."""
        for batch in _batches(ids):
            await self._delete(ids=list(batch))

    async def delete_thread(self, thread: str) -> None:
        """Deletes all records of `thread`, of whatever owner and model."""
        await self._delete(where={"thread": {"$eq": _given(thread)}})

    async def delete_user(self, user: str) -> None:
        """Deletes all records of the user, of whatever thread and model."""
        await self._delete(where={"user": {"$eq": _given(user)}})

    async def held_of(self, *, thread: str = "", user: str = "") -> int:
        """How many records there are of `thread`, or of `user`, of whatever model."""
        where: Any = {"thread": {"$eq": thread}} if thread else {"user": {"$eq": _given(user)}}
        held = 0
        async with self.collections.connection.bounded(self.write_seconds) as server:
            for kept in await self.collections.found(server):
                held += len((await kept.held.get(where=where, include=[]))["ids"])
        return held

    async def count(self) -> int:
        """How many records there are."""

        async def count(kept: Kept) -> int:
            return await kept.held.count()

        return await self.use(count, self.write_seconds) or 0

    async def check_model(self, size: int) -> None:
        """Raises ModelChangedError unless vectors of that size fit what is there."""

        async def nothing(_: Kept) -> None:
            return None

        await self.use(nothing, self.write_seconds, size=size)

    async def ids(self) -> list[str]:
        """The ids of all records."""

        async def get(kept: Kept) -> list[str]:
            return (await kept.held.get(include=[]))["ids"]

        return await self.use(get, self.write_seconds) or []

    async def _delete(self, ids: list[str] | None = None, where: Any = None) -> None:
        async with self.collections.connection.bounded(self.write_seconds) as server:
            for kept in await self.collections.found(server):
                await kept.held.delete(ids=ids, where=where)

    async def use(
        self,
        work: Callable[[Kept], Awaitable[Result]],
        seconds: float,
        *,
        size: int | None = None,
        make: bool = False,
    ) -> Result | None:
        """What `work` makes of the collection, tried once more if that is gone.

        None when there is no collection, unless it is to be made.
        """
        try:
            return await self._once(work, seconds, size, make=make)
        except VectorError as error:
            self._kept = None
            if not error.gone:
                raise
        return await self._once(work, seconds, size, make=make)

    async def _once(
        self,
        work: Callable[[Kept], Awaitable[Result]],
        seconds: float,
        size: int | None,
        *,
        make: bool,
    ) -> Result | None:
        async with self.collections.connection.bounded(seconds) as server:
            kept = self.into or await self._chosen(server, size, make=make)
            return None if kept is None else await work(kept)

    async def _chosen(self, server: ChromaServer, size: int | None, *, make: bool) -> Kept | None:
        if self._kept is None or size not in {None, self._kept.size}:
            found = await self.collections.found(server)
            self._kept = chosen(found, self.collections.model, size)
        if self._kept is None and make and size is not None:
            self._kept = await self.collections.make(server, size)
        return self._kept


def _metadata(record: Record) -> dict[str, str | int]:
    owner, row = record.owner, record.row
    return {
        "space": space(owner, row["thread"]),
        "user": owner.id if owner.kind == "user" else "",
        "thread": row["thread"],
        "turn": turn_of(row),
        "at": record.at,
    }


def _within(scope: Scope) -> Any:
    # One condition: a second one, that most of the collection meets, more than doubles the time.
    if scope.threads is None:
        return {"user": {"$eq": scope.owner.id}}
    return {"space": {"$in": list(scope.spaces)}}


def _hits(found: Mapping[str, Any], scope: Scope) -> Iterator[Hit]:
    """What was found; whatever it is, no record of another scope."""
    said = (found.get("metadatas") or [repeat({})])[0]
    for name, distance, metadata in zip(found["ids"][0], found["distances"][0], said, strict=False):
        named = parse_id(name)
        if named is None:
            continue
        thread = scope.spaces.get(named.space) or str(metadata.get("thread", ""))
        if scope.holds(named.space, thread):
            yield Hit(thread, named.key, named.leg, named.turn, 1.0 - distance)


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[first : first + BATCH] for first in range(0, len(items), BATCH))


def _given(id: str) -> str:
    if not id:
        raise ScopeError("an empty id names nothing to delete")
    return id
