"""Use a local service: hold it, and it runs."""

import asyncio
import logging
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO

from graph.file_lock import is_locked, try_lock
from graph.services.folder import ServiceFolder
from graph.services.kinds import ServiceName

_POLL_SECONDS = 0.05
_START_SECONDS = 150.0
_WATCH_SECONDS = 1.0
_CHECKOUT = Path(__file__).parents[2]

_log = logging.getLogger(__name__)


class ServiceError(RuntimeError):
    """A local service did not come up; the text names its log and quotes the end of it."""


@asynccontextmanager
async def local_service(name: ServiceName, data: Path, *, grace: float = 5.0) -> AsyncIterator[str]:
    """Yield the URL of a local service, which runs at least as long as the context is open.

    Args:
        name: Which service.
        data: The checkout's data folder; each service has a folder of its own in it.
        grace: Seconds that the service outlives its last client, if this call starts it.

    Raises:
        ServiceError: It did not come up.

    """
    lease = _Lease(name, data, grace)
    try:
        try:
            url = await asyncio.to_thread(lease.open)
        except asyncio.CancelledError:
            lease.give_up()
            raise
        yield url
    finally:
        await asyncio.to_thread(lease.close)


@contextmanager
def hold_service(name: ServiceName, data: Path, *, grace: float = 5.0) -> Iterator[str]:
    """Yield what `local_service` yields, where there is no event loop."""
    lease = _Lease(name, data, grace)
    try:
        yield lease.open()
    finally:
        lease.close()


class _Lease:
    """A client's hold on a service. While it lasts, a dead supervisor is replaced."""

    def __init__(self, name: ServiceName, data: Path, grace: float) -> None:
        self._name = name
        self._folder = ServiceFolder(data / name)
        self._grace = grace
        self._hold: IO[bytes] | None = None
        self._opening = threading.Lock()
        self._given_up = threading.Event()
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._keep, name=f"keeps {name}", daemon=True)

    def open(self) -> str:
        """Register as a client, start the service if need be, and return its URL."""
        with self._opening:
            self._folder = ServiceFolder(self._folder.path.resolve())
            try:
                self._folder.create()
                # From here on no supervisor stops; one that was about to has to be gone first.
                self._hold = self._lock(self._folder.clients_lock, shared=True)
                url = self._ensure_running()
            except OSError as error:
                data = str(self._folder.path.parent)
                raise ServiceError(
                    f"LONGHAUL_DATA = {data!r} is of no use to the local {self._name} service: "
                    f"{error.strerror}: {error.filename}"
                ) from error
            self._watch.start()
            return url

    def give_up(self) -> None:
        """Make an unfinished `open` end soon."""
        self._given_up.set()

    def close(self) -> None:
        """Leave; the service stops some time after its last client has."""
        self._ended.set()
        with self._opening:
            if self._watch.ident is not None:
                self._watch.join()
            if self._hold is not None:
                self._hold.close()

    def _ensure_running(self) -> str:
        start = self._lock(self._folder.start_lock)
        try:
            url = self._folder.ready_url()
            if url is None:
                self._start_supervisor()
                url = self._folder.ready_url()
        finally:
            start.close()
        if url is None:
            raise self._error("ended as soon as it had started")
        return url

    def _start_supervisor(self) -> None:
        command = (sys.executable, "-m", "graph.services", self._name, str(self._folder.path))
        with self._folder.open_log() as log:
            starter = subprocess.Popen(  # noqa: S603
                (*command, "--grace", str(self._grace)),
                cwd=_CHECKOUT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            status = self._wait(starter)
        finally:
            starter.kill()
            starter.wait()
        if status != 0:
            raise self._error("did not start")

    def _wait(self, starter: subprocess.Popen[bytes]) -> int:
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            self._check_wanted()
            try:
                return starter.wait(_POLL_SECONDS)
            except subprocess.TimeoutExpired:
                continue
        raise self._error(f"did not answer within {_START_SECONDS:g} s")

    def _lock(self, path: Path, *, shared: bool = False) -> IO[bytes]:
        deadline = time.monotonic() + _START_SECONDS
        while (file := try_lock(path, shared=shared)) is None:
            self._check_wanted()
            if time.monotonic() > deadline:
                raise self._error(f"is held up: {path} stayed locked for {_START_SECONDS:g} s")
            time.sleep(_POLL_SECONDS)
        return file

    def _check_wanted(self) -> None:
        if self._given_up.is_set():
            raise ServiceError(f"the local {self._name} service is not wanted any more")

    def _error(self, what: str) -> ServiceError:
        return ServiceError(
            f"the local {self._name} service {what}; "
            f"its log {self._folder.log} ends:\n{self._folder.log_tail()}"
        )

    def _keep(self) -> None:
        """Replace the supervisor whenever it is found dead, or nobody would stop the service."""
        ended = False
        while not ended:
            ended = self._ended.wait(_WATCH_SECONDS)
            if not is_locked(self._folder.supervisor_lock):
                try:
                    self._ensure_running()
                except ServiceError as error:
                    _log.error("%s", error)
