"""A dev server that the tests share which do not kill it."""

from collections.abc import AsyncIterator, Iterator

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.integration.server.reader import Reader
from tests.integration.server.served import Served, served
from tests.integration.server.talk import Talk, connected


@pytest.fixture(scope="session")
def shared(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A running server; every thread says words of its own."""
    with served(postgres_server, tmp_path_factory.mktemp("dev"), book=Reader()) as running:
        yield running


@pytest.fixture
async def client(shared: Served) -> AsyncIterator[LangGraphClient]:
    """A client of the shared server. The test fails for a request that a provider would refuse."""
    before = len(shared.model.problems)
    async with connected(shared.dev.url) as connection:
        yield connection
    assert shared.model.problems[before:] == []


@pytest.fixture
def talk(client: LangGraphClient) -> Talk:
    """A new thread of the shared server."""
    return Talk(client=client)
