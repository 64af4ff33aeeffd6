"""A saver and a store in memory whose process can die before or after any of their operations."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import Op, Result
from langgraph.store.memory import InMemoryStore

from graph.storage.serde import strict_serde


class Crash(Exception):
    """The process is dead: nothing is read or written any more."""


class Fuse:
    """Blows at an operation, and stays blown until the process starts again."""

    def __init__(self) -> None:
        self._left: int | None = None
        self._first_done = False

    def set(self, operations: int, *, first_done: bool) -> None:
        """Die at the operation after so many; just before it, or with `first_done` just after."""
        self._left, self._first_done = operations, first_done

    def mend(self) -> None:
        """Start again."""
        self._left = None

    @property
    def blown(self) -> bool:
        return self._left is not None and self._left < 0

    def before(self) -> None:
        if self._left is None:
            return
        self._left -= 1
        if self._left < -1 or (self.blown and not self._first_done):
            raise Crash

    def after(self) -> None:
        if self.blown:
            raise Crash


class FragileSaver(InMemorySaver):
    """Keeps checkpoints as Postgres does, serialised."""

    def __init__(self, fuse: Fuse) -> None:
        super().__init__(serde=strict_serde())
        self._fuse = fuse

    async def aget_tuple(self, config: RunnableConfig) -> Any:
        self._fuse.before()
        found = await super().aget_tuple(config)
        self._fuse.after()
        return found

    async def aput(self, *args: Any) -> RunnableConfig:
        self._fuse.before()
        config = await super().aput(*args)
        self._fuse.after()
        return config

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self._fuse.before()
        await super().aput_writes(config, writes, task_id, task_path)
        self._fuse.after()

    def listed(self, thread: str) -> list[str]:
        """Ids of a thread's checkpoints, newest first."""
        return sorted(self.storage[thread][""], reverse=True)

    def copy_thread(self, source: str, target: str) -> None:
        """Copies a thread as it stands."""
        self.storage[target] = deepcopy(self.storage[source])
        for kept in (self.writes, self.blobs):
            copied = {key: deepcopy(value) for key, value in kept.items() if key[0] == source}
            kept.update({(target, *key[1:]): value for key, value in copied.items()})


class FragileStore(InMemoryStore):
    """Keeps items as Postgres does, apart from what was put in."""

    def __init__(self, fuse: Fuse) -> None:
        super().__init__()
        self._fuse = fuse

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        self._fuse.before()
        done = deepcopy(await super().abatch(deepcopy(list(ops))))
        self._fuse.after()
        return done
