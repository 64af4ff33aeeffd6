"""Scope, identity and limits of the vectors."""

import pytest
from langgraph.store.memory import InMemoryStore

from memory.collections import Collections
from memory.scope import ModelChangedError, Scope, ScopeError, VectorError
from state.identity import Owner
from tests.integration.memory.archive import ANN, fake, index, search, talk, turns, words

BOB = Owner(kind="user", id="bob")

HOSTILE = [
    "a.b",
    "a/b",
    '"a"',
    "'a' OR 1=1",
    '{"$ne": ""}',
    "$ne",
    "$or",
    "*",
    "%",
    "é\u202e",
    "x" * 5000,
    " ",
]


async def test_no_search_finds_what_is_another_owners(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    async with index(chroma_url, prefix) as indexer:
        await indexer.catch_up(store, await talk(store, "hers", 1, 3))
        await indexer.catch_up(store, await talk(store, "also hers", 1, 3))
        await indexer.catch_up(store, await talk(store, "his", 1, 3, user="bob"))
        asked = words("hers", 2)

        assert await turns(indexer, asked, "hers") == [("hers", 2)]
        assert await search(indexer, asked, "hers", owner=BOB) == []
        found = await search(indexer, asked, "his", "hers", owner=BOB, n=20)
        assert {hit.thread for hit in found} == {"his"}
        found = await search(indexer, asked, "also hers", n=20)
        assert {hit.thread for hit in found} == {"also hers"}
        every = Scope(ANN, None)
        vector = await indexer.embedder.query(asked)
        found = await indexer.vectors.query(every, vector, 20)
        assert sorted({hit.thread for hit in found}) == ["also hers", "hers"]


async def test_hostile_ids_find_only_their_own(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    async with index(chroma_url, prefix) as indexer:
        await indexer.catch_up(store, await talk(store, "plain", 1, 2))
        for each in HOSTILE:
            await indexer.catch_up(store, await talk(store, each, 1, 2, user=each))
        vector = await indexer.embedder.query("?")
        for each in HOSTILE:
            owner = Owner(kind="user", id=each)
            assert await search(indexer, "?", "plain", owner=owner) == []
            for mine in (Scope(owner, [each]), Scope(owner, None)):
                found = await indexer.vectors.query(mine, vector, 99)
                assert [hit.thread for hit in found] == [each, each]
            nobody = Owner(kind="thread", id=each)
            assert await search(indexer, "?", each, owner=nobody) == []


async def test_a_thread_that_owns_itself_is_found_by_itself(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    async with index(chroma_url, prefix) as indexer:
        await indexer.catch_up(store, await talk(store, "nobodys", 1, 3, user=""))
        nobody = Owner(kind="thread", id="nobodys")

        assert await turns(indexer, words("nobodys", 3), "nobodys", owner=nobody) == [
            ("nobodys", 3)
        ]
        assert await search(indexer, "?", "nobodys", owner=ANN) == []


@pytest.mark.parametrize(
    ("owner", "threads"),
    [
        (Owner(kind="user", id=""), ["t"]),
        (Owner(kind="user", id=""), None),
        (Owner(kind="thread", id=""), ["t"]),
        (Owner(kind="thread", id="t"), None),
        (ANN, []),
        (ANN, ["t", ""]),
    ],
)
def test_a_scope_of_nobody_or_nothing_is_refused(owner: Owner, threads: list[str] | None) -> None:
    with pytest.raises(ScopeError):
        Scope(owner, threads)


async def test_deleting_takes_one_thread_or_one_user(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    async with index(chroma_url, prefix) as indexer:
        for thread, user in (("1", "ann"), ("2", "ann"), ("3", "bob")):
            await indexer.catch_up(store, await talk(store, thread, 1, 250, user=user))
        await indexer.vectors.delete_thread("1")
        assert await indexer.vectors.count() == 500
        await indexer.vectors.delete_user("ann")
        assert await search(indexer, "?", "1", "2") == []
        assert len(await search(indexer, "?", "3", owner=BOB)) == 5
        for nothing in (indexer.vectors.delete_thread, indexer.vectors.delete_user):
            with pytest.raises(ScopeError):
                await nothing("")
        assert await indexer.vectors.count() == 250


async def test_before_anything_is_indexed_nothing_is_found(chroma_url: str, prefix: str) -> None:
    async with index(chroma_url, prefix) as indexer:
        assert await search(indexer, "?", "t") == []
        assert await indexer.vectors.present(["a"]) == set()
        assert await indexer.vectors.count() == 0
        await indexer.vectors.delete_thread("t")
        assert await indexer.vectors.collections.all() == []


@pytest.mark.parametrize("other", [fake("another"), fake(size=48)])
async def test_another_model_is_refused_with_the_command(
    chroma_url: str, prefix: str, other: object
) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 2)
    async with index(chroma_url, prefix) as indexer:
        await indexer.catch_up(store, trail)
    async with index(chroma_url, prefix, other) as changed:  # type: ignore[arg-type]
        with pytest.raises(ModelChangedError, match="longhaul reindex"):
            await search(changed, "?", "t")
        with pytest.raises(ModelChangedError, match=r"fake-32.* with 32 dimensions"):
            await changed.catch_up(store, await talk(store, "t", 3, 3, trail))


async def test_a_server_that_does_not_answer_fails_in_time(prefix: str) -> None:
    async with index("http://127.0.0.1:9", prefix, seconds=0.5) as indexer:
        with pytest.raises(VectorError, match=r"Chroma at http://127.0.0.1:9 cannot be reached"):
            await search(indexer, "?", "t")


async def test_two_that_begin_at_once_share_a_collection(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    async with index(chroma_url, prefix) as one, index(chroma_url, prefix) as other:
        await one.catch_up(store, await talk(store, "t", 1, 2))
        collections: Collections = other.vectors.collections
        async with collections.connection.bounded(5) as server:
            again = await collections.make(server, 32)
        assert [kept.held.id for kept in await collections.all()] == [again.held.id]
        assert await turns(other, words("t", 2), "t") == [("t", 2)]
