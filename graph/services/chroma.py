"""A Chroma server from Chroma's own wheel, on loopback."""

import http.client
import signal
import sys

from graph.services.command import Command, choose_port
from graph.services.folder import ServiceFolder

_RUN = "import sys; from chromadb.cli.cli import app; sys.exit(app())"


class Chroma:
    """`chroma run` on a free port that it keeps between starts."""

    stop_signal = signal.SIGTERM

    def __init__(self, folder: ServiceFolder) -> None:
        self._folder = folder

    def prepare(self) -> Command:
        """Choose the port."""
        port = choose_port(self._folder.port())
        self._folder.write_port(port)
        data = str(self._folder.path / "data")
        arguments = ("run", "--path", data, "--host", "127.0.0.1", "--port", str(port))
        return Command(
            argv=(sys.executable, "-c", _RUN, *arguments),
            environment={"ANONYMIZED_TELEMETRY": "False", "NO_COLOR": "1"},
        )

    def address(self) -> str | None:
        """Ask for the heartbeat."""
        port = self._folder.port()
        if port is None:
            return None
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        try:
            connection.request("GET", "/api/v2/heartbeat")
            answers = connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()
        return f"http://127.0.0.1:{port}" if answers else None
