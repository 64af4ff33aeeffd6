"""The model server as a pytest fixture.

In the `conftest.py` at the root of the tests:

    pytest_plugins = ["app.model_server.pytest_fixture"]

In a test, sync or async:

    def test_says_hello(model_server: ModelServer) -> None:
        model_server.script.add(text("Hello."))
        ...  # call the code under test with base_url=model_server.base_url
        assert model_server.requests[0].messages[-1]["content"] == "Hi"

The test fails at its end if the script ran out, if a request was one that a strict provider
refuses, or if a step was not used (`model_server.allow_unused = True` allows that). A test that
wants lanes, a function or a port of its own uses `with ModelServer(...)` instead.
"""

from collections.abc import Iterator

import pytest

from app.model_server.server import ModelServer


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """Run a server with an empty script."""
    with ModelServer() as server:
        yield server
