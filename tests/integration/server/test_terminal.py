"""The terminal as a client of the server."""

from uuid import uuid4

from app.model_server.steps import hold, text
from app.names import thread_id
from tests.integration.server.book import reply_to
from tests.integration.server.chat import chatting
from tests.integration.server.served import Served
from tests.integration.server.talk import Talk


async def test_the_terminal_talks_and_stops_a_reply_through_the_server(
    shared: Served, talk: Talk
) -> None:
    name = f"terminal {uuid4()}"
    first, second, third = talk.mark("First"), talk.mark("Second"), talk.mark("Third")
    shared.book.write(second, hold(text("Half a reply"), after_chunks=1))

    with chatting(shared.dev.url, name) as chat:
        chat.type(first)
        chat.until_printed(f"bot> {reply_to(first)}\n")
        chat.type(second)
        chat.until_printed("bot> Half")
        chat.interrupt()
        chat.until_printed("stopped")
        chat.type(third)
        code = chat.leave()

    assert code == 0
    assert f"bot> {reply_to(third)}\n" in chat.printed
    same = Talk(client=talk.client, id=thread_id(name))
    assert await same.words() == [
        f"human: {first}",
        f"ai: {reply_to(first)}",
        f"human: {second}",
        "ai: Half ",
        f"human: {third}",
        f"ai: {reply_to(third)}",
    ]
