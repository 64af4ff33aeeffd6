"""Fork, edit and rerun, regenerate and copy, as Studio and chat clients do it."""

from typing import Any

import pytest

from app.model_server.steps import text
from tests.integration.server.book import reply_to, user_words
from tests.integration.server.served import Served
from tests.integration.server.talk import Json, Talk, user

AGAIN = "Or rather."


async def conversation(talk: Talk) -> tuple[str, str, str]:
    """Three turns; the user's words in them."""
    first, second, third = (talk.mark(w) for w in ("First", "Second", "Third"))
    for run in [await talk.begin(user(words)) for words in (first, second, third)]:
        assert await talk.end(run) == "success"
    return first, second, third


async def first_with(talk: Talk, words: str) -> Any:
    """The earliest checkpoint that holds a message with these words."""
    history = reversed(await talk.history())
    return next(s for s in history if words in [m["content"] for m in messages_of(s)])


def messages_of(state: Any) -> list[Json]:
    messages: list[Json] = state["values"].get("messages", [])
    return messages


def exchange(words: str) -> list[str]:
    return [f"human: {words}", f"ai: {reply_to(words)}"]


async def test_edit_and_rerun_by_a_run_from_the_checkpoint_before(
    shared: Served, talk: Talk
) -> None:
    first, second, _ = await conversation(talk)
    edited = talk.mark("Edited")
    seen = await first_with(talk, second)

    words = await talk.say(edited, checkpoint=seen["parent_checkpoint"])

    assert words == await talk.words() == exchange(first) + exchange(edited)
    assert (await talk.values())["turn"] == 2
    [request] = shared.requests(edited)
    assert user_words(request.chat) == [first, edited]


@pytest.mark.parametrize("as_node", ["__start__", None])
async def test_edit_and_rerun_by_writing_the_state(
    shared: Served, talk: Talk, as_node: str | None
) -> None:
    first, second, _ = await conversation(talk)
    edited = talk.mark("Edited")
    seen = await first_with(talk, second)
    message = {"role": "user", "content": edited, "id": messages_of(seen)[-1]["id"]}

    written = await talk.client.threads.update_state(
        talk.id, {"messages": [message]}, as_node=as_node, checkpoint=seen["checkpoint"]
    )
    words = await talk.run(None, checkpoint=written["checkpoint"])

    assert words == await talk.words() == exchange(first) + exchange(edited)
    assert (await talk.values())["turn"] == 2
    [request] = shared.requests(edited)
    assert user_words(request.chat) == [first, edited]


async def test_regenerate_writes_one_reply_anew(shared: Served, talk: Talk) -> None:
    first, second, third = await conversation(talk)
    reply = await first_with(talk, reply_to(third))
    shared.book.write(third, text(AGAIN))

    words = await talk.run(None, checkpoint=reply["parent_checkpoint"])

    again = [f"human: {third}", f"ai: {AGAIN}"]
    assert words == await talk.words() == exchange(first) + exchange(second) + again
    assert (await talk.values())["turn"] == 3


async def test_new_words_before_a_reply_do_without_that_reply(shared: Served, talk: Talk) -> None:
    first, second, third = await conversation(talk)
    reply = await first_with(talk, reply_to(third))
    other = talk.mark("Other")

    words = await talk.say(other, checkpoint=reply["parent_checkpoint"])

    both = f"{third}\n\n{other}"
    asked = [f"human: {third}", f"human: {other}", f"ai: {reply_to(both)}"]
    assert words == await talk.words() == exchange(first) + exchange(second) + asked
    [request] = shared.requests(both)
    assert user_words(request.chat) == [first, second, both]


async def test_a_fork_goes_on_beside_the_branch_it_left(shared: Served, talk: Talk) -> None:
    first, second, third = await conversation(talk)
    tip = (await talk.history())[0]["checkpoint"]
    earlier = (await first_with(talk, reply_to(second)))["checkpoint"]
    left, right = talk.mark("Left"), talk.mark("Right")

    forked = await talk.client.threads.update_state(talk.id, None, checkpoint=earlier)
    on_the_fork = await talk.say(left, checkpoint=forked["checkpoint"])
    on_the_old_branch = await talk.say(right, checkpoint=tip)

    begun = exchange(first) + exchange(second)
    assert on_the_fork == begun + exchange(left)
    assert on_the_old_branch == begun + exchange(third) + exchange(right)
    assert (await first_with(talk, reply_to(left)))["values"]["turn"] == 3
    assert (await first_with(talk, reply_to(right)))["values"]["turn"] == 4
    assert [user_words(r.chat) for r in shared.requests(left)] == [[first, second, left]]


async def test_a_copy_and_its_original_go_on_apart(shared: Served, talk: Talk) -> None:
    first, second, third = await conversation(talk)
    made: Any = await talk.client.http.post(f"/threads/{talk.id}/copy", json=None)
    copy = Talk(client=talk.client, id=made["thread_id"])
    here, there = talk.mark("Here"), copy.mark("There")

    in_the_original, in_the_copy = await talk.say(here), await copy.say(there)

    begun = exchange(first) + exchange(second) + exchange(third)
    assert in_the_original == begun + exchange(here)
    assert in_the_copy == begun + exchange(there)
    assert (await talk.values())["turn"] == (await copy.values())["turn"] == 4
    assert [user_words(r.chat) for r in shared.requests(there)] == [[first, second, third, there]]
