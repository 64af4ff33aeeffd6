"""The page on a server that users sign in to."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.browser.shop import SMALL, Counter
from tests.browser.tab import Open, Tab
from tests.integration.server.served import Served, served
from tests.integration.server.signing_in import SIGN_IN, token


@pytest.fixture(scope="module")
def signed(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that asks for tokens."""
    settings = {**SMALL, **SIGN_IN, "LONGHAUL_RECALL": "never"}
    folder = tmp_path_factory.mktemp("signed page")
    with served(postgres_server, folder, book=Counter(), settings=settings) as running:
        yield running


def sign_in(tab: Tab, given: str) -> None:
    tab.dialog.get_by_label("Your token").fill(given)
    tab.page.keyboard.press("Enter")


def test_a_token_opens_ones_own_conversations_and_nobody_elses(signed: Served, tabs: Open) -> None:
    address = f"{signed.dev.url}/app#talk-{uuid4().hex}"
    ann = tabs(address)
    expect(ann.dialog).to_contain_text("This server asks who you are.")
    sign_in(ann, "forged")
    expect(ann.dialog).to_contain_text("token")
    sign_in(ann, token("ann"))
    expect(ann.button("ann")).to_be_visible()
    ann.say("Hello, my name is Ann.")
    expect(ann.fact("Ann")).to_be_visible()

    bob = tabs(address)
    sign_in(bob, token("bob"))
    expect(bob.notice).to_contain_text("there is no such thread")
    expect(bob.page.locator("body")).not_to_contain_text("Ann.")

    ann.button("New").click()
    expect(ann.fact("Ann")).to_contain_text("from an earlier conversation")
    ann.say("What is my name?")
    ann.answered("Your name is Ann.")
    ann.button("Conversations").click()
    expect(ann.dialog.get_by_role("listitem")).to_have_count(2)
    expect(ann.dialog).to_contain_text("Hello, my name is Ann.")
    ann.page.keyboard.press("Escape")

    ann.button("Forget me").click()
    ann.forget()
    ann.page.keyboard.press("Escape")
    expect(ann.page.get_by_text("Say something")).to_be_visible()
    expect(ann.page.locator("body")).not_to_contain_text("Ann.")

    ann.button("ann").click()
    ann.dialog.get_by_role("button", name="Sign out").click()
    expect(ann.dialog).to_contain_text("This server asks who you are.")
