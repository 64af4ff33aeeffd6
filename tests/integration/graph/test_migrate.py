"""Making the tables, once."""

import asyncio
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from graph.database import open_database
from graph.migrate import migrate
from graph.storage.postgres_saver import PostgresSaver
from tests.integration.graph.services.clients import ROOT
from tests.integration.graph.storage.conversation import say, talk_graph

_MIGRATE = (
    "import asyncio, sys; from graph.migrate import migrate; asyncio.run(migrate(sys.argv[1]))"
)


def migrate_in_processes(url: str, count: int) -> list[str]:
    """Run migrations in processes that start together; return what went wrong."""
    command = (sys.executable, "-c", _MIGRATE, url)
    started = [
        subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(count)
    ]
    errors = [process.communicate()[1] for process in started]
    return [error for process, error in zip(started, errors, strict=True) if process.returncode]


async def check_usable(url: str) -> None:
    async with open_database(url) as database:
        assert (await say(talk_graph(database), "t", "hello"))["turns"] == 1
        await database.store.aput(("n",), "k", {"v": 1})


async def test_six_processes_at_once_on_an_empty_postgres(postgres_url: str) -> None:
    assert await asyncio.to_thread(migrate_in_processes, postgres_url, 6) == []
    await check_usable(postgres_url)
    async with await psycopg.AsyncConnection.connect(postgres_url) as connection:
        cursor = await connection.execute("SELECT v FROM checkpoint_migrations ORDER BY v")
        versions = [row[0] for row in await cursor.fetchall()]
        invalid = await connection.execute("SELECT 1 FROM pg_index WHERE NOT indisvalid")
        assert await invalid.fetchall() == []
    assert versions == list(range(len(PostgresSaver.MIGRATIONS)))


async def test_six_processes_at_once_on_no_sqlite_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/folder/conversations.db"
    assert await asyncio.to_thread(migrate_in_processes, url, 6) == []
    await check_usable(url)


async def test_there_is_nothing_to_do_twice(postgres_url: str) -> None:
    assert await migrate(postgres_url)
    assert not await migrate(postgres_url)


async def test_an_older_database_is_upgraded(postgres_url: str) -> None:
    await migrate(postgres_url)
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:
        await connection.execute("DROP INDEX checkpoints_run_id_idx")
        await connection.execute("ALTER TABLE checkpoint_writes DROP COLUMN task_path")
        await connection.execute(
            "DELETE FROM checkpoint_migrations WHERE v = (SELECT max(v) FROM checkpoint_migrations)"
        )
    assert await migrate(postgres_url)
    await check_usable(postgres_url)


@pytest.mark.parametrize("pooler", [False, True])
async def test_a_migration_waits_for_another(postgres_url: str, pooler: bool) -> None:
    async with asyncio.timeout(60):
        changed = await asyncio.gather(*(migrate(postgres_url, pooler=pooler) for _ in range(4)))
    assert sum(changed) == 1
    await check_usable(postgres_url)
