"""`longhaul chat` as a process: typed into a terminal, or fed by a pipe."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.project import ROOT

RUN = "from app.cli import main; main()"
_HEARS_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""A shell has what it runs in the background ignore Ctrl-C, and all that this starts."""
PATIENCE = 60.0
"""Seconds that a busy machine may need for anything."""
AGAIN = 2.0
"""Seconds after which a key is pressed once more."""


def environment(database: str, base_url: str, **more: str) -> dict[str, str]:
    """What a terminal's process finds set; nothing of the developer's own settings."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LONGHAUL_", "OPENAI_", "PYTEST_"))
    }
    settings = {
        "OPENAI_BASE_URL": base_url,
        "LONGHAUL_DATABASE": database,
        "LONGHAUL_MODEL": "main",
        "LONGHAUL_RETRIES": "0",
        "LONGHAUL_EXTRACT_EVERY": "1000",  # the scripts of these tests hold replies only
    }
    plain = {"PYTHONPATH": str(ROOT), "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
    return inherited | settings | plain | more


def command(*options: str, run: str = RUN) -> list[str]:
    return [sys.executable, "-c", f"{_HEARS_CTRL_C}{run}", "chat", *options]


def piped(
    text: str | bytes, *options: str, folder: Path, env: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """A whole conversation by a pipe."""
    given = text.encode() if isinstance(text, str) else text
    done = subprocess.run(
        command(*options),
        input=given,
        capture_output=True,
        cwd=folder,
        env=env,
        timeout=2 * PATIENCE,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


class Typed:
    """A terminal that somebody types into; it is killed at the end of the block."""

    def __init__(self, *options: str, folder: Path, env: Mapping[str, str], run: str = RUN) -> None:
        self._screen, self._keyboard = pty.openpty()
        self.process = subprocess.Popen(
            command(*options, run=run),
            stdin=self._keyboard,
            stdout=self._keyboard,
            stderr=self._keyboard,
            cwd=folder,
            env=env,
            start_new_session=True,
        )
        self.shown = ""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        os.close(self._keyboard)
        os.close(self._screen)

    def type(self, line: str) -> None:
        """A line, and return."""
        os.write(self._screen, f"{line}\n".encode())

    def press_ctrl_c(self) -> None:
        """What the terminal does to its process at Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def press_ctrl_c_until(self, text: str) -> str:
        """As `until`; pressed again as a person would.

        Python's `input` loses a signal that comes between its prompt and its reading.
        """
        deadline = time.monotonic() + PATIENCE
        while True:
            self.press_ctrl_c()
            try:
                return self.until(text, seconds=AGAIN)
            except TimeoutError:
                if time.monotonic() > deadline:
                    raise

    def until(self, text: str, *, seconds: float = PATIENCE) -> str:
        """What was shown since the last call, up to and with a text."""
        deadline = time.monotonic() + seconds
        while (place := self.shown.find(text, self._seen)) < 0:
            rest = deadline - time.monotonic()
            ready, _, _ = select.select([self._screen], [], [], max(rest, 0))
            if not ready:
                raise TimeoutError(f"never shown: {text!r}; shown: {self.shown!r}")
            read = os.read(self._screen, 65536).decode(errors="replace")
            self.shown += read.replace("\r\n", "\n")
        end = place + len(text)
        new, self._seen = self.shown[self._seen : end], end
        return new

    def ends(self) -> int:
        """Its exit code, once it has left by itself."""
        return self.process.wait(timeout=PATIENCE)

    def kill(self) -> None:
        """SIGKILL; nothing is told to it."""
        self.process.kill()
        self.process.wait()
