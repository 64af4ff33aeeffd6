"""Which errors pass, and how long they are waited out."""

import asyncio
import sqlite3

import psycopg
import pytest
from psycopg_pool import PoolClosed, PoolTimeout

from graph.storage import retry
from graph.storage.retry import (
    DatabaseUnavailableError,
    is_transient,
    is_transient_refusal,
    retried,
    uninterrupted,
)


@pytest.mark.parametrize(
    "error",
    [
        psycopg.OperationalError("server closed the connection unexpectedly"),
        psycopg.errors.AdminShutdown("terminating connection"),
        psycopg.errors.SerializationFailure("could not serialize access"),
        psycopg.InterfaceError("the connection is lost"),
        PoolTimeout("couldn't get a connection"),
        sqlite3.OperationalError("database is locked"),
    ],
)
def test_an_outage_passes(error: Exception) -> None:
    assert is_transient(error)


@pytest.mark.parametrize(
    "error",
    [
        PoolClosed("the pool is already closed"),
        psycopg.errors.QueryCanceled("statement timeout"),
        psycopg.errors.UndefinedTable("no such table"),
        psycopg.DataError("NUL"),
        psycopg.InterfaceError("the cursor is closed"),
        sqlite3.OperationalError("no such table: store"),
        ConnectionError("of something else"),
    ],
)
def test_a_mistake_does_not(error: Exception) -> None:
    assert not is_transient(error)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("connection refused", True),
        ("FATAL:  the database system is starting up", True),
        ("FATAL:  sorry, too many clients already", True),
        ('FATAL:  password authentication failed for user "u"', False),
        ('FATAL:  database "x" does not exist', False),
    ],
)
def test_a_refusal_passes_if_the_server_is_busy_with_itself(text: str, passes: bool) -> None:
    assert is_transient_refusal(psycopg.OperationalError(text)) is passes


class Flaky:
    """Fails some times, then answers."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.calls = 0

    async def __call__(self, value: int) -> int:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return value


async def test_an_operation_is_tried_until_it_succeeds() -> None:
    operation = Flaky(psycopg.OperationalError("gone"), psycopg.OperationalError("gone"))
    assert await retried(operation, 7) == 7
    assert operation.calls == 3


async def test_a_mistake_is_raised_as_it_is() -> None:
    operation = Flaky(psycopg.errors.UndefinedTable("no such table"))
    with pytest.raises(psycopg.errors.UndefinedTable):
        await retried(operation, 7)
    assert operation.calls == 1


async def test_an_outage_that_does_not_pass_names_the_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retry, "RETRY_SECONDS", 0)
    operation = Flaky(psycopg.OperationalError("away"), psycopg.OperationalError("gone"))
    with pytest.raises(DatabaseUnavailableError, match=r"LONGHAUL_DATABASE.*: gone") as raised:
        await retried(operation, 7)
    assert isinstance(raised.value.__cause__, psycopg.OperationalError)


async def test_an_uninterrupted_operation_ends_before_its_caller_is_cancelled() -> None:
    steps: list[str] = []
    begun = asyncio.Event()

    async def operation() -> None:
        begun.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        steps.append("committed")

    async def call() -> None:
        try:
            await uninterrupted(operation())
        finally:
            steps.append("left")

    task = asyncio.create_task(call())
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert steps == ["committed", "left"]
