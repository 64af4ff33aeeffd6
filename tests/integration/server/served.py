"""A dev server with its database, its model and what the model says."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
from psycopg import sql

from app.model_server.recorder import RecordedRequest
from app.model_server.server import ModelServer
from memory import names
from tests.integration.server.book import Book, said
from tests.integration.server.dev_server import BLOCKING_CALL, DevServer, until

POOL_SIZE = 5


@dataclass(frozen=True, kw_only=True)
class Served:
    """All that a test of the server works with."""

    dev: DevServer
    model: ModelServer
    book: Book
    database: str

    def requests(self, words: str) -> list[RecordedRequest]:
        """What the model was sent whose newest user message is this."""
        return [request for request in self.model.requests if said(request.chat) == words]

    def until_requested(self, words: str) -> None:
        """Wait until the model is asked for a reply to these words."""
        self.model.wait_for(wanted=lambda request: said(request.chat) == words, within=60)

    def calls_of(self, item: str) -> int:
        """How often the slow tool was asked for an item."""
        noted = self.dev.desk / "calls"
        return noted.read_text(encoding="utf-8").split().count(item) if noted.exists() else 0

    def until_called(self, item: str) -> None:
        """Wait until the slow tool is asked for an item."""
        until(lambda: self.calls_of(item) > 0, "the tool runs")

    def until_stored(self, thread: str, words: str) -> None:
        """Wait until a finished task of a thread's newest step is on disk."""
        pending = "SELECT blob FROM checkpoint_writes WHERE thread_id = %s"
        until(lambda: words.encode() in b"".join(r[0] for r in self.rows(pending, thread)), words)

    def holding(self, words: str) -> list[str]:
        """The columns of the database that hold these words anywhere, such as `store.value`."""
        columns = self.rows(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE table_schema = 'public'"
        )
        return [
            f"{table}.{column}" for table, column in columns if self._holds(table, column, words)
        ]

    def stopped(self, thread: str) -> list[str]:
        """What the store keeps of a reply of `thread` that was stopped."""
        prefix = ".".join(names.desk(thread))
        statement: LiteralString = (
            "SELECT value ->> 'text' FROM store WHERE prefix = %s AND key = %s"
        )
        return [str(text) for (text,) in self.rows(statement, prefix, names.STOPPED)]

    def _holds(self, table: str, column: str, words: str) -> bool:
        # A bytea's text is its hex, in which the words are looked for as they are stored.
        statement = sql.SQL(
            "SELECT 1 FROM {0} WHERE {1}::text LIKE %s OR {1}::text LIKE %s LIMIT 1"
        ).format(sql.Identifier(table), sql.Identifier(column))
        return bool(self.rows(statement, f"%{words}%", f"%{words.encode().hex()}%"))

    def rows(
        self, statement: LiteralString | sql.Composed, *values: object
    ) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database, autocommit=True) as connection:
            return connection.execute(statement, values).fetchall()


@contextmanager
def served(
    postgres: str,
    folder: Path,
    *,
    reload: bool = False,
    book: Book | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """A server on an empty database. At the end it must have stopped, and blocked no loop."""
    book = book or Book()
    with fresh_database(postgres) as database, ModelServer(book) as model:
        environment = {
            "LONGHAUL_DATABASE": database,
            "LONGHAUL_POOL_SIZE": str(POOL_SIZE),
            "OPENAI_BASE_URL": model.base_url,
            **(settings or {}),
        }
        dev = DevServer(folder=folder, environment=environment, reload=reload)
        try:
            dev.start()
            yield Served(dev=dev, model=model, book=book, database=database)
            code = dev.stop()
        finally:
            dev.kill()
        assert BLOCKING_CALL not in dev.log
        assert code == 0, dev.log[-3000:]


@contextmanager
def fresh_database(server: str) -> Iterator[str]:
    """URL of an empty database, which is gone afterwards."""
    name = sql.Identifier(f"test_{uuid4().hex}")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        yield urlsplit(server)._replace(path=f"/{name.as_string()[1:-1]}").geturl()
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
