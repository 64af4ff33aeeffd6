"""Let two terminals on one thread take turns."""

import hashlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from graph.database import Database
from graph.file_lock import locked_file
from graph.storage.advisory import advisory_lock
from graph.storage.url import PostgresUrl, SqliteUrl


def thread_lock(
    database: Database, thread_id: str, *, on_wait: Callable[[], None] | None = None
) -> AbstractAsyncContextManager[None]:
    """Hold a thread alone, among all processes on the database; a crash lets it go.

    On Postgres it is an advisory lock on a connection outside the pool. Beside a SQLite file it is
    a file. `on_wait` is called once if somebody else holds the thread first.
    """
    match database.url:
        case PostgresUrl() as url:
            name = f"thread:{thread_id}"
            return advisory_lock(url, name, pooler=database.pooler, on_wait=on_wait)
        case SqliteUrl() as url:
            digest = hashlib.sha256(thread_id.encode()).hexdigest()[:16]
            return locked_file(
                url.path.with_name(f"{url.path.name}.{digest}.lock"), on_wait=on_wait
            )
