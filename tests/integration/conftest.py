"""One Postgres and one Chroma for the whole run, and a fresh database for each test."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from graph.file_lock import is_locked
from graph.services import hold_service


@pytest.fixture
def data_folder() -> Iterator[Path]:
    """An empty data folder for local services of this test's own.

    It is outside pytest's temporary folder, which every session of a user closes to all others
    as it starts: a Postgres that root runs as another user would lose its data.
    """
    with _temporary_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def services_data() -> Iterator[Path]:
    """The data folder of this run's services."""
    with _temporary_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def postgres_server(services_data: Path) -> Iterator[str]:
    """URL of the run's Postgres server."""
    with hold_service("postgres", services_data, grace=0) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """URL of an empty database of this test's own."""
    name = f"test_{uuid4().hex}"
    _administer(postgres_server, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    yield urlsplit(postgres_server)._replace(path=f"/{name}").geturl()
    statement = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
    _administer(postgres_server, statement)


@pytest.fixture(scope="session")
def chroma_url(services_data: Path) -> Iterator[str]:
    """URL of the run's Chroma server; tests that share it name their collections apart."""
    with hold_service("chroma", services_data, grace=0) as url:
        yield url


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="longhaul-test-"))
    yield folder
    for lock in folder.glob("*/supervisor.lock"):
        while is_locked(lock):
            time.sleep(0.05)
    shutil.rmtree(folder)


def _administer(url: str, statement: sql.Composed) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)
