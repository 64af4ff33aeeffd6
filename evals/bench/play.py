"""Holding the conversation with a contestant, and reading the clock."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessageChunk
from langchain_core.runnables import RunnableConfig

from evals.bench.contestant import Contestant
from evals.bench.conversation import Exchange
from evals.bench.timing import Block, Turn

THREAD: RunnableConfig = {"configurable": {"thread_id": "bench"}}


async def play(
    contestant: Contestant, exchanges: Sequence[Exchange], *, first: int, pause: float = 0.0
) -> Block:
    """Says what the user says in `exchanges`, of which the first is turn `first`.

    Before each message the user waits `pause` seconds. Raises RuntimeError for a turn without
    a reply.
    """
    wall, cpu = time.monotonic_ns(), time.process_time_ns()
    turns: list[Turn] = []
    for turn, exchange in enumerate(exchanges, first):
        if pause:
            await asyncio.sleep(pause)
        turns.append(await _say(contestant, turn, exchange.user))
    await contestant.settled()
    return Block(
        turns=turns,
        wall_ns=time.monotonic_ns() - wall,
        cpu_ns=time.process_time_ns() - cpu,
    )


async def _say(contestant: Contestant, turn: int, words: str) -> Turn:
    sent = time.monotonic_ns()
    heard: list[int] = []
    asked = {"messages": [{"role": "user", "content": words}]}
    parts = cast(
        "AsyncIterator[tuple[Any, dict[str, Any]]]",
        contestant.graph.astream(asked, THREAD, stream_mode="messages"),
    )
    async for chunk, origin in parts:
        ours = origin["langgraph_node"] == contestant.reply_node
        if ours and isinstance(chunk, AIMessageChunk) and chunk.text:
            heard.append(time.monotonic_ns())
    done = time.monotonic_ns()
    if not heard:
        raise RuntimeError(f"turn {turn} ended without a reply")
    return Turn(turn=turn, sent=sent, first=heard[0], last=heard[-1], done=done)
