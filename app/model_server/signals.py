"""What the server's thread and a test tell each other."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial


class Signal:
    """Happens once. Waited for from any thread, with or without an event loop."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._wakers: list[Callable[[], object]] = []

    def __repr__(self) -> str:
        return f"Signal({self._what!r}, is_set={self.is_set})"

    @property
    def is_set(self) -> bool:
        """Whether it has happened."""
        return self._event.is_set()

    def set(self) -> None:
        """Let it have happened; a second call changes nothing."""
        with self._lock:
            self._event.set()
            for wake in self._wakers:
                wake()

    def wait(self, *, within: float = 10.0) -> None:
        """Block this thread until it happens; `TimeoutError` after `within` seconds."""
        if not self._event.wait(within):
            raise TimeoutError(f"not within {within:g} seconds: {self._what}")

    async def wait_async(self, *, within: float | None = 10.0) -> None:
        """Wait without blocking the loop; `within` seconds, None for ever."""
        woken = asyncio.Event()
        wake = partial(asyncio.get_running_loop().call_soon_threadsafe, woken.set)
        with self._lock:
            if self._event.is_set():
                return
            self._wakers.append(wake)
        try:
            async with asyncio.timeout(within):
                await woken.wait()
        except TimeoutError as error:
            raise TimeoutError(f"not within {within:g} seconds: {self._what}") from error
        finally:
            with self._lock:
                self._wakers.remove(wake)
