"""Two messages at once on one thread: each strategy does what it promises, in every store."""

import asyncio

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError

from app.model_server.steps import Held, call, hold, text, tool_calls
from prompts.request import NO_RESULT
from tests.integration.server.book import reply_to, user_words
from tests.integration.server.dev_server import SLOW, until
from tests.integration.server.served import Served
from tests.integration.server.talk import Talk, user

HEARD = "The first half "
HALVES = (HEARD, "and the second.")


async def begin_held(shared: Served, talk: Talk, words: str) -> tuple[str, Held]:
    """A run whose reply stops in its middle."""
    held = hold(text("".join(HALVES), pieces=HALVES), after_chunks=1)
    shared.book.write(words, held)
    run = await talk.begin(user(words))
    await held.reached.wait_async(within=60)
    return run, held


async def test_reject_refuses_the_second_and_answers_the_first(shared: Served, talk: Talk) -> None:
    first, second = talk.mark("First"), talk.mark("Second")
    run, held = await begin_held(shared, talk, first)

    with pytest.raises(ConflictError, match="already running a task"):
        await talk.begin(user(second), multitask_strategy="reject")
    held.release()

    assert await talk.end(run) == "success"
    assert await talk.words() == [f"human: {first}", f"ai: {''.join(HALVES)}"]
    assert shared.requests(second) == []


async def test_enqueue_answers_both_in_order(shared: Served, talk: Talk) -> None:
    first, second = talk.mark("First"), talk.mark("Second")
    run, held = await begin_held(shared, talk, first)

    queued = await talk.begin(user(second), multitask_strategy="enqueue")
    held.release()

    assert await talk.end(run) == "success"
    assert await talk.end(queued) == "success"
    assert await talk.words() == [
        f"human: {first}",
        f"ai: {''.join(HALVES)}",
        f"human: {second}",
        f"ai: {reply_to(second)}",
    ]
    assert (await talk.values())["turn"] == 2
    [request] = shared.requests(second)
    assert user_words(request.chat) == [first, second]


async def test_interrupt_keeps_the_first_message_and_what_was_heard(
    shared: Served, talk: Talk
) -> None:
    first, second = talk.mark("First"), talk.mark("Second")
    run, _ = await begin_held(shared, talk, first)

    newer = await talk.begin(user(second), multitask_strategy="interrupt")

    assert await talk.end(newer) == "success"
    assert await talk.end(run) == "interrupted"
    assert shared.stopped(talk.id) == [HEARD]
    assert await talk.words() == [
        f"human: {first}",
        f"ai: {HEARD}",
        f"human: {second}",
        f"ai: {reply_to(second)}",
    ]
    assert (await talk.values())["turn"] == 2
    [request] = shared.requests(second)
    assert user_words(request.chat) == [first, second]


async def test_rollback_leaves_nothing_of_the_first(shared: Served, talk: Talk) -> None:
    before, first, second = talk.mark("Before"), talk.mark("First"), talk.mark("Second")
    await talk.say(before)
    run, _ = await begin_held(shared, talk, first)

    newer = await talk.begin(user(second), multitask_strategy="rollback")

    assert await talk.end(newer) == "success"
    assert await talk.words() == [
        f"human: {before}",
        f"ai: {reply_to(before)}",
        f"human: {second}",
        f"ai: {reply_to(second)}",
    ]
    assert (await talk.values())["turn"] == 2
    [request] = shared.requests(second)
    assert user_words(request.chat) == [before, second]
    assert shared.holding(first) == shared.holding(run) == []
    assert shared.stopped(talk.id) == []


async def test_a_rolled_back_answer_leaves_its_question_waiting(shared: Served, talk: Talk) -> None:
    asked, after = talk.mark("Refund LH20481137"), "It is under way."
    held = hold(text("".join(HALVES), pieces=HALVES), after_chunks=1)
    refund = tool_calls(call("refund_parcel", {"number": "LH20481137"}))
    shared.book.write(asked, refund, held, text(after))
    await talk.run(user(asked))
    waiting = await talk.client.threads.get_state(talk.id)
    [question] = waiting["interrupts"]

    yes = {"resume": {"confirmed": True}}
    run = await talk.begin(None, command=yes)
    await held.reached.wait_async(within=60)
    await talk.client.runs.cancel(talk.id, run, wait=True, action="rollback")
    await asyncio.to_thread(until, lambda: shared.holding(run) == [], "the run is rolled back")

    back = await talk.client.threads.get_state(talk.id)
    assert back["interrupts"] == [question]
    assert back["checkpoint"] == waiting["checkpoint"]
    said = await talk.run(None, command=yes)
    assert said[-1] == f"ai: {after}"
    done = "SELECT 1 FROM store WHERE prefix LIKE %s"
    assert len(shared.rows(done, f"%{talk.id}.actions")) == 1


async def test_a_cancelled_turn_is_answered_when_asked_again(shared: Served, talk: Talk) -> None:
    first, after = talk.mark("First"), talk.mark("After")
    run, _ = await begin_held(shared, talk, first)

    await talk.client.runs.cancel(talk.id, run, wait=True, action="interrupt")

    assert await talk.words() == [f"human: {first}"]
    shared.book.write(first, text("At last."))
    assert await talk.run(None) == [f"human: {first}", "ai: At last."]
    await talk.say(after)
    [request] = shared.requests(after)
    assert user_words(request.chat) == [first, after]


async def test_cancel_with_rollback_puts_the_thread_back(shared: Served, talk: Talk) -> None:
    before, first, after = talk.mark("Before"), talk.mark("First"), talk.mark("After")
    await talk.say(before)
    tip = (await talk.history())[0]["checkpoint"]["checkpoint_id"]
    run, _ = await begin_held(shared, talk, first)

    await talk.client.runs.cancel(talk.id, run, wait=True, action="rollback")
    # The dev server answers before it has rolled back.
    await asyncio.to_thread(until, lambda: shared.holding(run) == [], "the run is rolled back")

    assert (await talk.history())[0]["checkpoint"]["checkpoint_id"] == tip
    assert shared.holding(first) == []
    assert shared.stopped(talk.id) == []
    assert await talk.say(after) == [
        f"human: {before}",
        f"ai: {reply_to(before)}",
        f"human: {after}",
        f"ai: {reply_to(after)}",
    ]
    [request] = shared.requests(after)
    assert user_words(request.chat) == [before, after]


async def test_a_turn_stopped_between_a_call_and_its_result_is_asked_about_truthfully(
    shared: Served, client: LangGraphClient
) -> None:
    talk = Talk(client=client, graph=SLOW)
    first, second = talk.mark("First"), talk.mark("Second")
    done, never = f"done-{talk.id}", f"never-{talk.id}"
    fetches = [call("fetch", {"item": item}, id=item) for item in (done, never)]
    shared.book.write(first, tool_calls(*fetches, content="Let me see."))
    (shared.dev.desk / done).touch()
    await talk.begin(user(first))
    await asyncio.to_thread(shared.until_called, never)
    await asyncio.to_thread(shared.until_stored, talk.id, f"here is {done}")

    newer = await talk.begin(user(second), multitask_strategy="interrupt")

    assert await talk.end(newer) == "success"
    assert await talk.words() == [
        f"human: {first}",
        "ai: Let me see.",
        f"tool: here is {done}",
        f"human: {second}",
        f"ai: {reply_to(second)}",
    ]
    [request] = shared.requests(second)
    results = {m["tool_call_id"]: m["content"] for m in request.messages if m["role"] == "tool"}
    assert results == {done: f"here is {done}", never: NO_RESULT}
