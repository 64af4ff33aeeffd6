"""Compaction over real HTTP and a real Postgres: nobody waits for it, nothing is lost by it."""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from app.model_server import faults
from app.model_server.chat import text_of
from app.model_server.server import ModelServer
from app.model_server.steps import Step, hold, text
from graph.migrate import migrate
from memory import posts, transcript
from nodes.compaction_job import LEASE_SECONDS, Job
from prompts.files import system_prompt
from state.exchanges import group
from state.summary import EMPTY
from state.tokens import count_messages
from tests.integration.talking import (
    MARK,
    NOTER,
    THREAD,
    Process,
    noted,
    notes_of,
    of_noter,
    process,
    replies_of,
    script,
    settings,
)
from tests.project import ROOT

FULL = 1800
"""Tokens at which a window is full, of a hard limit of 2400."""


@pytest.fixture
async def url(postgres_url: str) -> str:
    """A database with its tables."""
    await migrate(postgres_url)
    return postgres_url


async def test_a_summariser_that_is_slow_delays_no_reply(url: str) -> None:
    held = hold(text(""))
    steps: list[Step] = [held]
    with ModelServer(script(lambda r: steps.pop() if steps else noted(r))) as model:
        async with process(url, settings(model)) as one:
            while not held.reached.is_set:
                await one.say()
            state = await one.say(times=8)
            assert len(notes_of(model)) == 1
            assert "summary" not in state
            assert one.tokens(state) > one.settings.marks.high.amount
            held.release()
            await one.settle()
            await until_in_its_marks(one)


async def until_in_its_marks(one: Process) -> None:
    """The window returns to its marks within a few turns."""
    for _ in range(8):
        one.later(3600)
        state = await one.say()
        await one.settle()
        if state.get("memory_version") and one.tokens(state) <= one.settings.marks.high.amount:
            return
    raise AssertionError("the window does not return to its marks")


@pytest.mark.parametrize(
    "fault",
    [
        faults.server_error(),
        faults.unauthorized(),
        faults.context_length_exceeded(),
        faults.cut_stream(),
        faults.html(),
        faults.empty_choices(),
        faults.cut_at_length('{"add": ['),
        faults.refusal(),
        faults.content_filter('{"add": []}'),
        text(" "),
        text("I noted everything."),
        text('{"add": [{"kind": "happened", "text": "...", "turns": [1]}]}'),
        text('{"add": [{"kind": "happened", "text": "It cost 99999.", "turns": [1]}]}'),
    ],
    ids=lambda step: type(step).__name__,
)
async def test_a_summariser_that_fails_for_an_hour_fails_no_reply(url: str, fault: Step) -> None:
    broken = True
    with ModelServer(script(lambda r: fault if broken else noted(r))) as model:
        async with process(url, settings(model)) as one:
            states = []
            for _ in range(10):
                one.later(400)
                states.append(await one.say())
                await one.settle()
            assert notes_of(model)
            assert all("summary" not in state or passed_over(state) for state in states)
            assert [m.type for m in states[-1]["messages"]][-2:] == ["human", "ai"]
            broken = False
            await until_in_its_marks(one)


def passed_over(state: object) -> bool:
    """Nothing but what the model would not read has left the window."""
    return isinstance(state, dict) and state["summary"]["items"] == []


async def test_a_full_window_waits_for_the_summary_that_is_being_written(url: str) -> None:
    note = {"kind": "now", "text": f"{MARK} K0001", "turns": [1]}
    held = hold(text(json.dumps({"add": [note]})))
    steps: list[Step] = [held]
    with ModelServer(script(lambda r: steps.pop() if steps else noted(r))) as model:
        full = settings(model, hard_limit="2400", high_mark="800", compaction_wait=60)
        async with process(url, full) as one:
            while count_messages((await one.say(100))["messages"]) < FULL - 400:
                pass
            await held.reached.wait_async()
            asked = len(replies_of(model))
            with heard("waiting for its summary") as waits:
                turn = asyncio.create_task(one.say(400))
                await waits.wait()
            assert len(replies_of(model)) == asked
            held.release()
            assert (await turn)["memory_version"] == 1
            [request] = replies_of(model)[asked:]
            assert MARK in text_of(request.messages[0])


@contextmanager
def heard(words: str) -> Iterator[asyncio.Event]:
    """Happens when a node logs these words."""
    event = asyncio.Event()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if words in record.getMessage():
                event.set()

    listener, nodes = Listener(), logging.getLogger("nodes")
    nodes.addHandler(listener)
    try:
        yield event
    finally:
        nodes.removeHandler(listener)


async def test_a_full_window_that_waits_in_vain_is_sent_shortened(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    held = hold(text(""))
    with ModelServer(script(lambda _: held)) as model:
        async with process(url, settings(model, hard_limit="2400", high_mark="1500")) as one:
            state = await one.say(150, times=24)
            assert len(group(state["messages"])) == 24
            newest = replies_of(model)[-1].messages
            words = [text_of(m) for m in newest if m["role"] == "user"]
            assert words[-2].startswith("K0023 ")
            assert words[-1].startswith("K0024 ")
            assert 2 < len(words) < 24
            held.release()
    assert "the window is full; a shortened view is sent" in caplog.text
    assert "exchanges of the window did not fit the request" in caplog.text


async def test_no_word_of_the_summariser_reaches_the_stream(url: str) -> None:
    held = hold(text(json.dumps({"add": [{"kind": "now", "text": f"{MARK} K0001", "turns": [1]}]})))
    steps: list[Step] = [held]
    with ModelServer(script(lambda r: steps.pop() if steps else noted(r))) as model:
        async with process(url, settings(model)) as one:
            parts = []
            for turn in range(24):
                modes = ["messages", "updates", "custom", "debug", "tasks"]
                async for mode, part in one.graph.astream(
                    one.message(), one.config, stream_mode=modes
                ):
                    parts.append((mode, part))
                    if turn == 16:
                        held.release()
                if turn > 16:
                    await one.settle()
            messages = [part[0].text for mode, part in parts if mode == "messages"]
            assert "".join(messages).count("I hear you") == 24
            assert MARK not in "".join(messages)
            noters = [part for mode, part in parts if mode == "messages" and NOTER in repr(part)]
            assert noters == []
            updates = [part for mode, part in parts if mode == "updates"]
            told = [part for part in updates if MARK in repr(part)]
            assert told
            assert all(set(part) == {"load_memory"} for part in told)


async def test_under_the_high_mark_nothing_is_summarised_and_the_history_is_plain(url: str) -> None:
    with ModelServer(script()) as model:
        async with process(url, settings(model, high_mark="2000", low_mark="150")) as one:
            state = await one.talk(times=12)
            assert notes_of(model) == []
            assert one.tokens(state) < 2000
            *history, newest = [
                {"role": "user" if m.type == "human" else "assistant", "content": m.text}
                for m in state["messages"][:-1]
            ]
            system = {"role": "system", "content": system_prompt("support")}
            late = "\n\n<context>\nNow: Wednesday, 2026-03-04 12:00 (UTC)\n</context>"
            newest = {**newest, "content": newest["content"] + late}
            assert replies_of(model)[-1].messages == [system, *history, newest]


async def test_between_compactions_each_request_repeats_the_one_before_it(url: str) -> None:
    with ModelServer(script()) as model:
        async with process(url, settings(model)) as one:
            await one.talk(times=40)
            bodies = [dict(request.body) for request in replies_of(model)]
    compactions = 0
    for before, after in pairwise(bodies):
        if before["messages"][0] != after["messages"][0]:
            compactions += 1
            continue
        shared = before.pop("messages")
        words = text_of(shared[-1]).partition("\n\n<context>")[0]
        wanted = json.dumps([*shared[:-1], {**shared[-1], "content": words}])[: -len('"}]')]
        assert json.dumps(after["messages"]).startswith(wanted)
        assert {**after, "messages": None} == {**before, "messages": None}
    assert 2 < compactions < 12


async def test_all_that_was_said_can_be_read_back_in_order(url: str) -> None:
    with ModelServer(script()) as model:
        async with process(url, settings(model)) as one:
            state = await one.talk(times=40)
            rows = await transcript.read_page(
                one.database.store, state["transcript"], through=40, count=40
            )
            assert [row["turn"] for row in rows] == list(range(1, 41))
            words = [row["messages"][0]["content"].split()[0] for row in rows]
            assert words == [f"K{n:04d}" for n in range(1, 41)]
            covered = {turn for item in state["summary"]["items"] for turn in item["turns"]}
            assert covered <= set(range(1, state["summary"]["through"] + 1))
            assert state["summary"]["through"] > 30


async def test_two_replicas_take_turns_and_one_pays(url: str) -> None:
    held = hold(text(""))
    with ModelServer(script(lambda _: held)) as model:
        chosen = settings(model)
        async with process(url, chosen) as one, process(url, chosen) as two:
            while not held.reached.is_set:
                await one.say()
            for _ in range(4):
                await two.say()
                await one.say()
            assert len(notes_of(model)) == 1
            held.release()


async def test_of_two_jobs_that_start_at_once_one_pays_at_most(url: str) -> None:
    with ModelServer(script()) as model:
        chosen = settings(model, high_mark="2000")
        async with process(url, chosen) as one, process(url, chosen) as two:
            state = await one.say(times=6)
            for round_ in range(5):
                desk = await posts.look(one.database.store, THREAD)
                jobs = [
                    Job(
                        thread=THREAD,
                        holder=f"{round_}-{name}",
                        version=0,
                        summary=EMPTY,
                        exchanges=group(state["messages"])[:4],
                        known=[],
                        desk=desk,
                    )
                    for name in ("one", "two")
                ]
                before = len(notes_of(model))
                await asyncio.gather(
                    one.parts.jobs.run(jobs[0], one.database.store),
                    two.parts.jobs.run(jobs[1], two.database.store),
                )
                assert len(notes_of(model)) - before <= 1


async def test_a_job_that_is_killed_with_its_process_is_due_again(url: str) -> None:
    held = hold(text(""))
    steps: list[Step] = [held]
    with ModelServer(script(lambda r: steps.pop() if steps else noted(r))) as model:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.integration.compacting",
            url,
            model.base_url,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
        )
        await model.wait_for_async(wanted=of_noter, within=60)
        await asyncio.to_thread(held.reached.wait)
        child.send_signal(signal.SIGKILL)
        await child.wait()
        async with process(url, settings(model)) as one:
            one.said = 100
            await one.say()
            await one.settle()
            assert len(notes_of(model)) == 1
            one.later(2 * LEASE_SECONDS)
            await one.say()
            await one.settle()
            assert len(notes_of(model)) == 2
            state = await one.say()
            assert state["memory_version"] == 1
            held.release()
