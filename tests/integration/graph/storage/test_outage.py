"""A database that goes away and comes back, between operations and during them."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest

from graph.database import Database, open_database
from graph.migrate import migrate
from graph.services import hold_service
from graph.services.folder import ServiceFolder
from tests.integration.graph.services.clients import service_process, wait_until
from tests.integration.graph.storage.conversation import history, say, talk_graph


@pytest.fixture
def own_server(data_folder: Path) -> Iterator[str]:
    """URL of a server that this test may end."""
    with hold_service("postgres", data_folder, grace=0) as url:
        yield url


@pytest.fixture
async def own_database(own_server: str) -> AsyncIterator[Database]:
    await migrate(own_server)
    async with open_database(own_server, pool_size=5) as opened:
        yield opened


def end_server(data: Path, number: signal.Signals) -> None:
    """End the server and wait until its supervisor has brought it back."""
    ended = service_process(data, "postgres")
    ended.send_signal(number)
    folder = ServiceFolder(data / "postgres")
    wait_until(
        lambda: folder.running_process() not in {None, ended} and folder.ready_url() is not None,
        "the server came back",
    )


def end_connections(url: str) -> int:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).rowcount


async def test_connections_killed_between_turns(postgres: Database, postgres_url: str) -> None:
    graph = talk_graph(postgres)
    for n in range(4):
        await asyncio.gather(*(say(graph, f"t{m}", f"hello {n}") for m in range(8)))
        await postgres.store.aput(("n",), str(n), {"n": n})
        assert await asyncio.to_thread(end_connections, postgres_url) > 0
    state = await say(graph, "t0", "last")
    assert state["turns"] == 5
    assert len(await postgres.store.asearch(("n",))) == 4


async def test_connections_killed_again_and_again_during_turns(
    postgres: Database, postgres_url: str
) -> None:
    async def turns(thread_id: str) -> int:
        for n in range(5):
            await say(graph, thread_id, f"hello {n}")
            await postgres.store.aput((thread_id,), str(n), {"n": n})
        return len(await postgres.store.asearch((thread_id,)))

    async def disturb() -> None:
        while True:
            await asyncio.to_thread(end_connections, postgres_url)
            await asyncio.sleep(0.3)

    graph = talk_graph(postgres)
    disturbing = asyncio.create_task(disturb())
    counts = await asyncio.gather(*(turns(f"t{m}") for m in range(10)))
    disturbing.cancel()
    await asyncio.wait([disturbing])
    assert counts == [5] * 10
    for m in range(10):
        newest = (await history(postgres, f"t{m}"))[0]
        assert newest.checkpoint["channel_values"]["turns"] == 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
async def test_the_server_restarted_between_turns(
    own_database: Database, data_folder: Path, number: signal.Signals
) -> None:
    graph = talk_graph(own_database)
    await say(graph, "t", "first")
    await asyncio.to_thread(end_server, data_folder, number)
    assert await say(graph, "t", "second") == {
        "said": ["first", "answer 1", "second", "answer 2"],
        "turns": 2,
    }
    await own_database.store.aput(("n",), "k", {"v": 1})


async def test_the_server_restarted_during_turns(own_database: Database, data_folder: Path) -> None:
    async def turns(thread_id: str) -> None:
        for n in range(6):
            await say(graph, thread_id, f"hello {n}")
            await own_database.store.aput((thread_id,), str(n), {"n": n})

    graph = talk_graph(own_database)
    talking = asyncio.gather(*(turns(f"t{m}") for m in range(10)))
    await asyncio.sleep(0.2)
    await asyncio.to_thread(end_server, data_folder, signal.SIGINT)
    await talking
    for m in range(10):
        newest = (await history(own_database, f"t{m}"))[0]
        assert newest.checkpoint["channel_values"]["turns"] == 6
        assert len(await own_database.store.asearch((f"t{m}",))) == 6
