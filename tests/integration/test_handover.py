"""A person takes the thread, talks in it, and gives it back."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from app.model_server.server import ModelServer
from app.model_server.steps import call, text, tool_calls
from memory import handover
from memory.transcript import read_page
from state.errors import InputRefused
from state.handover import AGENT, BY
from tests.integration.server.book import Book
from tests.integration.server.served import fresh_database
from tests.integration.shop import NUMBER, Shop, open_shop

FIRST = f"My parcel is {NUMBER}."
ASK = "I want to talk to a person."
HAND_OVER = tool_calls(call("hand_over", {"reason": "They ask for a person."}))
TOLD = "A colleague takes over."


@pytest.fixture
def book() -> Book:
    book = Book()
    book.write(FIRST, text("I see."))
    book.write(ASK, HAND_OVER, text(TOLD))
    return book


@pytest_asyncio.fixture
async def model(book: Book) -> AsyncIterator[ModelServer]:
    with ModelServer(book) as running:
        yield running
    assert running.problems == []


@pytest.fixture
def url(postgres_server: str) -> Iterator[str]:
    with fresh_database(postgres_server) as found:
        yield found


@pytest_asyncio.fixture
async def shop(url: str, model: ModelServer) -> AsyncIterator[Shop]:
    async with open_shop(url, model) as opened:
        await opened.say(FIRST)
        await opened.say(ASK)
        yield opened


async def packet(shop: Shop) -> Any:
    """What waits; the store must hold the same."""
    [shown] = (await shop.waiting()).values()
    assert await handover.waiting(shop.database.store) == [(shop.thread, shown)]
    return shown


async def test_the_packet(shop: Shop) -> None:
    shown = await packet(shop)
    assert (shown["kind"], shown["reason"]) == ("handover", "They ask for a person.")
    assert [(f["kind"], f["value"]) for f in shown["facts"]] == [("order_number", NUMBER)]
    assert [(t["by"], t["text"]) for t in shown["turns"]] == [
        ("user", FIRST),
        ("bot", "I see."),
        ("user", ASK),
        ("bot", TOLD),
    ]


async def test_a_person_talks_and_gives_the_thread_back(shop: Shop, book: Book) -> None:
    asked = len(shop.model.requests)
    await shop.resume({"say": "Ann here.\x00"})
    await shop.resume({"say": "I look into it."})
    await shop.say("Thanks!")
    shown = await packet(shop)
    assert [t["text"] for t in shown["turns"][-3:]] == ["Ann here.", "I look into it.", "Thanks!"]
    assert shown["turn"] == 3
    await shop.resume({"say": "It is found."})
    replies = [r for r in shop.model.requests[asked:] if r.chat.schema_name is None]
    assert replies == []
    await shop.resume({"done": True})
    assert await shop.waiting() == {}
    assert await handover.waiting(shop.database.store) == []
    assert [r for r in shop.model.requests[asked:] if r.chat.schema_name is None] == []

    book.write("So?", text("It is found, as my colleague says."))
    await shop.say("So?")
    said = [m for m in await shop.messages() if m.additional_kwargs.get(BY) == AGENT]
    assert [m.text for m in said] == ["Ann here.", "I look into it.", "It is found."]
    assert len({m.id for m in said}) == 3
    request = shop.model.requests[-2 if shop.model.requests[-1].chat.schema_name else -1]
    assistant = [m["content"] for m in request.chat.messages if m["role"] == "assistant"]
    assert assistant[-3:] == ["Ann here.", "I look into it.", "It is found."]


async def test_the_transcript_holds_what_a_person_said(shop: Shop) -> None:
    await shop.resume({"say": "Ann here."})
    values = await shop.values()
    assert values["archived_through"] == 2
    trail = values["transcript"]
    rows = await read_page(shop.database.store, trail, through=2, count=2)
    assert [row["turn"] for row in rows] == [1, 2]
    assert rows[-1]["messages"][-1]["content"] == "Ann here."
    assert rows[-1]["messages"][-1][BY] == AGENT


async def test_the_bot_answers_what_a_person_left_unanswered(shop: Shop, book: Book) -> None:
    await shop.say("Anyone?")
    assert (await shop.words())[-1] == "human: Anyone?"
    book.write("Anyone?", text("I am here again."))
    await shop.resume({"done": True})
    assert (await shop.words())[-1] == "ai: I am here again."
    assert await shop.waiting() == {}


async def test_another_process_answers(shop: Shop, url: str, model: ModelServer) -> None:
    before = await packet(shop)
    async with open_shop(url, model, shop.thread) as again:
        assert await packet(again) == before
        await again.go_on()
        assert await packet(again) == before
        with pytest.raises(InputRefused, match="is none of"):
            await again.resume({"confirmed": True})
        await again.resume({"say": "Ann here."})
    assert (await shop.words())[-1] == "ai: Ann here."


async def test_what_is_said_elsewhere_in_the_state_reaches_the_person(shop: Shop) -> None:
    said = {"messages": [{"role": "user", "content": "By the way"}]}
    await shop.graph.aupdate_state(shop.config, said)
    await shop.go_on()
    newest = (await packet(shop))["turns"][-1]
    assert (newest["by"], newest["text"]) == ("user", "By the way")


async def test_an_edit_that_undoes_the_call_gives_the_thread_back(shop: Shop, book: Book) -> None:
    asked = next(m for m in await shop.messages() if m.text == ASK)
    edited = {"messages": [{"role": "user", "content": "Never mind.", "id": asked.id}]}
    book.write("Never mind.", text("Fine."))
    await shop.run(edited)
    assert (await shop.words())[-1] == "ai: Fine."
    assert await shop.waiting() == {}
    assert await handover.waiting(shop.database.store) == []
