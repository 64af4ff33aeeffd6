import asyncio
import threading

import pytest

from app.model_server.recorder import Recorder
from app.model_server.signals import Signal


def test_is_waited_for_by_a_thread() -> None:
    signal = Signal("it happened")
    thread = threading.Thread(target=signal.set)
    thread.start()
    signal.wait()
    thread.join()
    assert signal.is_set


async def test_is_waited_for_by_loops_and_set_by_a_thread() -> None:
    signal = Signal("it happened")
    waiting = [asyncio.create_task(signal.wait_async()) for _ in range(3)]
    await asyncio.sleep(0)
    thread = threading.Thread(target=signal.set)
    thread.start()
    await asyncio.gather(*waiting)
    await signal.wait_async()
    thread.join()


async def test_says_what_did_not_happen() -> None:
    signal = Signal("it happened")
    with pytest.raises(TimeoutError, match=r"not within 0\.01 seconds: it happened"):
        signal.wait(within=0.01)
    with pytest.raises(TimeoutError, match=r"not within 0\.01 seconds: it happened"):
        await signal.wait_async(within=0.01)


def test_may_be_set_after_a_waiting_loop_is_gone() -> None:
    signal = Signal("it happened")
    with pytest.raises(TimeoutError):
        asyncio.run(signal.wait_async(within=0.01))
    signal.set()
    assert signal.is_set


def test_a_recorder_keeps_no_secrets_and_no_more_than_told() -> None:
    recorder = Recorder(keep=2)
    headers = {"authorization": "Bearer k", "x-api-key": "k", "user-agent": "test"}
    for n in range(3):
        recorder.add("chat", {"model": "m", "messages": [], "n": n}, headers, at=1.5)
    kept = recorder.requests("chat")
    assert [(each.number, each.body["n"]) for each in kept] == [(2, 1), (3, 2)]
    assert kept[0].headers == {"user-agent": "test"}
    assert recorder.requests("embeddings") == []


def test_a_recorder_says_what_came_instead() -> None:
    recorder = Recorder()
    recorder.add("chat", {"model": "m", "messages": []}, {}, at=0.0)
    recorder.blame("something broke")
    with pytest.raises(TimeoutError, match=r"1 came in all; problems: .*something broke"):
        recorder.wait_for(2, lambda _: True, within=0.01)
