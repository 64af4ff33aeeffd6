"""What both stores do beyond LangGraph's own."""

import asyncio

import pytest

from graph.database import Database
from tests.integration.graph.storage.conversation import rows


async def test_items_are_written_found_and_deleted(database: Database) -> None:
    store = database.store
    await store.aput(("users", "a"), "pets", {"dog": "Rex"})
    item = await store.aget(("users", "a"), "pets")
    assert item is not None
    assert item.value == {"dog": "Rex"}
    assert [found.key for found in await store.asearch(("users",))] == ["pets"]
    assert await store.alist_namespaces(prefix=("users",)) == [("users", "a")]
    await store.adelete(("users", "a"), "pets")
    assert await store.aget(("users", "a"), "pets") is None


async def test_a_value_that_is_refused_fails_nobody_else(postgres: Database) -> None:
    refused, *others = await asyncio.gather(
        postgres.store.aput(("n",), "refused", {"text": "NUL \x00"}),
        *(postgres.store.aput(("n",), str(n), {"n": n}) for n in range(20)),
        return_exceptions=True,
    )
    assert isinstance(refused, Exception)
    assert others == [None] * 20
    assert len(rows(postgres)["store"]) == 20


async def test_forty_writers_at_once_on_a_pool_of_five(database: Database) -> None:
    await asyncio.gather(*(database.store.aput(("n",), str(n), {"n": n}) for n in range(40)))
    assert len(await database.store.asearch(("n",), limit=100)) == 40


async def test_it_can_be_used_from_another_thread(database: Database) -> None:
    await asyncio.to_thread(database.store.put, ("n",), "k", {"v": 1})
    item = await asyncio.to_thread(database.store.get, ("n",), "k")
    assert item is not None
    assert item.value == {"v": 1}


@pytest.mark.parametrize("delay", [0.0, 0.0005, 0.002])
async def test_a_cancelled_write_leaves_the_database_usable(
    database: Database, delay: float
) -> None:
    for n in range(20):
        task = asyncio.create_task(database.store.aput(("n",), str(n), {"n": n}))
        await asyncio.sleep(delay)
        task.cancel()
        await asyncio.wait([task])
    await database.store.aput(("n",), "last", {"n": -1})
    assert await database.store.aget(("n",), "last") is not None
