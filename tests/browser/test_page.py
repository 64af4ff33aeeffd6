"""The page in a real Chromium, on a real server: a long conversation, and what may befall it."""

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import expect

from app.lines import GRAPH
from app.model_server import faults
from app.model_server.steps import hold, text
from app.names import thread_id
from tests.browser.shop import SMALL, Counter
from tests.browser.tab import Open, Tab
from tests.integration.server.dev_server import until
from tests.integration.server.served import Served, served
from tests.integration.shop import open_shop

NUMBER = "LH20481137"
ON_THE_PAGE = int(os.environ.get("TURNS_ON_THE_PAGE", "5"))
"""Of forty turns. A turn of a dev server takes a second; the others are said in this process."""
HALF = "The first half "
WHOLE = f"{HALF}and the second."


@pytest.fixture(scope="module")
def counter() -> Counter:
    return Counter()


@pytest.fixture(scope="module")
def shop(
    postgres_server: str,
    chroma_url: str,
    counter: Counter,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    """A server that nobody signs in to."""
    settings = {**SMALL, "LONGHAUL_CHROMA_URL": chroma_url}
    folder = tmp_path_factory.mktemp("page")
    with served(postgres_server, folder, book=counter, settings=settings) as running:
        yield running


@pytest.fixture
def address(shop: Served) -> str:
    """Where a conversation that nobody had is opened."""
    return f"{shop.dev.url}/app#talk-{uuid4().hex}"


def walk(turn: int) -> str:
    return f"Today, number {turn}, we walked along the river as far as the old mill."


def say_elsewhere(shop: Served, address: str, lines: Sequence[str]) -> None:
    """Says something in the conversation at `address`, as a terminal of the same database does."""

    async def say() -> None:
        thread = thread_id(address.partition("#")[2])
        async with open_shop(shop.database, shop.model, thread) as talk:
            for words in lines:
                await talk.say(words)

    # In a thread: Playwright's own loop runs in this one.
    with ThreadPoolExecutor() as others:
        others.submit(asyncio.run, say()).result()


def scrolled_to(tab: Tab, turn: int, key: str) -> bool:
    """Scrolls as far as it goes; whether the turn can be seen."""
    tab.page.keyboard.press(key)
    tab.page.wait_for_timeout(50)
    message = tab.turn(turn)
    box = message.bounding_box() if message.count() else None
    return box is not None and 0 < box["y"] < 800


def go_to_the_first_turn(tab: Tab) -> None:
    passage = tab.part("What it looked up").locator("details").first
    passage.locator("summary").click()
    passage.get_by_role("button", name="turn 1", exact=True).click()
    expect(tab.turn(1)).to_be_focused()


def test_forty_turns_and_all_that_is_done_with_their_memory(
    shop: Served, tabs: Open, address: str
) -> None:
    said = ["Hello, my name is Ada.", "I am allergic to walnuts.", *map(walk, range(3, 40))]
    elsewhere, here = said[: 40 - ON_THE_PAGE], said[40 - ON_THE_PAGE :]
    say_elsewhere(shop, address, elsewhere)
    tab = tabs(address)
    first = here[: 0 if elsewhere else 2]
    for words in first:
        tab.say(words)
    expect(tab.fact("Ada")).to_be_visible()
    expect(tab.part("What it sums up")).to_contain_text("every turn is still sent as it was said")
    for words in here[len(first) :]:
        tab.say(words)
    tab.say("What is my name?")

    tab.answered("Your name is Ada.")
    expect(tab.part("What it sums up")).to_contain_text("in place of their words")
    expect(tab.part("What it looked up")).to_contain_text("Searched the earlier turns")
    expect(tab.part("What it is sent")).to_contain_text("recent turns")
    chart = tab.page.get_by_role("img", name="Tokens sent a turn, turns 1 to 40")
    expect(chart).to_be_visible()

    go_to_the_first_turn(tab)
    expect(tab.turn(40)).to_have_count(0 if elsewhere else 1)
    until(lambda: scrolled_to(tab, 40, "End"), "the last turn is in sight")
    expect(tab.button("To the newest turn")).to_be_hidden()
    expect(tab.page.locator("#messages .user")).to_have_count(40)

    tab.page.reload()
    go_to_the_first_turn(tab)
    tab.button("To the newest turn").click()
    expect(tab.turn(1)).to_have_count(0)
    expect(tab.said("What is my name?")).to_be_in_viewport()

    tab.page.get_by_role("region", name="What was said").focus()
    until(lambda: scrolled_to(tab, 1, "Home"), "the first turn is in sight")
    expect(tab.page.locator("#messages .user")).to_have_count(40)


def test_a_fact_is_corrected_and_another_forgotten(shop: Served, tabs: Open, address: str) -> None:
    tab = tabs(address)
    tab.say("Hello, my name is Ada.")
    tab.say("I am allergic to walnuts.")
    tab.fact("Ada").get_by_role("button", name="Correct").press("Enter")
    tab.page.keyboard.press("Escape")
    expect(tab.fact("Ada").get_by_role("button", name="Correct")).to_be_focused()
    tab.page.keyboard.press("Enter")
    tab.page.keyboard.type("Ada Lovelace")
    tab.page.keyboard.press("Enter")
    expect(tab.fact("Ada Lovelace").get_by_role("button", name="Correct")).to_be_focused()
    tab.fact("Ada Lovelace").get_by_text("Before: Ada", exact=True).click()
    expect(tab.fact("Ada Lovelace")).to_contain_text("corrected by hand")
    words = f"What is my name? {uuid4()}"
    tab.say(words)
    [request] = shop.requests(words)
    assert "customer_name: Ada Lovelace" in str(request.chat.messages)

    other = tabs(address, beside=tab)
    expect(other.said("I am allergic to walnuts.")).to_be_visible()
    tab.fact("allergic to walnuts").get_by_role("button", name="Forget").click()
    expect(tab.dialog.get_by_role("button", name="Keep it")).to_be_focused()
    tab.forget()
    expect(tab.dialog.get_by_role("table")).to_have_count(2)
    tab.page.keyboard.press("Escape")
    expect(tab.fact("allergic to walnuts")).to_have_count(0)
    for each in (tab, other):
        expect(each.page.locator("body")).not_to_contain_text("walnuts")


def test_a_refund_is_confirmed_put_right_or_refused(tabs: Open, address: str) -> None:
    tab = tabs(address)
    asked = tab.page.get_by_role("form", name=f"Shall I refund parcel {NUMBER}?")
    tab.say(f"Please refund {NUMBER}")
    expect(asked).to_be_focused()
    asked.get_by_label("Why not").fill("I want to keep it")
    asked.get_by_role("button", name="No", exact=True).click()
    tab.answered("the customer said no")

    tab.say(f"Please refund {NUMBER} after all")
    tab.page.reload()
    asked.get_by_label("number").fill("LH20481138")
    asked.get_by_role("button", name="No: use what I wrote").click()
    other = tab.page.get_by_role("form", name="Shall I refund parcel LH20481138?")
    other.get_by_role("button", name="Yes, do it").click()
    tab.answered("The refund for LH20481138 is under way")


def test_a_reply_is_stopped_and_what_was_read_of_it_stays(
    shop: Served, tabs: Open, address: str
) -> None:
    tab, words = tabs(address), f"Tell me everything {uuid4()}"
    shop.book.write(words, hold(text(WHOLE, pieces=(HALF, "and the second.")), after_chunks=1))
    tab.write(words)
    tab.answered(HALF.strip())
    tab.write("I wait.")
    expect(tab.page.get_by_role("status")).to_have_text("Wait for the reply, or stop it.")
    tab.button("Stop").click()
    expect(tab.notice).to_contain_text("You stopped the reply.")
    tab.page.reload()
    tab.answered("Stopped here.")

    tab.say("Thanks")
    tab.page.reload()
    tab.answered("You are welcome.")
    assert tab.messages == [
        f"You: {words}",
        f"Bot: {HALF.strip()}",
        "You: Thanks",
        "Bot: You are welcome.",
    ]


def test_an_error_is_told_and_asked_again(shop: Served, tabs: Open, address: str) -> None:
    tab, words = tabs(address), f"Try this {uuid4()}"
    shop.book.write(words, faults.error(500, "out of order"), text("Here I am again."))
    tab.write(words)
    expect(tab.notice).to_contain_text("out of order")
    tab.button("Ask again").click()
    tab.answered("Here I am again.")
    expect(tab.notice).to_be_empty()
    assert tab.messages == [f"You: {words}", "Bot: Here I am again."]


def test_the_next_message_need_not_wait_for_what_is_done_behind_the_reply(
    counter: Counter, tabs: Open, address: str
) -> None:
    tab = tabs(address)
    held = counter.hold_extraction()
    tab.say("Hello")
    tab.answered("How can I help?")
    held.reached.wait(within=60)
    tab.write("My dog is called Miso")
    expect(tab.said("My dog is called Miso")).to_be_visible()
    expect(tab.button("Stop")).to_be_visible()
    held.release()
    tab.answered("Noted: your dog is Miso.")
    expect(tab.fact("My dog is called Miso")).to_be_visible()
    assert [words.partition(": ")[0] for words in tab.messages] == ["You", "Bot"] * 2


def test_a_colleague_takes_over(shop: Served, tabs: Open, address: str) -> None:
    tab = tabs(address)
    tab.say("I want to talk to a human.")
    expect(tab.page.get_by_text("A colleague has this conversation")).to_be_visible()
    path = f"{shop.dev.url}/threads/{thread_id(address.partition('#')[2])}/runs/wait"
    answer = {"assistant_id": GRAPH, "command": {"resume": {"say": "Bea here."}}}
    httpx.post(path, json=answer, timeout=60).raise_for_status()
    expect(tab.page.locator("#messages .colleague")).to_contain_text("Bea here.")


def test_two_tabs_show_one_conversation(shop: Served, tabs: Open, address: str) -> None:
    first, words = tabs(address), f"Slowly, please {uuid4()}"
    first.say("Hello")
    second = tabs(address, beside=first)
    second.answered("Hello! How can I help?")
    held = hold(text(WHOLE, pieces=(HALF, "and the second.")), after_chunks=1)
    shop.book.write(words, held)
    first.write(words)
    second.answered(HALF.strip())
    held.release()
    second.answered(WHOLE)
    second.say("Thanks")
    first.answered("You are welcome.")
    assert first.messages == second.messages


def test_a_conversation_is_exported_and_forgotten(tabs: Open, address: str) -> None:
    tab = tabs(address)
    tab.say("My cat is called Tofu")
    expect(tab.fact("My cat is called Tofu")).to_be_visible()
    with tab.page.expect_download() as downloading:
        tab.button("Export this conversation").click()
    exported = json.loads(downloading.value.path().read_text(encoding="utf-8"))
    assert "Tofu" in exported["transcript"][0]["words"][0]["text"]

    tab.button("Forget this conversation").click()
    tab.forget()
    tab.dialog.get_by_role("button", name="Close").click()
    expect(tab.page.get_by_text("Say something")).to_be_visible()
    tab.page.goto(address)
    expect(tab.page.get_by_text("Say something")).to_be_visible()
    expect(tab.page.locator("body")).not_to_contain_text("Tofu")


def test_a_narrow_window_shows_one_side_at_a_time(tabs: Open, address: str) -> None:
    tab = tabs(address, width=390)
    tab.say("My dog is called Miso")
    expect(tab.fact("My dog is called Miso")).to_be_hidden()
    tab.button("Memory").click()
    tab.fact("My dog is called Miso").get_by_role("button", name="turn 1").click()
    expect(tab.turn(1)).to_be_focused()
    wide = tab.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390


def test_a_server_that_dies_while_it_writes_is_waited_for(
    shop: Served, tabs: Open, address: str
) -> None:
    tab, words = tabs(address), f"Go on {uuid4()}"
    tab.say("Hello")
    half = hold(text(WHOLE, pieces=(HALF, "and the second.")), after_chunks=1)
    shop.book.write(words, half, text(WHOLE))
    tab.write(words)
    tab.answered(HALF.strip())
    shop.dev.kill()
    expect(tab.page.get_by_role("status")).to_contain_text("The connection broke")
    shop.dev.start()
    expect(tab.said(WHOLE)).to_be_visible(timeout=60_000)
    tab.say("Thanks")
    tab.answered("You are welcome.")
    assert [words for words in tab.messages if words.startswith("You")] == [
        "You: Hello",
        f"You: {words}",
        "You: Thanks",
    ]
