"""`longhaul chat --server` as a process, typed into line by line."""

import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.integration.server.dev_server import until
from tests.integration.terminal import command
from tests.project import ROOT


class Chat:
    """A terminal that is piped; what it prints is read as it comes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._read: list[str] = []
        self._reader = threading.Thread(target=self._read_all, daemon=True)
        self._reader.start()

    @property
    def printed(self) -> str:
        return "".join(self._read)

    def type(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def interrupt(self) -> None:
        """Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def until_printed(self, words: str) -> None:
        until(lambda: words in self.printed, f"{words!r} is printed", seconds=60)

    def leave(self) -> int:
        """End the input; the exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(timeout=60)
        self._reader.join()
        return code

    def _read_all(self) -> None:
        assert self._process.stdout is not None
        while piece := self._process.stdout.read(1):
            self._read.append(piece)


@contextmanager
def chatting(url: str, thread: str) -> Iterator[Chat]:
    """A terminal on a thread of a server."""
    with subprocess.Popen(
        command("--server", url, "--thread", thread),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield Chat(process)
        finally:
            process.kill()
