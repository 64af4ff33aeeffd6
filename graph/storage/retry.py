"""Carry database operations over a broken connection or a restart of the database."""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine
from typing import ParamSpec, TypeVar

import psycopg
from psycopg_pool import PoolClosed
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_delay,
    wait_random_exponential,
)

RETRY_SECONDS = 60.0
"""How long a database may be away before an operation fails."""

_log = logging.getLogger(__name__)
_P = ParamSpec("_P")
_T = TypeVar("_T")


class DatabaseUnavailableError(ConnectionError):
    """The database did not answer for as long as an operation waits for it."""


def is_transient(error: BaseException) -> bool:
    """Say whether the same operation may succeed in a moment."""
    match error:
        case PoolClosed() | psycopg.errors.QueryCanceled():
            return False
        case psycopg.OperationalError():
            return True
        case psycopg.InterfaceError():
            # What a cursor says when the connection under it was lost a moment earlier.
            return "connection" in str(error)
        case sqlite3.OperationalError():
            return "locked" in str(error) or "busy" in str(error)
        case _:
            return False


async def retried(
    operation: Callable[_P, Awaitable[_T]], /, *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Run an operation that may run twice with the same effect, until the database answers.

    Raises `DatabaseUnavailableError` after `RETRY_SECONDS`, and any other error at once.
    """
    try:
        # What tries again is built only for an operation that failed: a turn has dozens.
        return await operation(*args, **kwargs)
    except (psycopg.Error, sqlite3.Error) as error:
        if not is_transient(error):
            raise
        _log.warning("database operation failed, tried again at once: %s", error)
    try:
        return await retrying(RETRY_SECONDS, is_transient)(operation, *args, **kwargs)
    except (psycopg.Error, sqlite3.Error) as error:
        if not is_transient(error):
            raise
        raise DatabaseUnavailableError(
            f"the database (LONGHAUL_DATABASE) did not answer for {RETRY_SECONDS:g} s: {error}"
        ) from error


def retrying(seconds: float, may_pass: Callable[[BaseException], bool]) -> AsyncRetrying:
    """Return what tries again, with growing pauses, after each error that may pass."""
    return AsyncRetrying(
        retry=retry_if_exception(may_pass),
        wait=wait_random_exponential(multiplier=0.1, max=2),
        stop=stop_after_delay(seconds),
        before_sleep=_report,
        reraise=True,
    )


def is_transient_refusal(error: BaseException) -> bool:
    """Say whether a server that refused a connection may accept one in a moment."""
    passing = ("starting up", "shutting down", "recovery", "too many", "remaining connection")
    text = str(error)
    return is_transient(error) and ("FATAL" not in text or any(part in text for part in passing))


async def uninterrupted(operation: Coroutine[object, object, _T]) -> _T:
    """Run an operation to its end even if the caller is cancelled meanwhile.

    A SQLite connection left between BEGIN and COMMIT would serve nobody after.
    """
    task = asyncio.ensure_future(operation)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _report(state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    _log.warning("database operation failed, attempt %s: %s", state.attempt_number, error)
