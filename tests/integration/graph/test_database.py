"""Opening a database, and sharing it."""

import asyncio
from pathlib import Path

import psycopg
import pytest
from blockbuster import blockbuster_ctx

from graph.database import open_database
from graph.migrate import migrate
from graph.shared_database import (
    DatabaseMissingError,
    DatabaseSource,
    shared_database,
    source_database,
)
from graph.storage.retry import DatabaseUnavailableError
from tests.integration.graph.storage.conversation import say, talk_graph


async def test_saver_and_store_use_one_pool_of_the_size_asked_for(postgres_url: str) -> None:
    await migrate(postgres_url)
    async with open_database(postgres_url, pool_size=3) as database:
        graph = talk_graph(database)
        for n in range(3):
            await asyncio.gather(
                *(say(graph, f"t{n}.{m}", "hello") for m in range(10)),
                *(database.store.aput((f"n{n}",), str(m), {}) for m in range(10)),
            )
        async with await psycopg.AsyncConnection.connect(postgres_url) as admin:
            cursor = await admin.execute(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            assert await cursor.fetchone() == (3,)


@pytest.mark.parametrize("pooler", [False, True])
async def test_nothing_is_prepared_behind_a_pooler(postgres_url: str, pooler: bool) -> None:
    await migrate(postgres_url, pooler=pooler)
    async with open_database(postgres_url, pool_size=1, pooler=pooler) as database:
        graph = talk_graph(database)
        for n in range(8):
            await say(graph, "t", f"hello {n}")
            await database.store.aput(("n",), str(n), {"n": n})
        assert database.pool is not None
        async with database.pool.connection() as connection:
            cursor = await connection.execute("SELECT count(*) AS n FROM pg_prepared_statements")
            row = await cursor.fetchone()
    assert row is not None
    assert (row["n"] == 0) is pooler


async def test_a_server_that_refuses_is_named_without_the_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("graph.database._CONNECT_SECONDS", 1)
    url = "postgresql://bob:p4ssw0rd@127.0.0.1:9/x?connect_timeout=1"
    with pytest.raises(DatabaseUnavailableError, match=r"LONGHAUL_DATABASE=") as raised:
        async with open_database(url):
            pass
    assert "p4ssw0rd" not in str(raised.value)
    assert "refused" in str(raised.value)


async def test_a_missing_database_is_refused_at_once(postgres_url: str) -> None:
    url = postgres_url.replace("/test_", "/not_there_")
    with pytest.raises(DatabaseUnavailableError, match="does not exist"):
        async with open_database(url):
            pass


@pytest.mark.parametrize("kind", ["postgres", "sqlite"])
async def test_the_event_loop_is_never_blocked(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    if kind == "postgres":
        url = request.getfixturevalue("postgres_url")
    with blockbuster_ctx():
        async with shared_database(DatabaseSource(url=url, data=tmp_path)) as database:
            await say(talk_graph(database), "t", "hello")
            await database.store.aput(("n",), "k", {"v": 1})


async def test_those_who_share_get_the_same_and_the_last_one_closes_it(postgres_url: str) -> None:
    source = DatabaseSource(url=postgres_url)
    async with shared_database(source) as first:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_enter(source)) for _ in range(5)]
        assert {task.result() for task in tasks} == {id(first)}
        assert (await say(talk_graph(first), "t", "hello"))["turns"] == 1
    assert first.pool is not None
    assert first.pool.closed
    async with shared_database(source) as again:
        assert again is not first


async def test_a_failure_to_open_is_everybodys_and_not_for_ever(postgres_url: str) -> None:
    source = DatabaseSource(url="mysql://nothing")
    for _ in range(2):
        with pytest.raises(ValueError, match="mysql"):
            await _enter(source)
    assert await _enter(DatabaseSource(url=postgres_url))


async def test_the_checkout_has_a_postgres_of_its_own(data_folder: Path) -> None:
    async with source_database(DatabaseSource(url=None, data=data_folder)) as database:
        assert (await say(talk_graph(database), "t", "hello"))["turns"] == 1


async def test_a_container_must_name_its_database(tmp_path: Path) -> None:
    with pytest.raises(DatabaseMissingError, match="LONGHAUL_DATABASE"):
        async with source_database(DatabaseSource(url=None, data=tmp_path, container=True)):
            pass


async def _enter(source: DatabaseSource) -> int:
    async with shared_database(source) as database:
        return id(database)
