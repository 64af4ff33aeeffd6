"""A string that nobody else says is told, folded, recalled and promised; then it is forgotten."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from langchain_core.messages import HumanMessage

from app.model_server import faults
from app.model_server.chat import ChatRequest, text_of
from app.model_server.steps import Held, Step, hold, text
from graph.forgetting import (
    FactUnknownError,
    Means,
    Receipt,
    forget_fact,
    forget_thread,
    forget_user,
)
from graph.rebuild import Rebuild
from memory.chroma import Connection
from memory.facts import read_log
from memory.reindex import Reindex
from memory.vectors import Vectors
from state.fact_ids import fact_id
from state.redaction import MARK
from state.session import SessionInput
from tests.integration.canary import in_files, in_tables
from tests.integration.scripted_talk import Plot, Talk, new_thread, open_talk

CANARY = "7719 Quillfeather Lane"
TOLD = f"Please send it to {CANARY}."
ASKED = "What was the address that I told you?"
ADDRESS = {"kind": "address", "value": CANARY, "quote": f"send it to {CANARY}"}
PROMISE = {
    "kind": "promise",
    "value": f"send it to {CANARY}",
    "quote": f"I will send it to {CANARY}",
}
ORDER = "LH59301177"
_TURN = re.compile(r'<turn n="(\d+)"')
MINUTE = timedelta(minutes=1)
SMALL = {
    "high_mark": "8 turns",
    "low_mark": "4 turns",
    "hard_limit": "4000",
    "recall": "auto",
    "retries": 0,
}


async def _nowhere() -> str:
    return "http://127.0.0.1:9"


@dataclass
class Story(Plot):
    """What the model says; an extractor that may be down, and that repeats itself."""

    down: bool = False
    held: list[Held] = field(default_factory=list)
    repeats: bool = False
    release: Callable[[], None] = lambda: None

    def __call__(self, request: ChatRequest) -> Step:
        if request.schema_name == "Operations":
            if self.down:
                return faults.server_error()
            if self.repeats:
                return text(json.dumps({"facts": [{**ADDRESS, "turn": 2}]}))
        if request.schema_name == "Changes":
            newest = text_of(request.messages[-1])
            first = int(_TURN.findall(newest)[0])
            told = f"The customer wants it sent to {CANARY} soon."
            note = {"kind": "happened", "text": "They talked.", "turns": [first]}
            noted = {**note, "text": told, "turns": [2]} if CANARY in newest else note
            return self.held.pop() if self.held else text(json.dumps({"add": [noted]}))
        return super().__call__(request)


def story() -> Story:
    return Story(
        replies={TOLD: f"Gladly: I will send it to {CANARY.upper()}!", ASKED: f"It is {CANARY}."},
        facts={2: [ADDRESS, PROMISE]},
    )


def small_talk(count: int, *, since: int = 0) -> list[str]:
    return [
        f"Day {since + n}: the garden is green, the soup was warm, and it rained a bit."
        for n in range(count)
    ]


@dataclass(kw_only=True)
class Scene:
    """A conversation, its database and its Chroma."""

    talk: Talk
    story: Story
    url: str
    thread: str = field(default_factory=new_thread)

    async def say(self, *said: str, user: str = "ann", thread: str = "") -> None:
        for words in said:
            await self.talk.say(words, thread or self.thread, after=MINUTE, user=user)

    async def means(self) -> Means:
        return Means(database=self.talk.database, indexer=await self.talk.parts.index.indexer())

    async def forget(self, kind: str = "address", value: str = CANARY) -> Receipt:
        return await forget_fact(await self.means(), self.thread, fact_id(kind, value))

    async def state(self) -> dict[str, Any]:
        return await self.talk.state(self.thread)

    def holding(self, words: str = "Quillfeather") -> list[str]:
        return in_tables(self.url, words)


@pytest.fixture
async def scene(
    request: pytest.FixtureRequest, postgres_url: str, chroma_url: str
) -> AsyncIterator[Scene]:
    """With recall, unless a test says that it needs none."""
    recall = getattr(request, "param", "auto")
    async with AsyncExitStack() as stack:
        told = story()
        talk = await stack.enter_async_context(
            open_talk(
                postgres_url,
                told,
                settings={**SMALL, "chroma_url": chroma_url, "recall": recall},
                collections=f"t{uuid4().hex[:12]}",
            )
        )
        yield Scene(talk=talk, story=told, url=postgres_url)


WITHOUT_RECALL = pytest.mark.parametrize("scene", ["never"], indirect=True)


async def test_a_forgotten_fact_is_in_no_table_and_does_not_come_back(
    scene: Scene, services_data: Path
) -> None:
    await scene.say("Hello", TOLD, *small_talk(9), ASKED, *small_talk(3, since=20))
    before = await scene.state()
    assert CANARY in str(before["summary"])
    assert [p["turn"] for p in before["facts"]["promise"]] == [2]
    assert {"store.value", "checkpoint_blobs.blob"} <= {*scene.holding()}
    vectors = await (await scene.means()).indexer.vectors.count()  # type: ignore[union-attr]

    receipt = await scene.forget()

    assert scene.holding() == []
    assert receipt["found"] == {"checkpoints": 0, "store": 0, "profile": 0}
    assert {"facts", "summary", "transcript", "vectors", "profile", "checkpoints"} <= {
        *receipt["removed"]
    }
    assert receipt["removed"]["transcript"] == 2
    assert (receipt["waits"], receipt["threads"]) == ([], [scene.thread])
    assert CANARY not in json.dumps(receipt)
    assert in_files([services_data / "chroma"], "Quillfeather") == []
    indexer = (await scene.means()).indexer
    assert indexer is not None
    assert await indexer.vectors.count() == vectors

    scene.story.repeats = True  # the model, for one, has forgotten nothing
    await scene.say(*small_talk(4, since=30), "What was the address, and day 7?")
    found = (await scene.state())["recalled"]["passages"]
    assert not any("quillfeather" in str(p).lower() for p in found)
    rebuild = Rebuild(
        graph=scene.talk.graph,
        database=scene.talk.database,
        folder=scene.talk.parts.folder,
        on_page=lambda *_: None,
    )
    assert await rebuild.thread(scene.thread) > 5
    _ = [step async for step in Reindex(indexer=indexer, store=scene.talk.database.store).run()]
    assert scene.holding() == []
    log = await read_log(scene.talk.database.store, scene.thread)
    assert [row["kind"] for row in log if row["event"] == "forgotten"] == ["address"]


@WITHOUT_RECALL
async def test_said_anew_it_is_a_new_statement(scene: Scene) -> None:
    await scene.say("Hello", TOLD)
    await scene.forget()
    with pytest.raises(FactUnknownError):
        await scene.forget()
    assert "address" not in (await scene.state())["facts"]
    scene.story.facts = {4: [ADDRESS]}
    await scene.say("Well.", TOLD)
    assert [f["turn"] for f in (await scene.state())["facts"]["address"]] == [4]


async def in_the_window(scene: Scene) -> None:
    await scene.say(f"It is about {ORDER}.", *small_talk(3), f"Where is {ORDER.lower()} now?")


async def while_extraction_is_behind(scene: Scene) -> None:
    await scene.say(f"It is about {ORDER}.")
    scene.story.down = True
    await scene.say(*small_talk(3), f"{ORDER[:6]} {ORDER[6:]}, I said!")
    assert (await scene.state())["extracted_through"] == 1


async def while_it_is_folded(scene: Scene) -> None:
    note = {"kind": "now", "text": f"About {ORDER}.", "turns": [1]}
    held = hold(text(json.dumps({"add": [note]})))
    scene.story.held, scene.story.release = [held], held.release
    await in_the_window(scene)
    for words in small_talk(20, since=10):
        message = SessionInput(messages=[HumanMessage(words)])
        config: Any = {"configurable": {"thread_id": scene.thread}}
        await scene.talk.graph.ainvoke(message, config)
        if held.reached.is_set:
            return


@WITHOUT_RECALL
@pytest.mark.parametrize("told", [in_the_window, while_it_is_folded, while_extraction_is_behind])
async def test_it_stays_forgotten_for_thirty_turns_more(
    scene: Scene, told: Callable[[Scene], Awaitable[None]]
) -> None:
    scene.story.facts = {}
    await told(scene)
    assert [f["value"] for f in (await scene.state())["facts"]["order_number"]] == [ORDER]

    receipt = await scene.forget("order_number", ORDER)
    assert not any(receipt["found"].values())
    scene.story.down = False
    scene.story.release()
    await scene.talk.parts.background.settled(20)
    assert scene.holding(ORDER) == []
    await scene.say(*small_talk(30, since=50))

    assert scene.holding(ORDER) == []
    state = await scene.state()
    assert "order_number" not in state["facts"]
    assert state["extracted_through"] == state["turn"] > 30
    assert state["summary"]["through"] > 20


async def test_a_thread_and_a_user_go_whole(scene: Scene, services_data: Path) -> None:
    other, theirs = new_thread(), new_thread()
    await scene.say("Hello", TOLD, *small_talk(9), ASKED)
    await scene.say("Hi", TOLD, *small_talk(2), thread=other)
    told, scene.story.facts = scene.story.facts, {}
    await scene.say("I am Bob Karlsson.", *small_talk(2), user="bob", thread=theirs)
    scene.story.facts = told
    means = await scene.means()
    assert means.indexer is not None
    assert await means.indexer.vectors.held_of(user="ann") > 0

    await forget_thread(means, other)
    gone = await forget_thread(means, scene.thread)
    assert not any(gone["found"].values())
    assert gone["removed"]["transcript"] == 12
    assert scene.holding() == []
    assert in_files([services_data / "chroma"], "Quillfeather") == []
    assert scene.holding(scene.thread) == ["store.key", "store.value"]  # when it was forgotten
    assert await means.indexer.vectors.held_of(thread=scene.thread) == 0
    assert (await forget_thread(means, scene.thread))["removed"] == {}

    await scene.say("Hi", TOLD, *small_talk(9))
    await scene.say("Hi", TOLD, thread=other)
    await asyncio.gather(forget_user(means, "ann"), forget_thread(means, other))
    assert scene.holding() == []
    assert scene.holding("users.ann") == []
    assert in_files([services_data / "chroma"], "Quillfeather") == []
    assert await means.indexer.vectors.held_of(user="ann") == 0
    assert (await scene.talk.state(theirs))["turn"] == 3
    last = await forget_user(means, "ann")
    assert (last["removed"], last["threads"]) == ({}, [])


@WITHOUT_RECALL
async def test_a_thread_takes_along_what_only_it_told_the_others(scene: Scene) -> None:
    other, third = new_thread(), new_thread()
    await scene.say("Hello", TOLD)
    await scene.say("Hi there", thread=other)
    scene.story.facts = {2: [{**ADDRESS, "value": "Leeds", "quote": "live in Leeds"}]}
    await scene.say("Good morning", "I live in Leeds now", thread=third)
    assert "Quillfeather" in str((await scene.talk.state(third))["facts"])
    await forget_thread(await scene.means(), scene.thread)
    assert scene.holding() == []
    [fact] = (await scene.talk.state(third))["facts"]["address"]
    assert (fact["value"], fact["was"]) == ("Leeds", "")
    await scene.say("Hello again", thread=other)
    [fact] = (await scene.talk.state(other))["facts"]["address"]
    assert fact["value"] == "Leeds"


@WITHOUT_RECALL
@pytest.mark.parametrize("asked", ["original", "copy"])
async def test_a_copy_and_its_original_forget_together(scene: Scene, asked: str) -> None:
    scene.story.facts = {}
    await scene.say("Hello", f"It is about {ORDER}.", *small_talk(9))
    threads = {"original": scene.thread, "copy": new_thread()}
    await scene.talk.database.saver.acopy_thread(*threads.values())
    await scene.say("Hello", *small_talk(1), thread=new_thread())
    await scene.say(*small_talk(2, since=30), thread=threads["copy"])
    scene.thread = threads[asked]
    receipt = await scene.forget("order_number", ORDER)
    assert receipt["threads"][0] == threads[asked]
    assert {*receipt["threads"]} == {*threads.values()}
    assert scene.holding(ORDER) == []
    [left] = (await forget_thread(await scene.means(), threads["original"]))["left"]
    assert threads["copy"] in left
    assert (await forget_user(await scene.means(), "ann"))["left"] == []


@WITHOUT_RECALL
async def test_a_fact_that_lasts_is_forgotten_in_every_thread_of_its_user(scene: Scene) -> None:
    await scene.say("Hello", TOLD)
    other, theirs = new_thread(), new_thread()
    await scene.say("Hi there", thread=other)
    assert [f["value"] for f in (await scene.talk.state(other))["facts"]["address"]] == [CANARY]
    scene.story.facts = {}
    await scene.say(TOLD, user="bob", thread=theirs)
    scene.thread = other
    receipt = await scene.forget()
    assert sorted(receipt["threads"]) == sorted([other, *receipt["threads"][1:]])
    assert len(receipt["threads"]) == 2
    assert (await scene.talk.state(other))["facts"] == {}
    [said, *_] = (await scene.talk.state(theirs))["messages"]
    assert said.content == TOLD


async def test_with_chroma_away_the_words_go_and_the_vectors_wait(scene: Scene) -> None:
    await scene.say("Hello", TOLD, *small_talk(9))
    indexer = await scene.talk.parts.index.indexer()
    assert indexer is not None
    nowhere = Connection(endpoint=_nowhere)
    collections = replace(indexer.vectors.collections, connection=nowhere)
    away = replace(indexer, vectors=Vectors(collections=collections))
    means = Means(database=scene.talk.database, indexer=away)
    receipt = await forget_fact(means, scene.thread, fact_id("address", CANARY))
    assert scene.holding() == []
    assert not any(receipt["found"].values())
    [waits] = receipt["waits"]
    assert "cannot be reached" in waits
    await nowhere.close()
    await scene.say(*small_talk(12, since=40))
    assert (await scene.state())["summary"]["through"] > 10
    rows = [r async for r in Reindex(indexer=indexer, store=scene.talk.database.store).run()]
    assert rows[-1].lost == 0
    passages = (await scene.state())["recalled"]["passages"]
    assert not any(MARK not in p["user"] and p["turn"] == 2 for p in cast("list[Any]", passages))
