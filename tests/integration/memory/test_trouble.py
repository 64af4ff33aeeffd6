"""Chroma and the embedding server away, back, and back with nothing: what was missed comes."""

import asyncio
import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest
from blockbuster import blockbuster_ctx
from langgraph.store.memory import InMemoryStore

from app.model_server import faults
from app.model_server.server import ModelServer
from graph.environment import read_settings
from graph.services import hold_service
from graph.vector_index import VectorIndex, open_embedder
from memory.indexing import Indexer
from memory.scope import VectorError
from nodes.background import Background
from nodes.indexing_job import Due, Indexing
from tests.integration.graph.services.clients import wait_until_stopped
from tests.integration.memory.archive import fake, index, said, search, talk, turns, words


@contextmanager
def chroma(data: Path) -> Iterator[str]:
    """A Chroma that is gone when the block is left; its data stays."""
    with hold_service("chroma", data, grace=0) as url:
        yield url
    wait_until_stopped(data, "chroma")


class Clock:
    """A clock that stands until it is told to go on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def indexing(indexer: Indexer, clock: Clock) -> Indexing:
    async def opened() -> Indexer:
        return indexer

    return Indexing(indexer=opened, clock=clock, background=Background())


async def test_chroma_restarted_and_recreated(data_folder: Path, prefix: str) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 40)
    with chroma(data_folder) as url:
        started = index(url, prefix)
        indexer = await started.__aenter__()
        await indexer.catch_up(store, trail)
    trail = await talk(store, "t", 41, 42, trail)
    with pytest.raises(VectorError, match="cannot be reached"):
        await search(indexer, "?", "t")
    with pytest.raises(VectorError, match="cannot be reached"):
        await indexer.catch_up(store, trail)
    with chroma(data_folder) as again:
        assert again == url
        assert await turns(indexer, words("t", 40), "t") == [("t", 40)]
        assert await indexer.catch_up(store, trail) == 2
    shutil.rmtree(data_folder / "chroma" / "data")
    with chroma(data_folder) as again:
        assert again == url
        assert await search(indexer, "?", "t") == []
        assert await indexer.catch_up(store, trail) == 42
        assert await turns(indexer, words("t", 1), "t") == [("t", 1)]
        assert await indexer.vectors.count() == 42
        await started.__aexit__(None, None, None)


async def test_an_outage_is_logged_once_and_what_was_missed_is_indexed(
    chroma_url: str, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "nodes.indexing_job")
    store, clock = InMemoryStore(), Clock()
    there = True

    async def endpoint() -> str:
        return chroma_url if there else "http://127.0.0.1:9"

    async with index(chroma_url, prefix) as indexer:
        indexer.vectors.collections.connection.endpoint = endpoint
        jobs = indexing(indexer, clock)
        there = False
        trail = None
        for turn in range(1, 6):
            trail = await talk(store, "a", turn, turn, trail)
            jobs.start("a", Due(trail, store))
            await jobs.background.settled(30)
            clock.pass_by(60)
        jobs.start("b", Due(await talk(store, "b", 1, 3), store))
        await jobs.background.settled(30)
        assert len([r for r in caplog.records if r.levelno == logging.WARNING]) == 1
        assert "cannot be reached" in caplog.text
        there = True
        clock.pass_by(3600)

        jobs.start("c", Due(await talk(store, "c", 1, 1), store))
        await jobs.background.settled(30)

        assert await turns(indexer, words("a", 1), "a") == [("a", 1)]
        assert await turns(indexer, words("b", 3), "b") == [("b", 3)]
        assert await indexer.vectors.count() == 9
        assert caplog.records[-1].message == "old turns are indexed again"


@pytest.mark.skipif(not hasattr(psutil.Process, "rlimit"), reason="limits are Linux's")
async def test_a_disk_that_is_full_loses_nothing(
    data_folder: Path, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    """No file of the server may grow: to it, that is a full disk."""
    store, clock = InMemoryStore(), Clock()
    trail = await talk(store, "t", 1, 40)
    with chroma(data_folder) as url:
        async with index(url, prefix) as indexer:
            await indexer.catch_up(store, trail)
            indexer.vectors.write_seconds = 5.0
            server = _server_of(data_folder)
            before = server.rlimit(psutil.RLIMIT_FSIZE)
            server.rlimit(psutil.RLIMIT_FSIZE, (4096, before[1]))
            trail = await talk(store, "t", 41, 140, trail)
            jobs = indexing(indexer, clock)
            for _ in range(3):
                jobs.start("t", Due(trail, store))
                await jobs.background.settled(60)
                clock.pass_by(600)
            assert [r.name for r in caplog.records if r.levelno == logging.WARNING] == [
                "nodes.indexing_job"
            ]
            server.rlimit(psutil.RLIMIT_FSIZE, before)
            jobs.start("t", Due(trail, store))
            await jobs.background.settled(60)
    with chroma(data_folder) as url:
        async with index(url, prefix) as indexer:
            await indexer.catch_up(store, trail)
            assert await turns(indexer, words("t", 140), "t") == [("t", 140)]
            assert await turns(indexer, words("t", 1), "t") == [("t", 1)]
            assert await indexer.vectors.count() == 140


def _server_of(data: Path) -> psutil.Process:
    """The process of the Chroma whose data is in `data`."""
    told = json.loads((data / "chroma" / "process.json").read_text(encoding="utf-8"))
    return psutil.Process(told["pid"])


async def test_during_the_back_off_nobody_is_asked(chroma_url: str, prefix: str) -> None:
    store, clock = InMemoryStore(), Clock()
    tries = 0

    async def endpoint() -> str:
        nonlocal tries
        tries += 1
        raise VectorError("away")

    async with index(chroma_url, prefix) as indexer:
        indexer.vectors.collections.connection.endpoint = endpoint
        jobs = indexing(indexer, clock)
        due = Due(await talk(store, "t", 1, 1), store)
        for seconds in (0, 1, 1, 5, 1, 9, 1):
            clock.pass_by(seconds)
            jobs.start("t", due)
            await jobs.background.settled(30)
    assert tries == 3


async def test_an_embedding_server_that_was_down(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 3)
    down = [faults.server_error(), faults.unauthorized(), faults.html()]
    with ModelServer(embedding_faults=down) as server:
        settings = read_settings(
            embedding_model="some-embedder",
            embedding_base_url=server.base_url,
            embedding_api_key="sk-very-secret",
            retries=0,
        )
        embedder = open_embedder(settings)
        async with index(chroma_url, prefix, embedder) as indexer:
            for said_of_it in ("status 500", "status 401", "failed"):
                with pytest.raises(RuntimeError, match=said_of_it) as failed:
                    await indexer.catch_up(store, trail)
                assert "some-embedder" in str(failed.value)
                assert "secret" not in str(failed.value)
            assert await indexer.catch_up(store, trail) == 3
            assert await turns(indexer, words("t", 2), "t") == [("t", 2)]
        texts = server.embedding_requests[-1].body["input"]
    assert texts == [words("t", 2)]


async def test_a_text_that_the_server_refuses_is_passed_over(chroma_url: str, prefix: str) -> None:
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 4)
    refused = [faults.context_length_exceeded()] * 3
    with ModelServer(embedding_faults=refused) as server:
        settings = read_settings(
            embedding_model="some-embedder", embedding_base_url=server.base_url, retries=0
        )
        async with index(chroma_url, prefix, open_embedder(settings)) as indexer:
            assert await indexer.catch_up(store, trail) == 4
            assert await turns(indexer, words("t", 4), "t") == [("t", 4)]
            assert await indexer.vectors.count() == 3


async def test_the_checkouts_own_chroma_starts_at_the_first_need(data_folder: Path) -> None:
    settings = read_settings(data=data_folder, recall="auto")
    opened = VectorIndex(settings=lambda: settings, texts=said)
    store = InMemoryStore()
    trail = await talk(store, "t", 1, 2)
    with blockbuster_ctx():
        indexer = await opened.indexer()
        assert indexer is not None
        started = await asyncio.to_thread((data_folder / "chroma").exists)
        assert not started
        assert await indexer.catch_up(store, trail) == 2
        found = await search(indexer, words("t", 2), "t")
        await opened.close()
    assert indexer.embedder.name == "wordllama-256"
    assert found[0].similarity > 0.99
    await asyncio.to_thread(wait_until_stopped, data_folder, "chroma")


async def test_in_a_container_without_chroma_there_is_no_index(
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings = read_settings(container=True, database="postgresql://db.example/x", recall="auto")
    opened = VectorIndex(settings=lambda: settings, texts=said)
    assert [await opened.indexer() for _ in range(3)] == [None, None, None]
    assert [record.message for record in caplog.records] == [
        "LONGHAUL_CHROMA_URL is not set: old turns are not searched for"
    ]
    jobs = Indexing(indexer=opened.indexer, clock=Clock(), background=Background())
    store = InMemoryStore()
    jobs.start("t", Due(await talk(store, "t", 1, 1), store))
    await jobs.background.settled(5)
    await opened.close()


def test_a_fake_tells_texts_apart() -> None:
    one, other = fake().model.embed_documents(["t  1", "t  2"])
    assert one != other
