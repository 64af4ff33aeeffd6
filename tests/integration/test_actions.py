"""Actions: confirmed before they run, once a call, whatever happens in between."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from app.model_server.server import ModelServer
from app.model_server.steps import call, text, tool_calls
from memory import ledger, names
from prompts.actions import UNANSWERED
from state.errors import InputRefused
from tests.integration.server.book import Book
from tests.integration.server.served import fresh_database
from tests.integration.shop import NUMBER, OTHER, Shop, open_shop
from tests.project import ROOT

ASK = f"Please refund {NUMBER}."
BOTH = f"Please refund {NUMBER}, and send {OTHER} to 4 Mill Lane, Leeds."
YES, NO = {"confirmed": True}, {"confirmed": False}

REFUND = tool_calls(call("refund_parcel", {"number": NUMBER}))
REFUND_OTHER = tool_calls(call("refund_parcel", {"number": OTHER}))
BATCH = tool_calls(
    call("refund_parcel", {"number": NUMBER}),
    call("change_delivery_address", {"number": OTHER, "address": "4 Mill Lane, Leeds"}),
)
REFUNDED = [{"action": "refund_parcel", "number": NUMBER}]
MOVED = [{"action": "change_delivery_address", "number": OTHER, "address": "4 Mill Lane, Leeds"}]

DYING = """
import asyncio, os, signal, sys
from memory import ledger
from graph.resources import open_graph
from graph.environment import read_settings
from langgraph.types import Command

record = ledger.record
async def record_and_die(*given, **named):
    await record(*given, **named)
    os.kill(os.getpid(), signal.SIGKILL)
ledger.record = record_and_die

async def main():
    async with open_graph(read_settings(_env_file=None)) as opened:
        config = {"configurable": {"thread_id": sys.argv[1]}}
        await opened.graph.ainvoke(Command(resume={"confirmed": True}), config)

asyncio.run(main())
"""


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture(scope="module")
def url(postgres_server: str) -> Iterator[str]:
    with fresh_database(postgres_server) as found:
        yield found


@pytest_asyncio.fixture
async def model(book: Book) -> AsyncIterator[ModelServer]:
    with ModelServer(book) as running:
        yield running
    assert running.problems == []


@pytest_asyncio.fixture
async def shop(url: str, model: ModelServer) -> AsyncIterator[Shop]:
    async with open_shop(url, model) as opened:
        yield opened


async def one(shop: Shop) -> dict[str, Any]:
    """The only question that waits."""
    [question] = (await shop.waiting()).values()
    assert isinstance(question, dict)
    return question


async def test_the_customer_is_asked_and_confirms(shop: Shop, book: Book) -> None:
    book.write(ASK, REFUND, text("Done."))
    await shop.say(ASK)
    question = await one(shop)
    assert (question["kind"], question["action"]) == ("confirm", "refund_parcel")
    assert question["question"] == f"Shall I refund parcel {NUMBER}?"
    [asked] = question["facts"]
    assert (asked["argument"], asked["value"], asked["kind"]) == ("number", NUMBER, "order_number")
    assert await shop.done() == []
    await shop.resume(YES)
    assert await shop.done() == REFUNDED
    [result] = await shop.results()
    assert result.startswith(f"The refund for {NUMBER} is under way")
    assert (await shop.words())[-1] == "ai: Done."
    with pytest.raises(InputRefused, match="nothing waits"):
        await shop.resume(YES)


async def test_the_question_says_where_a_fact_holds_the_value(shop: Shop, book: Book) -> None:
    first = f"My parcel is {NUMBER}."
    book.write(first, text("I see."))
    book.write("Refund it.", REFUND, text("Done."))
    await shop.say(first)
    await shop.say("Refund it.")
    [asked] = (await one(shop))["facts"]
    assert asked["turn"] == 1
    assert NUMBER in asked["quote"]


async def test_the_customer_says_no(shop: Shop, book: Book) -> None:
    book.write(ASK, REFUND, text("As you wish."))
    await shop.say(ASK)
    await shop.resume({**NO, "reason": "It came\x00 after all."})
    assert await shop.done() == []
    assert shop.sent() == "Not carried out: the customer said no. They said: It came after all."
    assert (await shop.words())[-1] == "ai: As you wish."


async def test_the_customer_puts_a_value_right(shop: Shop, book: Book) -> None:
    book.write(ASK, REFUND, REFUND_OTHER, text("Done."))
    await shop.say(ASK)
    await shop.resume({"changed": {"number": OTHER}})
    assert f"not {NUMBER!r} but {OTHER!r}" in (await shop.results())[0]
    [asked] = (await one(shop))["facts"]
    assert asked["value"] == OTHER
    await shop.resume(YES)
    assert await shop.done() == [{"action": "refund_parcel", "number": OTHER}]
    [fact] = (await shop.values())["facts"]["order_number"]
    assert (fact["value"], fact["was"]) == (OTHER, NUMBER)
    assert (fact["by"], fact["found"]) == ("user", "hand")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("yes", "the answer 'yes' is none of"),
        ({"confirmed": "yes"}, "is none of"),
        ({"confirmed": True, "changed": {"number": OTHER}}, "is none of"),
        ({"changed": {}}, "is none of"),
        ({"changed": {"number": " \x00"}}, "is none of"),
        ({"changed": {"amount": "900"}}, "'amount' cannot be changed; only number can"),
        ({"say": "I am an agent"}, "is none of"),
        ({"0" * 32: {"confirmed": True}}, "is none of"),
    ],
)
async def test_an_answer_that_is_none_changes_nothing(
    shop: Shop, book: Book, answer: Any, said: str
) -> None:
    book.write(ASK, REFUND, text("Done."))
    await shop.say(ASK)
    before = await shop.graph.aget_state(shop.config)
    with pytest.raises(InputRefused, match=said):
        await shop.resume(answer)
    assert await shop.graph.aget_state(shop.config) == before
    await shop.resume(YES)
    assert await shop.done() == REFUNDED


async def test_what_can_be_known_before_is_not_asked(shop: Shop, book: Book) -> None:
    unknown = tool_calls(call("refund_parcel", {"number": "LH99999999"}))
    book.write("Refund LH99999999.", unknown, text("There is none."))
    await shop.say("Refund LH99999999.")
    assert await shop.waiting() == {}
    assert "No parcel has the number 'LH99999999'" in shop.sent()


@pytest.mark.parametrize("refund_first", [True, False])
async def test_two_in_one_batch_in_either_order(
    shop: Shop, book: Book, *, refund_first: bool
) -> None:
    book.write(BOTH, BATCH, text("Both are done."))
    await shop.say(BOTH)
    by_action = {q["action"]: each for each, q in (await shop.waiting()).items()}
    with pytest.raises(InputRefused, match="2 questions wait"):
        await shop.resume(YES)
    order = ["refund_parcel", "change_delivery_address"]
    first, second = order if refund_first else order[::-1]
    await shop.resume({by_action[first]: YES})
    assert [entry["action"] for entry in await shop.done()] == [first]
    assert [q["action"] for q in (await shop.waiting()).values()] == [second]
    with pytest.raises(InputRefused):
        await shop.resume({by_action[first]: YES})
    await shop.resume({by_action[second]: NO})
    assert [entry["action"] for entry in await shop.done()] == [first]
    assert len(await shop.results()) == 2
    assert (await shop.words())[-1] == "ai: Both are done."


async def test_two_in_one_batch_answered_at_once(shop: Shop, book: Book) -> None:
    book.write(BOTH, BATCH, text("Both are done."))
    await shop.say(BOTH)
    await shop.resume(dict.fromkeys(await shop.waiting(), YES))
    assert sorted(map(str, await shop.done())) == sorted(map(str, REFUNDED + MOVED))


async def test_a_restart_while_they_wait(url: str, model: ModelServer, book: Book) -> None:
    book.write(BOTH, BATCH, text("Both are done."))
    async with open_shop(url, model) as shop:
        await shop.say(BOTH)
        waiting = await shop.waiting()
        [first, second] = waiting
        await shop.resume({first: YES})
        done = await shop.done()
    async with open_shop(url, model, shop.thread) as again:
        await again.go_on()
        assert await again.waiting() == {second: waiting[second]}
        assert await again.done() == done
        await again.resume({second: YES})
        assert len(await again.done()) == 2
        assert (await again.words())[-1] == "ai: Both are done."


async def test_a_kill_between_the_action_and_its_result(
    url: str, model: ModelServer, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    book.write(ASK, REFUND, text("Done."))
    async with open_shop(url, model) as shop:
        await shop.say(ASK)
    environment = {**os.environ, "LONGHAUL_DATABASE": url, "OPENAI_BASE_URL": model.base_url}
    died = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", DYING, shop.thread],
        cwd=ROOT,
        env=environment,
        timeout=60,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL

    async def act_again(*_: object, **__: object) -> None:
        pytest.fail("it acted twice")

    monkeypatch.setattr(ledger, "record", act_again)
    async with open_shop(url, model, shop.thread) as again:
        assert await again.done() == REFUNDED
        assert await again.results() == []
        await again.go_on()
        assert await again.waiting() == {}
        [result] = await again.results()
        [item] = await again.database.store.asearch(names.ledger(again.thread))
        assert result == item.value["result"]
        assert (await again.words())[-1] == "ai: Done."


async def test_a_message_instead_of_an_answer(shop: Shop, book: Book) -> None:
    book.write(ASK, REFUND)
    book.write("How long does it take?", text("Three days."))
    await shop.say(ASK)
    await shop.say("How long does it take?")
    assert shop.sent() == UNANSWERED
    assert await shop.waiting() == {}
    assert await shop.done() == []
    with pytest.raises(InputRefused, match="nothing waits"):
        await shop.resume(YES)
    assert (await shop.words())[-1] == "ai: Three days."


async def test_a_message_when_one_of_two_is_done(shop: Shop, book: Book) -> None:
    book.write(BOTH, BATCH)
    book.write("Wait.", text("I wait."))
    await shop.say(BOTH)
    refund = next(i for i, q in (await shop.waiting()).items() if q["action"] == "refund_parcel")
    await shop.resume({refund: YES})
    await shop.say("Wait.")
    told = shop.sent().split("\n")
    assert told[0].startswith(f"The refund for {NUMBER} is under way")
    assert told[1] == UNANSWERED
    assert await shop.done() == REFUNDED


@pytest.mark.parametrize("as_node", ["__start__", None])
async def test_the_state_is_written_while_one_waits(
    shop: Shop, book: Book, as_node: str | None
) -> None:
    book.write(ASK, REFUND)
    book.write("Leave it.", text("I leave it."))
    await shop.say(ASK)
    said = {"messages": [{"role": "user", "content": "Leave it."}]}
    await shop.graph.aupdate_state(shop.config, said, as_node=as_node)
    await shop.go_on()
    assert await shop.waiting() == {}
    assert await shop.done() == []
    assert shop.sent() == UNANSWERED
    assert (await shop.words())[-1] == "ai: I leave it."


async def test_the_message_is_edited_while_one_waits(shop: Shop, book: Book) -> None:
    book.write(ASK, REFUND)
    book.write("Hello.", text("Hello."))
    await shop.say(ASK)
    [asked, _] = await shop.messages()
    edited = {"messages": [{"role": "user", "content": "Hello.", "id": asked.id}]}
    await shop.graph.aupdate_state(shop.config, edited)
    await shop.go_on()
    assert await shop.words() == ["human: Hello.", "ai: Hello."]
    assert await shop.waiting() == {}
    assert await shop.done() == []


async def test_a_fork_does_not_act_again(shop: Shop, book: Book) -> None:
    book.write(ASK, REFUND, text("Done."), text("Done as before."))
    await shop.say(ASK)
    asked = await shop.graph.aget_state(shop.config)
    await shop.resume(YES)
    await shop.graph.ainvoke(None, asked.config)
    assert await shop.waiting() == {}
    assert await shop.done() == REFUNDED
    assert (await shop.words())[-1] == "ai: Done as before."
