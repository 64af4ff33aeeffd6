"""A real browser, and windows of it that fail a test whose page complains."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.tab import Open, Tab

# The services of the integration tests serve here, too.
from tests.integration.conftest import chroma_url, postgres_server, services_data

__all__ = ["chroma_url", "postgres_server", "services_data"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REQUIRED = "REQUIRE_BROWSER"
"""Where this is set, as in CI, a machine without Chromium fails the tests instead."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium. Closed with its module: Playwright keeps an event loop that others cannot share."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        missing = f"no Chromium is installed: none of {', '.join(NAMES)} is on the path"
        if os.environ.get(REQUIRED):
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            # A container's shared memory is too small for it.
            executable_path=found,
            args=["--disable-dev-shm-usage"],
        )
        yield launched
        launched.close()


@pytest.fixture
def tabs(browser: Browser) -> Iterator[Open]:
    """Opens tabs, each window with a memory of its own."""
    opened: list[Tab] = []

    def opening(url: str, *, beside: Tab | None = None, width: int = 1280) -> Tab:
        window = (
            beside.page.context
            if beside
            else browser.new_context(
                viewport={"width": width, "height": 800},
                locale="en-GB",
                timezone_id="Europe/Berlin",
            )
        )
        tab = Tab(window.new_page())
        opened.append(tab)
        tab.page.goto(url)
        return tab

    yield opening
    for tab in opened:
        assert tab.complaints == []
        tab.page.context.close()
