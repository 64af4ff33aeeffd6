"""Both kinds of database, for what must hold on both."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from graph.database import Database, open_database
from graph.migrate import migrate


@pytest.fixture(params=["postgres", "sqlite"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty database of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/conversations.db"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """An open database of either kind, with its tables."""
    await migrate(database_url)
    async with open_database(database_url, pool_size=5) as opened:
        yield opened


@pytest.fixture
async def postgres(postgres_url: str) -> AsyncIterator[Database]:
    """An open Postgres database, with its tables."""
    await migrate(postgres_url)
    async with open_database(postgres_url, pool_size=5) as opened:
        yield opened
