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


class ContestantFailedError(RuntimeError):
    """A contestant's process ended before its conversation; the reason stands above."""


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
        """Returns once it is. Raises ContestantFailedError."""
        if await _line(self.process) != READY:
            raise ContestantFailedError(ContestantFailedError.__doc__)

    async def play(self, turns: range, *, pause: float = 0.0) -> Block:
        """Has it play consecutive `turns`. Raises ContestantFailedError."""
        order = {"first": turns.start, "count": len(turns), "pause": pause}
        await self._tell(json.dumps(order))
        told: dict[str, Any] = json.loads(await _line(self.process))
        self.warnings = told["warnings"]
        heard = [Turn(**turn) for turn in told["turns"]]
        return Block(turns=heard, wall_ns=told["wall_ns"], cpu_ns=told["cpu_ns"])

    async def _tell(self, line: str) -> None:
        if self.process.stdin is None:
            raise ContestantFailedError(ContestantFailedError.__doc__)
        self.process.stdin.write(line.encode() + b"\n")
        await self.process.stdin.drain()


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


async def _line(process: Process) -> str:
    line = await process.stdout.readline() if process.stdout else b""
    if not line:
        raise ContestantFailedError(ContestantFailedError.__doc__)
    return line.decode().strip()
