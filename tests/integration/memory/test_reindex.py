"""Reindexing: another model, lost vectors, vectors of nothing."""

import pytest
from langgraph.store.memory import InMemoryStore

from memory.indexing import Indexer
from memory.reindex import Reindex, Step
from memory.scope import ModelChangedError
from memory.vector_check import is_lost
from tests.integration.memory.archive import fake, index, search, talk, turns, words


async def reindexed(indexer: Indexer, store: InMemoryStore, *, anew: bool = False) -> list[Step]:
    return [step async for step in Reindex(indexer=indexer, store=store, anew=anew).run()]


async def test_another_model_takes_over_when_it_is_whole(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    trail = await talk(store, "a", 1, 30)
    async with index(chroma_url, prefix) as before:
        await before.catch_up(store, trail)
        await before.catch_up(store, await talk(store, "b", 1, 120))
        async with index(chroma_url, prefix, fake("new", 48)) as after:
            work = Reindex(indexer=after, store=store).run()
            assert (await anext(work)).doing == "indexed"
            await work.aclose()
            with pytest.raises(ModelChangedError):
                await search(after, "?", "a")
            assert await turns(before, words("a", 5), "a") == [("a", 5)]

            steps = await reindexed(after, store)

            assert [(s.thread, s.rows) for s in steps if s.doing == "indexed"] == [
                ("a", 0),
                ("b", 120),
            ]
            assert steps[-1] == Step("done", 150, 150)
            assert await turns(after, words("b", 77), "b") == [("b", 77)]
            assert len(await after.vectors.collections.all()) == 1
            assert await after.catch_up(store, trail) == 0
        with pytest.raises(ModelChangedError, match="'new' with 48"):
            await search(before, "?", "a")


async def test_a_process_that_was_not_told_goes_on_in_the_new_collection(
    chroma_url: str, prefix: str
) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 5)
    async with index(chroma_url, prefix) as one, index(chroma_url, prefix) as other:
        await one.catch_up(store, trail)
        assert await turns(other, words("t", 5), "t") == [("t", 5)]

        await reindexed(one, store, anew=True)

        assert await turns(other, words("t", 5), "t") == [("t", 5)]
        await other.catch_up(store, await talk(store, "t", 6, 6, trail))
        assert await turns(one, words("t", 6), "t") == [("t", 6)]
        assert [kept.made for kept in await one.vectors.collections.all()] == [2]


async def test_what_is_missing_is_written_and_what_has_no_row_goes(
    chroma_url: str, prefix: str
) -> None:
    store, erased = InMemoryStore(), InMemoryStore()
    async with index(chroma_url, prefix) as indexer:
        await indexer.catch_up(store, await talk(store, "t", 1, 50))
        await indexer.catch_up(erased, await talk(erased, "gone", 1, 50))
        ids = await indexer.vectors.ids()
        await indexer.vectors.delete([each for each in ids if "-00000007-" in each])

        steps = await reindexed(indexer, store)

        assert [(s.thread, s.rows) for s in steps if s.doing == "indexed"] == [("t", 1)]
        assert steps[-1] == Step("done", 50, 50)
        assert await turns(indexer, words("t", 7), "t") == [("t", 7)]


async def test_a_collection_that_loses_records_is_built_anew(
    chroma_url: str, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index is made to lose a record until another collection holds it."""
    store = InMemoryStore()
    async with index(chroma_url, prefix) as indexer:
        await indexer.catch_up(store, await talk(store, "t", 1, 20))
        lost = (await indexer.vectors.ids())[3]
        rebuilt = False

        def loses(name: str, ids: list[str], distances: list[float]) -> bool:
            return is_lost(name, ids, distances) or (name == lost and not rebuilt)

        monkeypatch.setattr("memory.vector_check.is_lost", loses)
        steps = []
        async for step in Reindex(indexer=indexer, store=store).run():
            steps.append(step)
            rebuilt = rebuilt or step.doing == "rebuilding"

        assert [s.lost for s in steps if s.doing == "repaired"] == [1]
        assert steps[-1] == Step("done", 20, 20)
        assert [kept.made for kept in await indexer.vectors.collections.all()] == [2]
