"""Clients in processes of their own, and what a service's processes are."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from graph.services.folder import ServiceFolder

ROOT = Path(__file__).parents[4]

_HOLD = """
import sys
from pathlib import Path
from graph.services import hold_service
with hold_service(sys.argv[1], Path(sys.argv[2]), grace=0.5) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


class Client:
    """A process that holds a service until it is told to leave or killed."""

    def __init__(self, name: str, data: Path) -> None:
        self.process = subprocess.Popen(
            (sys.executable, "-c", _HOLD, name, str(data)),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def url(self) -> str:
        """Wait for the service's URL."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            raise AssertionError(self.process.stderr.read())
        return line.strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def leave(self) -> None:
        self.process.communicate("")


@contextmanager
def clients(count: int, name: str, data: Path) -> Iterator[list[Client]]:
    """Start clients at the same time; those still there at the end leave."""
    started = [Client(name, data) for _ in range(count)]
    try:
        yield started
    finally:
        for client in started:
            client.leave()


def service_process(data: Path, name: str) -> psutil.Process:
    process = ServiceFolder(data / name).running_process()
    assert process is not None
    return process


def supervisor_process(data: Path, name: str) -> psutil.Process:
    return psutil.Process(service_process(data, name).ppid())


def kill(process: psutil.Process) -> None:
    """Kill a process, and wait until its locks are free."""
    process.kill()
    process.wait(30)


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Wait as long as a busy machine could need."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.1)


def wait_until_stopped(data: Path, name: str) -> None:
    folder = ServiceFolder(data / name)
    wait_until(lambda: folder.running_process() is None, f"{name} stopped")
