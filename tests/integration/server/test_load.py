"""Many threads at once on few connections, connections that break, and a loop that stays free."""

import asyncio
import time
from statistics import median

from langgraph_sdk.client import LangGraphClient

from app.model_server.steps import hold, text
from tests.integration.server.book import reply_to
from tests.integration.server.served import POOL_SIZE, Served
from tests.integration.server.talk import Talk, user

THREADS = 8 * POOL_SIZE
BREAK_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def test_no_turn_fails_on_a_small_pool_whose_connections_break(
    shared: Served, client: LangGraphClient
) -> None:
    talks = [Talk(client=client) for _ in range(THREADS)]
    firsts = [talk.mark("First") for talk in talks]
    held = [hold(text("One.")) for _ in talks]
    for words, step in zip(firsts, held, strict=True):
        shared.book.write(words, step)

    runs = [await t.begin(user(words)) for t, words in zip(talks, firsts, strict=True)]
    for step in held:
        await step.reached.wait_async(within=60)
    open_now = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    [(connections,)] = shared.rows(open_now)
    shared.rows(BREAK_ALL)
    for step in held:
        step.release()
    ends = await asyncio.gather(*(t.end(run) for t, run in zip(talks, runs, strict=True)))
    breaking = asyncio.create_task(break_connections(shared, 10))
    said = await asyncio.gather(*(talk.say(talk.mark("Second")) for talk in talks))

    assert connections <= POOL_SIZE + 1
    assert set(ends) == {"success"}
    assert await breaking > POOL_SIZE
    for talk, first, all_words in zip(talks, firsts, said, strict=True):
        second = talk.mark("Second")
        assert all_words == [
            f"human: {first}",
            "ai: One.",
            f"human: {second}",
            f"ai: {reply_to(second)}",
        ]


async def break_connections(shared: Served, times: int) -> int:
    """Break all the server's connections to its database, again and again; how many in all."""
    broken = 0
    for _ in range(times):
        broken += len(await asyncio.to_thread(shared.rows, BREAK_ALL))
        await asyncio.sleep(0.2)
    return broken


async def test_turns_that_wait_do_not_slow_other_requests(
    shared: Served, client: LangGraphClient
) -> None:
    """The server's own detector looks for blocking calls, too: see `served`."""
    talks = [Talk(client=client) for _ in range(2 * POOL_SIZE)]
    slow = text(" ".join(["word"] * 40), delay=0.05)
    idle = await latency(client)
    for talk in talks:
        shared.book.write(talk.mark("Slowly"), slow)
    runs = [await talk.begin(user(talk.mark("Slowly"))) for talk in talks]
    for talk in talks:
        wanted = talk.mark("Slowly")
        await asyncio.to_thread(shared.until_requested, wanted)

    busy = await latency(client)

    assert {await t.end(run) for t, run in zip(talks, runs, strict=True)} == {"success"}
    # Other tests of this machine may have begun in between.
    assert busy < 5 * max(idle, await latency(client))


async def latency(client: LangGraphClient) -> float:
    """The median time of a request that reads no database, in seconds."""
    took = []
    for _ in range(30):
        before = time.perf_counter()
        await client.assistants.search(limit=1)
        took.append(time.perf_counter() - before)
    return median(took)
