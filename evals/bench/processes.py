"""Starting the model and the contestants, each in a process of its own."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.bench.timing import READY, Block, Turn

_CHECKOUT = Path(__file__).parents[2]


class ProcessEndedError(RuntimeError):
    """The model's process or a contestant's ended before the conversation did."""


@asynccontextmanager
async def instant_model(
    turns: int, seed: int, log: Path, *, delays: Mapping[str, float] | None = None
) -> AsyncIterator[str]:
    """The URL of a running model; below it each contestant has an address of its own."""
    options = ("--log", str(log), "--turns", str(turns), "--seed", str(seed))
    waits = json.dumps(dict(delays or {}))
    async with _running("evals.bench.model", *options, "--delays", waits) as process:
        yield await _line(process)


@dataclass(kw_only=True)
class Worker:
    """A contestant at work."""

    process: Process
    warnings: dict[str, int] = field(default_factory=dict)
    """How often it warned of what."""

    async def ready(self) -> None:
        """Returns once it is. Raises ProcessEndedError."""
        while await _line(self.process) != READY:
            pass

    async def play(self, turns: range, *, pause: float = 0.0) -> Block:
        """Has it play consecutive `turns`. Raises ProcessEndedError."""
        order = {"first": turns.start, "count": len(turns), "pause": pause}
        await _tell(self.process, json.dumps(order))
        told: dict[str, Any] = json.loads(await _line(self.process))
        self.warnings = told["warnings"]
        heard = [Turn(**turn) for turn in told["turns"]]
        return Block(turns=heard, wall_ns=told["wall_ns"], cpu_ns=told["cpu_ns"])


@asynccontextmanager
async def worker(
    name: str, *, database: str, model_url: str, turns: int, seed: int
) -> AsyncIterator[Worker]:
    """A contestant that is getting ready to play."""
    options = ("--database", database, "--model-url", model_url)
    scope = ("--turns", str(turns), "--seed", str(seed))
    async with _running("evals.bench.worker", name, *options, *scope) as process:
        yield Worker(process=process)
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


@asynccontextmanager
async def _running(module: str, *arguments: str) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, cwd=_CHECKOUT, stdin=PIPE, stdout=PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _tell(process: Process, line: str) -> None:
    if process.stdin is not None:
        process.stdin.write(line.encode() + b"\n")
        await process.stdin.drain()


async def _line(process: Process) -> str:
    line = await process.stdout.readline() if process.stdout else b""
    if not line:
        status = await process.wait()
        raise ProcessEndedError(
            f"process {process.pid} ended with status {status} before its conversation did; "
            "what it wrote stands above"
        )
    return line.decode().strip()
