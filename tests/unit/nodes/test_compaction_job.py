"""One compaction behind the reply: its lease, its result, its failures."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langgraph.store.memory import InMemoryStore

from memory import names, posts
from memory.forgettings import begin_epoch
from nodes import compaction_job
from nodes.asking import Candidate
from nodes.background import Background
from nodes.compaction import Folder, Sizes
from nodes.compaction_job import LEASE_SECONDS, Job, Jobs
from state.exchanges import Exchange
from state.summary import EMPTY
from tests.scripted import Asked, candidate, whole

START = datetime(2026, 3, 4, 12, tzinfo=UTC)
GOOD = json.dumps({"add": [{"kind": "happened", "text": "User said hello.", "turns": [1]}]})
USELESS = whole("I would rather not.")
TALK = [
    Exchange((HumanMessage(f"hello {4000 + n}", id=f"u{n}"), AIMessage("Well.", id=f"a{n}")))
    for n in range(1, 9)
]

Answer = Callable[[], AIMessageChunk]


def down() -> AIMessageChunk:
    request: Any = httpx.Request("POST", "http://models.example")
    raise openai.APITimeoutError(request=request)


@dataclass
class Bench:
    """A thread's desk, and jobs that become due there."""

    answer: Answer
    store: InMemoryStore = field(default_factory=InMemoryStore)
    now: datetime = START
    asked: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    held: asyncio.Event | None = None
    background: Background = field(default_factory=Background)

    def jobs(self) -> Jobs:
        folder = Folder(
            models=self, sizes=lambda: Sizes(summary=400, pins=200, piece=500), seconds=lambda: 60.0
        )
        return Jobs(folder=folder, clock=lambda: self.now, background=self.background)

    async def summarisers(self) -> list[Candidate]:
        return [candidate(self._answer)]

    async def _answer(self, _: Asked) -> AIMessageChunk:
        self.asked += 1
        self.reached.set()
        if self.held:
            await self.held.wait()
        return self.answer()

    async def due(self, holder: str = "a") -> Job:
        return Job(
            thread="t",
            holder=holder,
            version=3,
            summary=EMPTY,
            exchanges=TALK,
            known=[],
            desk=await posts.look(self.store, "t"),
        )

    async def run(self) -> posts.Desk:
        """What lies on the desk after one more job."""
        await self.jobs().run(await self.due(), self.store)
        return await posts.look(self.store, "t")


async def test_a_result_names_what_it_folded_and_what_it_started_from() -> None:
    bench = Bench(lambda: whole(GOOD))
    desk = await bench.run()
    assert desk.result is not None
    assert desk.result["version"] == 3
    assert desk.result["ids"] == [str(m.id) for each in TALK for m in each.messages]
    assert desk.result["summary"]["through"] == 8
    assert (desk.failures, dict(desk.leases)) == (None, {})
    [event] = await bench.store.asearch(names.log("t"))
    assert event.value["turns"] == [1, 8]
    assert event.value["missed_at_first"] == [str(4000 + n) for n in range(1, 9)]


async def test_an_outage_waits_longer_each_time_and_gives_nothing_up() -> None:
    bench = Bench(down)
    waits = []
    for _ in range(12):
        failures = (await bench.run()).failures
        assert failures is not None
        assert (failures["refused"], failures["size"]) == (0, 8)
        waits.append((datetime.fromisoformat(failures["retry_at"]) - bench.now).total_seconds())
    assert waits[:4] == [5, 10, 20, 40]
    assert waits[-1] == 600
    assert bench.answer is down


async def test_useless_answers_make_it_try_fewer_and_pass_one_over() -> None:
    bench = Bench(lambda: USELESS)
    sizes = []
    while (desk := await bench.run()).result is None:
        assert desk.failures is not None
        assert "without an object" in desk.failures["cause"]
        sizes.append(desk.failures["size"])
    assert sizes == [8, 8, 4, 4, 4, 2, 2, 2, 1, 1, 1]
    assert desk.result["ids"] == ["u1", "a1"]
    assert desk.result["summary"]["through"] == 1
    assert [pin["value"] for pin in desk.result["summary"]["pins"]] == ["4001"]
    assert desk.failures is None
    [event] = await bench.store.asearch(names.log("t"))
    assert event.value["dropped"] == ["passed over: turn 1"]


async def test_an_outage_between_useless_answers_neither_counts_nor_forgets() -> None:
    answers = iter([USELESS, None, USELESS, None, USELESS])

    def mixed() -> AIMessageChunk:
        return next(answers) or down()

    bench = Bench(mixed)
    seen = []
    for _ in range(5):
        failures = (await bench.run()).failures
        assert failures is not None
        seen.append((failures["refused"], failures["size"]))
    assert seen == [(1, 8), (1, 8), (2, 8), (2, 8), (0, 4)]


async def test_a_smaller_try_that_succeeds_folds_just_that() -> None:
    bench = Bench(lambda: USELESS)
    for _ in range(3):
        await bench.run()
    bench.answer = lambda: whole(GOOD)
    desk = await bench.run()
    assert desk.result is not None
    assert desk.result["ids"] == [str(m.id) for each in TALK[:4] for m in each.messages]
    assert desk.failures is None


async def test_two_jobs_at_once_pay_once() -> None:
    bench = Bench(lambda: whole(GOOD), held=asyncio.Event())
    jobs = [await bench.due("a"), await bench.due("b")]
    first = asyncio.create_task(bench.jobs().run(jobs[0], bench.store))
    await bench.reached.wait()
    await bench.jobs().run(jobs[1], bench.store)
    assert bench.held
    bench.held.set()
    await first
    asked = bench.asked
    await bench.jobs().run(jobs[1], bench.store)
    assert bench.asked == asked


async def test_a_job_that_is_lost_blocks_for_its_lease_and_no_longer() -> None:
    bench = Bench(lambda: whole(GOOD), held=asyncio.Event())
    bench.jobs().start(await bench.due(), bench.store)
    await bench.reached.wait()
    await bench.background.settled(0)
    desk = await posts.look(bench.store, "t")
    assert (desk.result, desk.failures) == (None, None)
    assert desk.busy(bench.now)
    bench.now += timedelta(seconds=LEASE_SECONDS)
    bench.held = None
    assert not desk.busy(bench.now)
    assert (await bench.run()).result is not None


async def test_a_slow_job_keeps_its_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction_job, "_RENEW_SECONDS", 0)
    bench = Bench(lambda: whole(GOOD), held=asyncio.Event())
    bench.jobs().start(await bench.due(), bench.store)
    for _ in range(10):
        bench.now += timedelta(seconds=LEASE_SECONDS - 1)
        for _ in range(50):
            await asyncio.sleep(0)
        assert (await posts.look(bench.store, "t")).busy(bench.now)
    assert bench.held
    bench.held.set()
    await bench.background.settled(10)
    desk = await posts.look(bench.store, "t")
    assert desk.result is not None
    assert not desk.busy(bench.now)


async def test_what_breaks_behind_a_reply_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> AIMessageChunk:
        raise ZeroDivisionError

    bench = Bench(broken)
    bench.jobs().start(await bench.due(), bench.store)
    await bench.background.settled(10)
    desk = await posts.look(bench.store, "t")
    assert (desk.result, desk.failures) == (None, None)
    assert "work behind a reply failed" in caplog.text


async def nothing_of_it(bench: Bench) -> None:
    desk = await posts.look(bench.store, "t")
    assert (desk.result, desk.failures, dict(desk.leases)) == (None, None, {})
    assert await bench.store.asearch(names.log("t")) == []


@pytest.mark.parametrize("answer", [lambda: whole(GOOD), down], ids=["folded", "failed"])
async def test_a_job_leaves_nothing_when_something_was_forgotten_meanwhile(answer: Answer) -> None:
    bench = Bench(answer, held=asyncio.Event())
    bench.jobs().start(await bench.due(), bench.store)
    await bench.reached.wait()
    await begin_epoch(bench.store, "t", "later")
    assert bench.held
    bench.held.set()
    await bench.background.settled(10)
    await nothing_of_it(bench)


async def test_a_result_posted_as_the_forgetting_began_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench(lambda: whole(GOOD))
    post = posts.post

    async def just_before(*posted: Any) -> None:
        await begin_epoch(bench.store, "t", "later")
        await post(*posted)

    monkeypatch.setattr(posts, "post", just_before)
    await bench.run()
    await nothing_of_it(bench)


async def test_the_lease_of_such_a_job_is_not_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction_job, "_RENEW_SECONDS", 0)
    bench = Bench(lambda: whole(GOOD), held=asyncio.Event())
    bench.jobs().start(await bench.due(), bench.store)
    await bench.reached.wait()
    await begin_epoch(bench.store, "t", "later")
    await posts.release(bench.store, "t", "a")
    for _ in range(50):
        await asyncio.sleep(0)
    assert not (await posts.look(bench.store, "t")).leases
    await bench.background.settled(0)
