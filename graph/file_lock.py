"""Locks on files, which the kernel drops with the process that holds them."""

import asyncio
import fcntl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

_POLL_SECONDS = 0.1


def try_lock(path: Path, *, shared: bool = False) -> IO[bytes] | None:
    """Lock a file without waiting; the lock lasts until the returned file is closed."""
    file = path.open("ab")
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def is_locked(path: Path) -> bool:
    """Say whether any process holds the file alone."""
    file = try_lock(path, shared=True)
    if file is None:
        return True
    file.close()
    return False


@asynccontextmanager
async def locked_file(
    path: Path, *, on_wait: Callable[[], None] | None = None
) -> AsyncIterator[None]:
    """Hold a file alone; `on_wait` is called once if another process has it first."""
    file = await asyncio.to_thread(try_lock, path)
    if file is None and on_wait is not None:
        on_wait()
    while file is None:
        await asyncio.sleep(_POLL_SECONDS)
        file = await asyncio.to_thread(try_lock, path)
    try:
        yield
    finally:
        file.close()
