"""How a model server's address is shown, and what its requests are called."""

import pytest
from openai import DefaultAsyncHttpxClient

from graph.environment import read_settings
from graph.models import open_model, shown_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:8090/v1", "http://127.0.0.1:8090/v1"),
        ("https://me:hunter2@example.org/v1", "https://example.org/v1"),
        ("https://me:a@b@example.org:8443/v1", "https://example.org:8443/v1"),
        ("https://example.org/v1?api-key=hunter2#x", "https://example.org/v1"),
        ("http://[::1]:8090/v1", "http://[::1]:8090/v1"),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://127.0.0.1:8090/v1", "max_tokens"),
        ("https://openai.com.example.org/v1", "max_tokens"),
    ],
)
async def test_a_reply_is_bounded_by_the_name_that_its_server_knows(url: str, name: str) -> None:
    client = DefaultAsyncHttpxClient()
    settings = read_settings(_env_file=None, OPENAI_API_KEY="k", reply_tokens=77)
    model = open_model(settings, "m", url, client)
    payload = model._get_request_payload("Hello")
    await client.aclose()
    sent = {**payload, **payload["extra_body"]}
    names = {"max_tokens", "max_completion_tokens"}
    assert {key: sent[key] for key in names & set(sent)} == {name: 77}
