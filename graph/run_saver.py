"""One run's saver: reads the thread once, and says when what the run wrote is on disk."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    copy_checkpoint,
)
from langgraph.config import get_config
from langgraph.runtime import Runtime

from state.context import Context
from state.session import SessionState, SessionUpdate

KEY = "__run_saver"
"""Where a run's configuration has it."""


class RunSaver(BaseCheckpointSaver[str]):
    """Checkpoints of one run, in another saver.

    LangGraph writes them behind the run, each after the one before it. A node whose work must not
    be ahead of the disk waits here.
    """

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._found: dict[str, CheckpointTuple | None] = {}
        self._first: str | None = None
        self._on_disk: set[str] = set()
        self._lost: BaseException | None = None
        self._changed = asyncio.Condition()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As the saver's; what the doors have read is not read again for the run."""
        named = str(config["configurable"].get("checkpoint_id") or "")
        if named not in self._found:
            self._found[named] = await self._saver.aget_tuple(config)
        if (found := self._found[named]) is None:
            return None
        self._on_disk.add(found.checkpoint["id"])
        # Readers take a checkpoint further in place.
        return found._replace(
            checkpoint=copy_checkpoint(found.checkpoint),
            metadata=cast("CheckpointMetadata", {**found.metadata}),
            pending_writes=[*(found.pending_writes or [])],
        )

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As the saver's; those who wait for the checkpoint go on."""
        self._found.clear()
        self._first = self._first or checkpoint["id"]
        try:
            written = await self._saver.aput(config, checkpoint, metadata, new_versions)
        except BaseException as error:
            self._lost = error
            raise
        else:
            self._on_disk.add(checkpoint["id"])
        finally:
            async with self._changed:
                self._changed.notify_all()
        return written

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """As the saver's."""
        self._found.clear()
        await self._saver.aput_writes(config, writes, task_id, task_path)

    async def input_on_disk(self, checkpoint: str) -> None:
        """Returns when the first checkpoint of the run is on disk: it holds the input.

        A run that goes on from a checkpoint which is there has none before `checkpoint`. Raises
        what kept it from the disk.
        """
        await self.step_on_disk(self._first or checkpoint)

    async def step_on_disk(self, checkpoint: str) -> None:
        """Returns when `checkpoint`, and so each before it, is on disk. Raises what kept it."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._lost or checkpoint in self._on_disk)
        if self._lost is not None:
            raise self._lost

    def get_next_version(self, current: str | None, channel: None) -> str:
        """As the saver's."""
        return self._saver.get_next_version(current, channel)

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> Self:
        """As the saver's: nothing of this run is lost by it."""
        self._saver = self._saver.with_allowlist(extra_allowlist)
        return self

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """As the saver's."""
        async for each in self._saver.alist(config, filter=filter, before=before, limit=limit):
            yield each

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """As the saver's."""
        return await self._saver.aget_delta_channel_history(config=config, channels=channels)


Node = Callable[[SessionState, Runtime[Context]], Awaitable[SessionUpdate]]
Wait = Callable[[RunSaver, str], Awaitable[None]]


@dataclass(frozen=True)
class Waiting:
    """A node that begins its work when what it must not be ahead of is on disk."""

    node: Node
    wait: Wait

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """What the node returns. Raises what kept a checkpoint from the disk."""
        saver, info = get_config()["configurable"].get(KEY), runtime.execution_info
        if isinstance(saver, RunSaver) and info is not None:
            await self.wait(saver, info.checkpoint_id)
        return await self.node(state, runtime)


def after_input(node: Node) -> Waiting:
    """`node`, once the run's input is on disk: no crash may lose what was said and answered."""
    return Waiting(node, RunSaver.input_on_disk)


def after_step(node: Node) -> Waiting:
    """`node`, once the steps before it are on disk: what it does stands outside the state."""
    return Waiting(node, RunSaver.step_on_disk)
