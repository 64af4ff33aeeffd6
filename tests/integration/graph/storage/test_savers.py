"""What both savers do beyond LangGraph's own."""

import asyncio
from dataclasses import dataclass
from uuid import uuid4

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from graph.database import Database
from graph.storage.metadata import KEPT_METADATA
from tests.integration.graph.storage.conversation import history, rows, say, talk_graph, thread

SECRET = "sk-this-must-not-be-kept"


async def test_nothing_of_the_config_but_the_allow_list_reaches_the_database(
    database: Database,
) -> None:
    graph = talk_graph(database)
    config: RunnableConfig = {
        "configurable": {"thread_id": "t", "api_key": SECRET, "user": SECRET},
        "metadata": {"email": SECRET, "assistant_id": "a", "graph_id": "g"},
        "tags": [SECRET],
    }
    await graph.ainvoke({"said": ["hello"]}, config)
    await graph.aupdate_state(config, {"said": ["hello", "changed"]})
    tables = rows(database)
    assert sum(map(len, tables.values())) > 0
    assert SECRET not in repr(tables)
    kept = [each.metadata for each in await history(database, "t")]
    assert all(metadata.keys() <= KEPT_METADATA for metadata in kept)
    assert {metadata.get("assistant_id") for metadata in kept} == {"a"}
    assert {metadata["source"] for metadata in kept} == {"input", "loop", "update"}


async def test_metadata_that_a_caller_enriched_is_cut_down_too(database: Database) -> None:
    config: RunnableConfig = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    enriched = {"source": "loop", "step": 1, "parents": {}, "customer": SECRET}
    await database.saver.aput(config, empty_checkpoint(), enriched, {})  # type: ignore[arg-type]
    assert SECRET not in repr(rows(database))


async def test_a_rolled_back_run_leaves_the_thread_as_it_was(database: Database) -> None:
    graph = talk_graph(database)
    await say(graph, "t", "first", run_id=str(uuid4()))
    await say(graph, "other", "elsewhere")
    before = rows(database)
    run = str(uuid4())
    await say(graph, "t", "second", run_id=run)
    assert rows(database) != before
    await database.saver.adelete_for_runs([run])
    assert _sorted(rows(database)) == _sorted(before)
    assert await say(graph, "t", "third") == {
        "said": ["first", "answer 1", "third", "answer 2"],
        "turns": 2,
    }


async def test_a_copy_equals_its_original_and_goes_its_own_way(database: Database) -> None:
    graph = talk_graph(database)
    run = str(uuid4())
    await say(graph, "source", "first", run_id=run)
    await database.saver.acopy_thread("source", "target")
    original, copy = await history(database, "source"), await history(database, "target")
    assert [c.checkpoint for c in copy] == [c.checkpoint for c in original]
    assert [c.pending_writes for c in copy] == [c.pending_writes for c in original]
    assert {c.metadata["thread_id"] for c in copy} == {"target"}  # type: ignore[typeddict-item]
    assert [_parent(c.parent_config) for c in copy] == [_parent(c.parent_config) for c in original]
    await say(graph, "target", "second")
    assert await history(database, "source") == original
    await database.saver.adelete_for_runs([run])
    assert await history(database, "source") == []
    assert len(await history(database, "target")) == 2 * len(original)


async def test_a_copy_that_is_repeated_changes_nothing(database: Database) -> None:
    await say(talk_graph(database), "source", "first")
    await database.saver.acopy_thread("source", "target")
    once = rows(database)
    await database.saver.acopy_thread("source", "target")
    assert _sorted(rows(database)) == _sorted(once)


async def test_a_deleted_thread_is_gone_from_every_table(database: Database) -> None:
    await say(talk_graph(database), "one-to-delete", "first")
    await database.saver.adelete_thread("one-to-delete")
    assert "one-to-delete" not in repr(rows(database))


async def test_pruning_on_postgres_keeps_the_newest(postgres: Database) -> None:
    graph = talk_graph(postgres)
    state = await say(graph, "t", "first")
    await postgres.saver.aprune(["t"])
    assert len(await history(postgres, "t")) == 1
    assert (await graph.aget_state(thread("t"))).values == state


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_pruning_on_sqlite_says_what_it_needs(database: Database) -> None:
    await say(talk_graph(database), "t", "first")
    with pytest.raises(NotImplementedError, match="needs Postgres"):
        await database.saver.aprune(["t"])
    await database.saver.aprune(["t"], strategy="delete")
    assert await history(database, "t") == []


async def test_an_unknown_class_is_not_revived(database: Database) -> None:
    config: RunnableConfig = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"x": Ours("v")}
    checkpoint["channel_versions"] = {"x": "1"}
    stored = await database.saver.aput(
        config,
        checkpoint,
        {"source": "loop", "step": 1, "parents": {}},
        {"x": "1"},
    )
    read = await database.saver.aget_tuple(stored)
    assert read is not None
    assert not isinstance(read.checkpoint["channel_values"]["x"], Ours)


@dataclass
class Ours:
    """Stands for a class that a checkpoint must not name."""

    value: str


async def test_forty_turns_at_once_on_a_pool_of_five(database: Database) -> None:
    graph = talk_graph(database)
    states = await asyncio.gather(*(say(graph, f"t{n}", f"hello {n}") for n in range(40)))
    assert [state["said"] for state in states] == [[f"hello {n}", "answer 1"] for n in range(40)]


async def test_a_listing_holds_no_connection_while_it_is_read(database: Database) -> None:
    await say(talk_graph(database), "t", "first")
    async with asyncio.timeout(60):
        listings = [database.saver.alist(thread("t")) for _ in range(20)]
        for listing in listings:
            await anext(listing)
        assert await database.saver.aget_tuple(thread("t")) is not None
        for listing in listings:
            await listing.aclose()  # type: ignore[attr-defined]


def _sorted(tables: dict[str, list[tuple[object, ...]]]) -> dict[str, list[str]]:
    return {name: sorted(map(repr, table)) for name, table in tables.items()}


def _parent(config: RunnableConfig | None) -> str | None:
    return None if config is None else config["configurable"]["checkpoint_id"]
