"""Compaction behind the replies of a dev server: unseen, on its loop, and due again if killed."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.schema import StreamMode

from app.model_server.chat import text_of
from app.model_server.server import ModelServer
from app.model_server.steps import Held, Step, hold, text
from tests.integration.server.dev_server import BLOCKING_CALL, DevServer
from tests.integration.server.served import fresh_database
from tests.integration.server.talk import Talk, connected, user
from tests.integration.talking import EXTRACTOR, MARK, NOTER, noted, notes_of, replies_of, script

NOTE = {"kind": "now", "text": f"{MARK} K0001", "turns": [1]}
MODES: list[StreamMode] = ["messages", "messages-tuple", "updates", "custom", "debug", "events"]


class Steps:
    """What the summariser says: what was put here, then a note for each turn."""

    def __init__(self) -> None:
        self.next: list[Step] = []

    def hold(self) -> Held:
        held = hold(text(json.dumps({"add": [NOTE]})))
        self.next.append(held)
        return held

    def __call__(self, request: Any) -> Step:
        return self.next.pop() if self.next else noted(request)


@pytest.fixture
def steps() -> Steps:
    return Steps()


@pytest.fixture
def model(steps: Steps) -> Iterator[ModelServer]:
    with ModelServer(script(steps)) as server:
        yield server


@pytest.fixture
def dev(
    postgres_server: str, chroma_url: str, tmp_path: Path, model: ModelServer
) -> Iterator[DevServer]:
    """A server with small marks."""
    with fresh_database(postgres_server) as database:
        environment = {
            "LONGHAUL_DATABASE": database,
            "LONGHAUL_CHROMA_URL": chroma_url,
            "OPENAI_BASE_URL": model.base_url,
            "LONGHAUL_SUMMARISE_MODEL": NOTER,
            "LONGHAUL_EXTRACT_MODEL": EXTRACTOR,
            "LONGHAUL_HIGH_MARK": "300",
            "LONGHAUL_LOW_MARK": "150",
        }
        server = DevServer(folder=tmp_path, environment=environment)
        try:
            server.start()
            yield server
            code = server.stop()
        finally:
            server.kill()
        assert BLOCKING_CALL not in server.log
        assert code == 0, server.log[-3000:]


def said(turn: int) -> dict[str, Any]:
    """The input of one turn, with an id: a server that was killed may repeat its last run."""
    return user(f"K{turn:04d} " + "word " * 20, id=f"message-{turn}")


async def test_no_word_of_the_summariser_is_streamed_and_nobody_waits_for_it(
    dev: DevServer, steps: Steps
) -> None:
    held = steps.hold()
    async with connected(dev.url) as client:
        talk = Talk(client=client)
        streamed: list[tuple[str, Any]] = []
        for turn in range(16):
            async for part in client.runs.stream(
                talk.id, talk.graph, input=said(turn), if_not_exists="create", stream_mode=MODES
            ):
                streamed.append((part.event, part.data))
                if turn == 12:
                    held.release()
        values = await talk.values()
    assert held.reached.is_set
    assert values["memory_version"] >= 1
    assert len([m for m in values["messages"] if m["type"] == "ai"]) < 16
    words = json.dumps([data for event, data in streamed if event.startswith("messages")])
    assert "hear" in words
    assert not any(each in words for each in (MARK, NOTER, EXTRACTOR))


async def test_a_summary_that_is_lost_with_the_server_is_written_later(
    dev: DevServer, model: ModelServer, steps: Steps
) -> None:
    held = steps.hold()
    async with connected(dev.url) as client:
        talk = Talk(client=client)
        turn = 0
        while not held.reached.is_set:
            turn += 1
            await talk.run(said(turn))
    dev.kill()
    dev.start()
    held.release()
    async with connected(dev.url) as client:
        talk = Talk(client=client, id=talk.id)
        # The server forgets a thread that is younger than its last save of its own list.
        await talk.open()
        while "memory_version" not in (values := await talk.values()):
            turn += 1
            await talk.run(said(turn))
            await asyncio.sleep(1)
    assert len(notes_of(model)) == 2
    assert MARK in json.dumps(values["summary"])
    words = [m["content"].split()[0] for m in values["messages"] if m["type"] == "human"]
    assert words == [f"K{n:04d}" for n in range(values["summary"]["through"] + 1, turn + 1)]


async def test_what_left_the_window_is_found_again(dev: DevServer, model: ModelServer) -> None:
    async with connected(dev.url) as client:
        talk = Talk(client=client)
        turn = 0
        while "memory_version" not in (values := await talk.values() if turn else {}):
            turn += 1
            await talk.run(said(turn))
        await talk.run(user("What was K0001 about?"))
        values = await talk.values()
    recalled = values["recalled"]
    assert recalled["trouble"] == ""
    assert recalled["passages"][0]["user"].startswith("K0001 ")
    assert "user> K0001 " in text_of(replies_of(model)[-1].chat.messages[-1])
