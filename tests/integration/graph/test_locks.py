"""Terminals that take turns on a thread."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from graph.database import Database, open_database
from graph.locks import thread_lock
from tests.integration.graph.services.clients import ROOT

_HOLD = """
import asyncio, sys
from graph.database import open_database
from graph.locks import thread_lock

async def main():
    pooler = sys.argv[2] == "pooler"
    async with open_database(sys.argv[1], pooler=pooler) as database:
        async with thread_lock(database, "t"):
            print("held", flush=True)
            await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture(params=["postgres", "pooler", "sqlite"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/conversations.db"
    else:
        url = request.getfixturevalue("postgres_url")
    async with open_database(url, pool_size=1, pooler=request.param == "pooler") as opened:
        yield opened


def url_of(database: Database) -> str:
    return getattr(database.url, "url", None) or repr(database.url)


async def test_one_at_a_time_each_waiting_one_told_so(database: Database) -> None:
    inside = 0
    most = 0
    told = []

    async def turn(name: str) -> None:
        nonlocal inside, most
        async with thread_lock(database, "t", on_wait=lambda: told.append(name)):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.02)
            inside -= 1

    await asyncio.gather(*(turn(f"terminal {n}") for n in range(4)))
    assert most == 1
    assert len(told) == len(set(told)) == 3


async def test_threads_do_not_wait_for_each_other(database: Database) -> None:
    async with asyncio.timeout(60), thread_lock(database, "t"), thread_lock(database, "u"):
        pass


async def test_a_killed_process_lets_go(database: Database) -> None:
    command = (sys.executable, "-c", _HOLD, url_of(database), "pooler" if database.pooler else "")
    holder = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"held\n"
    waited = asyncio.Event()

    async def take() -> None:
        async with thread_lock(database, "t", on_wait=waited.set):
            assert holder.returncode is not None

    taking = asyncio.create_task(take())
    async with asyncio.timeout(60):
        await waited.wait()
        holder.kill()
        await holder.communicate()
        await taking


async def test_a_cancelled_waiter_leaves_no_lock_behind(database: Database) -> None:
    async with thread_lock(database, "t"):
        waited = asyncio.Event()

        async def take() -> None:
            async with thread_lock(database, "t", on_wait=waited.set):
                raise AssertionError("the thread is taken")

        taking = asyncio.create_task(take())
        await waited.wait()
        taking.cancel()
        await asyncio.wait([taking])
        assert taking.cancelled()
    async with asyncio.timeout(60), thread_lock(database, "t"):
        pass


@pytest.mark.parametrize("pooler", [False, True])
async def test_a_lock_that_the_server_lost_is_taken_again(postgres_url: str, pooler: bool) -> None:
    held = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
    async with (
        open_database(postgres_url, pooler=pooler) as database,
        await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as admin,
        thread_lock(database, "t"),
    ):
        (before,) = await (await admin.execute(held)).fetchall()
        await admin.execute("SELECT pg_terminate_backend(%s)", before)
        async with asyncio.timeout(60):
            holders = [before]
            while holders in ([], [before]):
                holders = await (await admin.execute(held)).fetchall()
        assert len(holders) == 1


async def test_it_needs_no_connection_of_the_pool(postgres_url: str) -> None:
    async with open_database(postgres_url, pool_size=1) as database:
        assert database.pool is not None
        async with asyncio.timeout(60), database.pool.connection(), thread_lock(database, "t"):
            pass
