"""Forgetting on a dev server: its tables, its own files and its log hold nothing of it."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.errors import NotFoundError

from app.model_server.steps import hold, text
from state.fact_ids import fact_id
from state.redaction import MARK
from tests.integration.canary import in_files, in_tables
from tests.integration.server.dev_server import until
from tests.integration.server.served import Served
from tests.integration.server.talk import Talk, user

SECONDS = 90


def order() -> str:
    """An order number that no other test says."""
    return f"LH{uuid4().int % 10**8:08d}"


def in_own_files(shared: Served, words: str) -> list[str]:
    return in_files([shared.dev.folder / ".langgraph_api"], words)


async def until_its_files(shared: Served, words: str, *, hold: bool) -> None:
    """Wait until the server's own files hold `words`, or do not: it saves every ten seconds."""
    said = f"its files {'hold' if hold else 'do not hold'} {words}"
    await asyncio.to_thread(until, lambda: bool(in_own_files(shared, words)) == hold, said)


async def forget(shared: Served, path: str) -> Any:
    """The receipt."""
    async with httpx.AsyncClient(base_url=shared.dev.url, timeout=SECONDS) as http:
        answer = await http.delete(f"/memory/{path}")
    assert answer.status_code == 200, answer.text
    receipt = answer.json()
    assert not any(receipt["found"].values()), receipt
    return receipt


def fact(talk: Talk, value: str) -> str:
    return f"threads/{talk.id}/facts/{fact_id('order_number', value)}"


async def test_a_forgotten_fact_is_in_no_table_file_or_log(shared: Served, talk: Talk) -> None:
    number = order()
    await talk.say(talk.mark(f"It is about {number}."))
    await talk.say(talk.mark(f"Where is {number.lower()}?"))
    await until_its_files(shared, number, hold=True)

    receipt = await forget(shared, fact(talk, number))

    assert receipt["removed"]["runs"] == 2
    assert set(receipt["found"]) == {"checkpoints", "store", "server"}
    await until_its_files(shared, number, hold=False)
    assert in_tables(shared.database, number) == []
    assert number not in shared.dev.log
    record: Any = await talk.client.threads.get(talk.id)
    assert record["values"]["messages"][0]["content"] == talk.mark(f"It is about {MARK}.")
    words = await talk.say(talk.mark("Are you there?"))
    assert words[0] == f"human: {talk.mark(f'It is about {MARK}.')}"
    assert len(words) == 6

    await forget(shared, f"threads/{talk.id}")
    await until_its_files(shared, talk.mark(""), hold=False)
    assert in_tables(shared.database, talk.mark("")) == []
    assert talk.mark("") not in shared.dev.log


async def test_a_reply_that_is_being_written_is_waited_for(shared: Served, talk: Talk) -> None:
    number = order()
    await talk.say(talk.mark(f"It is about {number}."))
    asked = talk.mark(f"And {number}, again?")
    step = hold(text(f"{number} is on its way."), after_chunks=1)
    shared.book.write(asked, step)
    run = await talk.begin(user(asked))
    await step.reached.wait_async(within=SECONDS)
    forgetting = asyncio.create_task(forget(shared, fact(talk, number)))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(forgetting), 1)
    step.release()
    assert await talk.end(run) == "success"
    await forgetting
    assert in_tables(shared.database, number) == []
    assert (await talk.words())[-1] == f"ai: {MARK} is on its way."


async def test_a_thread_goes_with_its_runs_also_while_one_is_at_work(
    shared: Served, talk: Talk
) -> None:
    await talk.say(talk.mark("Hello"))
    asked = talk.mark("Tell me more")
    step = hold(text("Once upon a time"), after_chunks=2)
    shared.book.write(asked, step)
    await talk.begin(user(asked))
    await step.reached.wait_async(within=SECONDS)

    receipt = await forget(shared, f"threads/{talk.id}")

    step.release()
    assert receipt["removed"]["server"] == 3
    with pytest.raises(NotFoundError):
        await talk.client.threads.get(talk.id)
    assert in_tables(shared.database, talk.mark("")) == []


async def test_a_user_goes_with_every_thread(shared: Served, talk: Talk) -> None:
    who, number = f"user-{talk.id[:8]}", order()
    other = Talk(client=talk.client)
    await talk.say(talk.mark(f"It is about {number}."), context={"user": who})
    await other.say(other.mark("Hello"), context={"user": who})

    receipt = await forget(shared, f"me?user={who}")

    assert sorted(receipt["threads"]) == sorted([talk.id, other.id])
    assert await talk.client.threads.search(ids=[talk.id, other.id]) == []
    for words in (number, who, other.mark("Hello")):
        assert in_tables(shared.database, words) == []
