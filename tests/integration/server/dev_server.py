"""`langgraph dev` as a process of its own, that a test can kill and start again."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from tests.project import ROOT, packages

SLOW = "slow"
"""The name of the graph with tools that wait; see `slow_graph`."""

START_SECONDS = 90
STARTING = "Starting In-Memory runtime"
BLOCKING_CALL = "identified a synchronous blocking call"
"""What the server's own detector says of a blocking call on the event loop."""


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(kw_only=True)
class DevServer:
    """A checkout's `langgraph dev`; it keeps its port from one start to the next."""

    folder: Path
    """Where it runs: a folder of its own, so that its `.langgraph_api` is its own."""
    environment: Mapping[str, str]
    reload: bool = False
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        # A copy: the server that reloads must not see the checkout being worked on.
        for name in packages():
            unread = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, self.folder / name, ignore=unread)
        config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
        config["graphs"][SLOW] = f"{Path(__file__).with_name('slow_graph.py')}:graph"
        (self.folder / "langgraph.json").write_text(json.dumps(config), encoding="utf-8")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def desk(self) -> Path:
        """The folder of the slow tools."""
        return self.folder / "desk"

    def start(self) -> None:
        self.desk.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser"]
        command += ["--port", str(self.port), "--n-jobs-per-worker", "50"]
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                command if self.reload else [*command, "--no-reload"],
                cwd=self.folder,
                env={**_inherited(), "SLOW_GRAPH_DESK": str(self.desk), **self.environment},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.until_it_answers()

    def until_it_answers(self) -> None:
        until(self._answers, "the server answers", seconds=START_SECONDS)

    def edit_a_file(self) -> None:
        """Have it reload, and wait until it is back."""
        starts = self.log.count(STARTING)
        (self.folder / "edited.py").touch()
        until(lambda: self.log.count(STARTING) > starts, "it reloads", seconds=START_SECONDS)
        self.until_it_answers()

    def until_saved(self) -> None:
        """Wait until it writes its own file of threads and runs."""
        saved = self.folder / ".langgraph_api" / ".langgraph_ops.pckl"
        before = _written(saved)
        until(lambda: _written(saved) > before, "it saves its threads and runs")

    def kill(self) -> None:
        """SIGKILL, to all its processes."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def kill_worker(self) -> None:
        """SIGKILL to the process that serves, not to the one that watches the files."""
        assert self._process is not None
        [worker] = [
            child
            for child in psutil.Process(self._process.pid).children()
            if any("spawn_main" in word for word in child.cmdline())
        ]
        worker.kill()

    def forget(self) -> None:
        """Delete what the server itself keeps of its threads and runs."""
        shutil.rmtree(self.folder / ".langgraph_api", ignore_errors=True)

    def stop(self) -> int:
        """Ask it to stop; the exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        code = self._process.wait(timeout=30)
        self._process = None
        return code

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def _log(self) -> Path:
        return self.folder / "dev.log"

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log[-3000:]
        try:
            return httpx.get(f"{self.url}/ok", timeout=2).is_success
        except httpx.TransportError:
            return False


def until(holds: Callable[[], bool], what: str, *, seconds: float = 30) -> None:
    """Block until something comes to hold."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not within {seconds:g} seconds: {what}"
        time.sleep(0.05)


def _inherited() -> dict[str, str]:
    """The environment of the tests, without what would configure the graph."""
    ours = ("LONGHAUL_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"LANGGRAPH_NO_VERSION_CHECK": "1", "LANGSMITH_TRACING": "false"}


def _written(file: Path) -> float:
    return file.stat().st_mtime if file.exists() else 0.0
