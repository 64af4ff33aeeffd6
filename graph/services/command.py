"""A command of a service, and the ports that services listen on."""

import os
import socket
import subprocess
from dataclasses import dataclass, field
from typing import IO

from graph.services.identity import Identity

_INHERITED = ("HOME", "LANG", "LC_ALL", "PATH", "PYTHONPATH", "SYSTEMROOT", "TMPDIR", "TZ")


@dataclass(frozen=True, kw_only=True)
class Command:
    """What to run for a service, and as whom."""

    argv: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    """Added to the few harmless variables that every service gets: keys stay out of services."""
    identity: Identity | None = None
    """Whom to run it as; None for the caller."""

    def start(self, output: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
        """Run it in a session of its own, its output going to a file or where ours goes."""
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        return subprocess.Popen(  # noqa: S603
            self.argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=inherited | self.environment,
            start_new_session=True,
            user=self.identity.user if self.identity else None,
            group=self.identity.group if self.identity else None,
            extra_groups=[] if self.identity else None,
        )


def choose_port(wanted: int | None) -> int:
    """Return the wanted loopback port if it is free, else one that is."""
    for port in (wanted, 0):
        if port is None:
            continue
        with socket.socket() as probe:
            # A server that just died leaves its port in TIME_WAIT, where servers may still bind.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OSError("no loopback port is free")


def accepts(port: int) -> bool:
    """Say whether something listens on this loopback port."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
