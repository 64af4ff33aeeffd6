"""The rule-based model that stands in where there is no key."""

import signal
import sys

from graph.services.command import Command, accepts, choose_port
from graph.services.folder import ServiceFolder


class Standin:
    """`app.model_server` on a free port that it keeps between starts."""

    stop_signal = signal.SIGTERM

    def __init__(self, folder: ServiceFolder) -> None:
        self._folder = folder
        self._ready_file = folder.path / "address"

    def prepare(self) -> Command:
        """Choose the port, and forget where the server was before."""
        port = choose_port(self._folder.port())
        self._folder.write_port(port)
        self._ready_file.unlink(missing_ok=True)
        options = ("--port", str(port), "--ready-file", str(self._ready_file))
        return Command(argv=(sys.executable, "-m", "app.model_server", *options))

    def address(self) -> str | None:
        """Read what the server announced, while it listens."""
        port = self._folder.port()
        if port is None or not self._ready_file.exists() or not accepts(port):
            return None
        return self._ready_file.read_text().strip()
