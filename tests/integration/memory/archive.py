"""An index on a Chroma server for tests, and transcripts to fill it from."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.store.base import BaseStore

from memory import transcript
from memory.chroma import Connection
from memory.collections import Collections
from memory.embeddings import Embedder
from memory.indexing import Indexer
from memory.scope import Hit, Scope
from memory.transcript import Row
from memory.vectors import Vectors
from state.exchanges import Exchange
from state.identity import Owner
from state.session import Trail

ANN = Owner(kind="user", id="ann")


def said(row: Row) -> Mapping[str, str]:
    """One leg: the user's words."""
    return {"user": str(row["messages"][0]["content"])}


def fake(name: str = "fake-32", size: int = 32) -> Embedder:
    """An embedder for which two texts are alike only if they are equal."""
    return Embedder(name=name, model=DeterministicFakeEmbedding(size=size))


@asynccontextmanager
async def index(
    url: str, prefix: str, embedder: Embedder | None = None, *, seconds: float = 30.0
) -> AsyncIterator[Indexer]:
    """An index of its own on the server at `url`."""

    async def endpoint() -> str:
        return url

    embedder = embedder or fake()
    connection = Connection(endpoint=endpoint)
    collections = Collections(connection=connection, model=embedder.name, prefix=prefix)
    vectors = Vectors(collections=collections, seconds=seconds)
    try:
        yield Indexer(vectors=vectors, embedder=embedder, texts=said)
    finally:
        await connection.close()
        await embedder.close()


def words(thread: str, turn: int, branch: str = "") -> str:
    """What the user said in a turn."""
    return f"{thread} {branch} {turn}"


async def talk(
    store: BaseStore,
    thread: str,
    first: int,
    last: int,
    trail: Trail | None = None,
    *,
    user: str = "ann",
    branch: str = "",
) -> Trail:
    """The turns `first` to `last` in the transcript of `thread`; the trail that ends with them."""
    numbered = [
        (
            turn,
            Exchange(
                (
                    HumanMessage(words(thread, turn, branch), id=f"u{turn}{branch}"),
                    AIMessage("Noted.", id=f"a{turn}{branch}"),
                )
            ),
        )
        for turn in range(first, last + 1)
    ]
    after = await transcript.write(store, thread, numbered, trail, user=user)
    assert after is not None
    return after


async def search(
    indexer: Indexer, text: str, *threads: str, owner: Owner = ANN, n: int = 5
) -> list[Hit]:
    """What a search for `text` finds."""
    vector = await indexer.embedder.query(text)
    return await indexer.vectors.query(Scope(owner, list(threads)), vector, n)


async def turns(
    indexer: Indexer, text: str, *threads: str, owner: Owner = ANN
) -> list[tuple[str, int]]:
    """Threads and turns that are just like `text`."""
    hits = await search(indexer, text, *threads, owner=owner)
    return [(hit.thread, hit.turn) for hit in hits if hit.similarity > 0.99]
