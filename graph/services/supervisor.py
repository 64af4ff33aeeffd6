"""Keep one service running as long as it has clients."""

import logging
import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import IO

import psutil

from graph.file_lock import try_lock
from graph.services.folder import ServiceFolder
from graph.services.kinds import Service

_POLL_SECONDS = 0.2
_START_SECONDS = 60.0
_STOP_SECONDS = 20.0
_STARTS = 4
"""How often a service may fail in a row, before or soon after it answered."""
_STEADY_SECONDS = 30.0

_log = logging.getLogger(__name__)


class Supervisor:
    """Starts a service, restarts it when it dies, stops it when its last client has left."""

    def __init__(
        self,
        service: Service,
        folder: ServiceFolder,
        *,
        grace: float,
        on_ready: Callable[[], None],
    ) -> None:
        """`grace`: seconds between the last client's leaving and the stop."""
        self._service = service
        self._folder = folder
        self._grace = grace
        self._on_ready = on_ready
        self._asked_to_stop = False
        self._locks: list[IO[bytes]] = []

    def run(self) -> None:
        """Serve until the clients are gone; the caller holds the supervisor's lock.

        Raises:
            RuntimeError: The service fails again and again.

        """
        signal.signal(signal.SIGTERM, self._stop)
        failures = 0
        try:
            while failures < _STARTS:
                since = time.monotonic()
                if self._serve() or self._asked_to_stop:
                    return
                steady = time.monotonic() - since > _STEADY_SECONDS
                failures = 1 if steady else failures + 1
                time.sleep(_POLL_SECONDS * failures)
            raise RuntimeError(f"the service failed {failures} times in a row")
        finally:
            self._folder.clear_ready()
            for lock in self._locks:
                lock.close()

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._asked_to_stop = True

    def _serve(self) -> bool:
        """Serve once; False if the service died, True once it was stopped."""
        process = self._folder.running_process()
        if process is None:
            process = self._start()
        else:
            _log.info("taking over process %s", process.pid)
        url = self._wait_for_address(process)
        if url is None:
            self._end(process)
            return False
        self._folder.write_ready(url)
        self._on_ready()
        _log.info("process %s answers", process.pid)
        while _lives(process):
            if self._asked_to_stop or self._may_leave():
                self._folder.clear_ready()
                self._end(process)
                return True
            time.sleep(_POLL_SECONDS)
        _log.error("process %s died", process.pid)
        self._folder.clear_ready()
        return False

    def _start(self) -> psutil.Process:
        command = self._service.prepare()
        with self._folder.open_log() as log:
            process = psutil.Process(command.start(log).pid)
        self._folder.write_process(process)
        return process

    def _wait_for_address(self, process: psutil.Process) -> str | None:
        deadline = time.monotonic() + _START_SECONDS
        while _lives(process) and time.monotonic() < deadline and not self._asked_to_stop:
            if (url := self._service.address()) is not None:
                return url
            time.sleep(_POLL_SECONDS / 2)
        return None

    def _may_leave(self) -> bool:
        """Say whether nobody came for a while; if so, keep newcomers waiting until we are gone."""
        deadline = time.monotonic() + self._grace
        while (lock := try_lock(self._folder.clients_lock)) is not None:
            if time.monotonic() >= deadline:
                break
            lock.close()
            if self._asked_to_stop:
                return True
            time.sleep(_POLL_SECONDS)
        if lock is None:
            return False
        self._locks.append(lock)
        return True

    def _end(self, process: psutil.Process) -> None:
        """Ask for an orderly end, then insist."""
        for number in (self._service.stop_signal, signal.SIGKILL):
            if not _lives(process):
                return
            process.send_signal(number)
            try:
                process.wait(_STOP_SECONDS)
            except psutil.TimeoutExpired:
                _log.warning("process %s ignores signal %s", process.pid, number)


def _lives(process: psutil.Process) -> bool:
    """Say whether the process runs; a dead child of ours is buried."""
    try:
        process.wait(0)
    except psutil.TimeoutExpired:
        return True
    except psutil.NoSuchProcess:
        pass
    return False
