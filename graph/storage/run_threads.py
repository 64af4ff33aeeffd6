"""In which thread each run of this process writes.

A server deletes a run twice when it rolls it back: at once, and when it has ended. What it did in
between is found only by who still knows where that was.
"""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock

_MOST = 10_000
"""Runs that are remembered, the newest."""
_lock = Lock()
_threads: "OrderedDict[str, str]" = OrderedDict()


def note(run: object, thread: object) -> None:
    """Remembers that `run` writes in `thread`; nothing without a run."""
    if run:
        with _lock:
            _threads[str(run)] = str(thread)
            _threads.move_to_end(str(run))
            if len(_threads) > _MOST:
                _threads.popitem(last=False)


def threads_of(runs: Iterable[str]) -> set[str]:
    """The threads in which `runs` wrote, of those that are remembered."""
    with _lock:
        return {_threads[run] for run in runs if run in _threads}
