"""The vectors follow the transcript: again, on every branch, and after whatever went wrong."""

from copy import deepcopy
from typing import Any

from langgraph.store.memory import InMemoryStore

from memory import erase, names
from memory.indexing import Indexer
from memory.transcript import read_row, step_back
from memory.vectors import Record
from tests.integration.memory.archive import index, search, talk, turns, words


async def test_indexing_again_changes_nothing(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 150)
    async with index(chroma_url, prefix) as indexer:
        assert await indexer.catch_up(store, trail) == 150
        assert await indexer.catch_up(store, trail) == 0
        trail = await talk(store, "t", 151, 152, trail)
        assert await indexer.catch_up(store, trail) == 2
        await indexer.catch_up(store, trail)
        assert await indexer.vectors.count() == 152
        assert await turns(indexer, words("t", 1), "t") == [("t", 1)]


async def test_behind_a_known_row_chroma_is_not_asked(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    known = await talk(store, "t", 1, 5)
    trail = await talk(store, "t", 6, 8, known)
    async with index(chroma_url, prefix) as indexer:
        assert await indexer.catch_up(store, trail, level=known["last"]) == 3
        assert await indexer.vectors.count() == 3
        assert await indexer.catch_up(store, trail, level=trail["last"]) == 0
        other = await talk(store, "other", 1, 2)
        assert await indexer.catch_up(store, trail, level=other["last"]) == 0
        long = await talk(store, "t", 9, 200, trail)
        assert await indexer.catch_up(store, long, level=other["last"]) == 192


async def test_a_branch_is_indexed_from_where_it_left(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 100)
    async with index(chroma_url, prefix) as indexer:
        await indexer.catch_up(store, trail)
        at = trail
        for _ in range(90):
            back = await step_back(store, at)
            assert back is not None
            at = back
        branch = await talk(store, "t", 11, 12, at, branch="other")

        assert await indexer.catch_up(store, branch) == 2
        assert await turns(indexer, words("t", 11, "other"), "t") == [("t", 11)]
        assert await turns(indexer, words("t", 11), "t") == [("t", 11)]
        assert await indexer.vectors.count() == 102


async def test_a_copy_adds_only_its_own_rows(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    trail = await talk(store, "parent", 1, 20)
    copied = await talk(store, "copy", 21, 22, trail)
    async with index(chroma_url, prefix) as indexer:
        assert await indexer.catch_up(store, copied) == 22
        assert await indexer.catch_up(store, trail) == 0
        assert await turns(indexer, words("parent", 7), "copy", "parent") == [("parent", 7)]
        assert await turns(indexer, words("copy", 22), "copy", "parent") == [("copy", 22)]


async def test_what_an_end_left_unfinished_is_finished(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 200)
    async with index(chroma_url, prefix) as indexer:
        at = trail
        for _ in range(120):
            back = await step_back(store, at)
            assert back is not None
            at = back
        await indexer.catch_up(store, at)

        assert await indexer.catch_up(store, trail) == 120
        assert await indexer.vectors.count() == 200


async def test_a_turn_that_says_nothing_has_no_vector(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 4)
    async with index(chroma_url, prefix) as indexer:
        silent = Indexer(
            vectors=indexer.vectors,
            embedder=indexer.embedder,
            texts=lambda row: {"user": " " if row["turn"] in {3, 4} else str(row["turn"])},
        )
        assert await silent.catch_up(store, trail) == 4
        assert await indexer.vectors.count() == 2
        assert await silent.catch_up(store, await talk(store, "t", 5, 5, trail)) == 3
        assert await indexer.vectors.count() == 3


async def test_a_row_erased_while_it_was_embedded_leaves_no_vector(
    chroma_url: str, prefix: str
) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 10)
    async with index(chroma_url, prefix) as indexer:
        put = indexer.vectors.upsert

        async def erased_meanwhile(records: list[Record]) -> None:
            await erase.erase_thread(store, "t", indexer.vectors)
            await put(records)

        indexer.vectors.upsert = erased_meanwhile  # type: ignore[method-assign, assignment]
        await indexer.catch_up(store, trail)

        assert await indexer.vectors.count() == 0


async def test_a_row_redacted_while_it_was_embedded_gets_the_vector_of_its_words_now(
    chroma_url: str, prefix: str
) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 3)
    async with index(chroma_url, prefix) as indexer:
        put, embedded = indexer.vectors.upsert, []

        async def redacted_meanwhile(records: list[Record]) -> None:
            embedded.append(sorted(record.row["key"] for record in records))
            if len(embedded) == 1:
                row: Any = deepcopy(await read_row(store, trail["last"]))
                row["messages"][0]["content"] = "[forgotten]"
                await store.aput(names.transcript("t"), trail["last"]["key"], row)
            await put(records)

        indexer.vectors.upsert = redacted_meanwhile  # type: ignore[method-assign, assignment]
        await indexer.catch_up(store, trail)

        assert [set(keys) for keys in embedded][1:] == [{trail["last"]["key"]}]
        assert await indexer.vectors.held_of(thread="t") == await indexer.vectors.count()


async def test_erasing_a_thread_takes_its_vectors(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    async with index(chroma_url, prefix) as indexer:
        await indexer.catch_up(store, await talk(store, "t", 1, 10))
        await indexer.catch_up(store, await talk(store, "kept", 1, 10))

        assert await erase.erase_thread(store, "t", indexer.vectors) == (10, None)
        assert await search(indexer, words("t", 1), "t") == []
        assert await indexer.vectors.count() == 10
        assert await erase.redo(store, indexer.vectors) == []


async def test_erasing_while_chroma_is_away_is_told_and_done_later(
    chroma_url: str, prefix: str
) -> None:
    store = InMemoryStore()
    async with index(chroma_url, prefix) as indexer:
        await indexer.catch_up(store, await talk(store, "t", 1, 10))
        async with index("http://127.0.0.1:9", prefix) as away:
            erased = await erase.erase_thread(store, "t", away.vectors)
        assert erased.items == 10
        assert "cannot be reached" in str(erased.waits)
        assert await indexer.vectors.count() == 10

        assert await erase.redo(store, indexer.vectors) == ["t"]
        assert await indexer.vectors.count() == 0
        assert await erase.redo(store, indexer.vectors) == []
