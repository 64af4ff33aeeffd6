"""The folder of one service: its locks, what it recorded there, its log."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from graph.file_lock import is_locked

_ROTATE_BYTES = 4_000_000


@dataclass(frozen=True)
class ServiceFolder:
    """Where a service keeps everything.

    Three files are only ever locked. The kernel drops a lock with the process that held it, so none
    of them can go stale:

    - `clients.lock` is shared by all clients; its supervisor has it alone only to stop for good.
    - `start.lock` is held by the one client that looks for a supervisor or starts one.
    - `supervisor.lock` is held by the supervisor as long as it lives.
    """

    path: Path

    @property
    def clients_lock(self) -> Path:
        return self.path / "clients.lock"

    @property
    def start_lock(self) -> Path:
        return self.path / "start.lock"

    @property
    def supervisor_lock(self) -> Path:
        return self.path / "supervisor.lock"

    @property
    def log(self) -> Path:
        return self.path / "log"

    def create(self) -> None:
        """Make the folder, readable by its owner alone."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def open_log(self) -> IO[bytes]:
        """Open the log to append; one that has grown large is set aside first."""
        if self.log.exists() and self.log.stat().st_size > _ROTATE_BYTES:
            self.log.replace(self.log.with_suffix(".old"))
        return self.log.open("ab")

    def log_tail(self, lines: int = 15) -> str:
        """Return the last lines of the log."""
        if not self.log.exists():
            return ""
        text = self.log.read_bytes()[-20_000:].decode(errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def write_ready(self, url: str) -> None:
        """Record that the service answers at this URL."""
        self._write("ready.json", {"supervisor": os.getpid(), "url": url})

    def clear_ready(self) -> None:
        """Record that the service does not answer."""
        (self.path / "ready.json").unlink(missing_ok=True)

    def ready_url(self) -> str | None:
        """Return the URL of the service, None while no living supervisor vouches for it."""
        record = self._read("ready.json")
        if record is None or not is_locked(self.supervisor_lock):
            return None
        return str(record["url"]) if psutil.pid_exists(int(str(record["supervisor"]))) else None

    def write_process(self, process: psutil.Process) -> None:
        """Record the service's process, for a supervisor to find after the death of this one."""
        self._write("process.json", {"pid": process.pid, "created": process.create_time()})

    def running_process(self) -> psutil.Process | None:
        """Return the recorded process if it still lives."""
        record = self._read("process.json")
        if record is None:
            return None
        try:
            process = psutil.Process(int(str(record["pid"])))
            lives = process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return None
        # The system's idea of when it was booted may be corrected by a second.
        same = abs(process.create_time() - float(str(record["created"]))) < 5
        return process if lives and same else None

    def port(self) -> int | None:
        """Return the port the service had last."""
        record = self._read("port.json")
        return None if record is None else int(str(record["port"]))

    def write_port(self, port: int) -> None:
        """Keep the port, so that a restarted service is found where it was."""
        self._write("port.json", {"port": port})

    def _read(self, name: str) -> dict[str, object] | None:
        try:
            text = (self.path / name).read_text()
        except FileNotFoundError:
            return None
        record: dict[str, object] = json.loads(text)
        return record

    def _write(self, name: str, record: dict[str, object]) -> None:
        draft = self.path / f"{name}.{os.getpid()}"
        draft.write_text(json.dumps(record))
        draft.replace(self.path / name)
