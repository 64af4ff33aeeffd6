"""How a model server's address is shown."""

import pytest

from graph.models import shown_url


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
