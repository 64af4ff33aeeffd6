"""The services that a checkout can run, by name."""

import signal
from pathlib import Path
from typing import Literal, Protocol, assert_never

from graph.services.command import Command
from graph.services.folder import ServiceFolder

ServiceName = Literal["postgres", "chroma", "standin"]


class Service(Protocol):
    """What the supervisor must know of a service. Its methods may block."""

    stop_signal: signal.Signals
    """Asks the service for an orderly end."""

    def prepare(self) -> Command:
        """Make the data ready for a start and return the command that serves it."""
        ...

    def address(self) -> str | None:
        """Return the URL of the service if it answers now, else None."""
        ...


def make_service(name: ServiceName, folder: Path) -> Service:
    """Return the service of this name, whose data is in this folder."""
    # Each kind is imported for itself: a start should not pay for the libraries of the others.
    match name:
        case "postgres":
            from graph.services.postgres import Postgres  # noqa: PLC0415

            return Postgres(ServiceFolder(folder))
        case "chroma":
            from graph.services.chroma import Chroma  # noqa: PLC0415

            return Chroma(ServiceFolder(folder))
        case "standin":
            from graph.services.standin import Standin  # noqa: PLC0415

            return Standin(ServiceFolder(folder))
        case _:
            assert_never(name)
