"""LangGraph's SQLite saver, for a laptop, with what our conversations need."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from graph.storage import run_threads
from graph.storage.metadata import as_config, bare_config, check_lookup, kept_metadata
from graph.storage.retry import retried, uninterrupted
from graph.storage.serde import strict_serde


class SqliteSaver(AsyncSqliteSaver):
    """Checkpoints in a SQLite file; does for them what `PostgresSaver` does.

    A cancelled caller never leaves the connection inside a transaction.
    """

    def __init__(
        self,
        connection: aiosqlite.Connection,
        *,
        rolled_back: Callable[[str, Sequence[str]], Awaitable[None]],
    ) -> None:
        """`rolled_back` drops what runs that are deleted left of a thread outside the saver."""
        super().__init__(connection, serde=strict_serde())
        self._rolled_back = rolled_back

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint, a thread's newest unless one is named."""
        check_lookup(config)
        return await uninterrupted(retried(super().aget_tuple, config))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first; nothing is locked between them."""
        check_lookup(config, filter)
        before = as_config(before)
        check_lookup(before)
        listed = super().alist

        async def read() -> list[CheckpointTuple]:
            return [t async for t in listed(config, filter=filter, before=before, limit=limit)]

        for checkpoint in await uninterrupted(retried(read)):
            yield checkpoint

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint with the metadata of the allow-list."""
        kept = kept_metadata(config, metadata)
        run_threads.note(kept.get("run_id"), config["configurable"]["thread_id"])
        return await uninterrupted(
            retried(super().aput, bare_config(config), checkpoint, kept, new_versions)
        )

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote."""
        await uninterrupted(retried(super().aput_writes, config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        await self._run(_DELETE_THREAD, {"thread": str(thread_id)})

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of these runs and their writes."""
        for run in map(str, run_ids):
            for thread in run_threads.threads_of([run]) | set(await self._threads_of(run)):
                await self._rolled_back(thread, [run])
            await self._run(_DELETE_RUN, {"run": run})

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread as it stands; checkpoints keep their ids and name no run."""
        names = {"source": str(source_thread_id), "target": str(target_thread_id)}
        await self._run(_COPY_THREAD, names)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of these threads with `"delete"`; SQLite offers no other."""
        if strategy != "delete":
            raise NotImplementedError(
                f"pruning with {strategy!r} needs Postgres (LONGHAUL_DATABASE); "
                "a SQLite database keeps every checkpoint until its thread is deleted"
            )
        for thread_id in thread_ids:
            await self.adelete_thread(thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read what was written to channels that are stored as changes."""

        async def read() -> Mapping[str, DeltaChannelHistory]:
            return await AsyncSqliteSaver.aget_delta_channel_history(
                self, config=config, channels=channels
            )

        return await uninterrupted(retried(read))

    async def _threads_of(self, run: str) -> list[str]:
        async def read() -> list[str]:
            async with self.lock, self.conn.execute(_OF_RUN, {"run": run}) as cursor:
                return [str(row[0]) for row in await cursor.fetchall()]

        return await uninterrupted(retried(read))

    async def _run(self, statements: Sequence[str], names: dict[str, str]) -> None:
        """Run statements in one transaction."""

        async def execute() -> None:
            await self.setup()
            async with self.lock:
                try:
                    # Taking the write lock first keeps what is read from changing under the write.
                    await self.conn.execute("BEGIN IMMEDIATE")
                    for statement in statements:
                        await self.conn.execute(statement, names)
                except aiosqlite.Error:
                    await self.conn.rollback()
                    raise
                await self.conn.commit()

        await uninterrupted(retried(execute))


_DELETE_THREAD = (
    "DELETE FROM checkpoints WHERE thread_id = :thread",
    "DELETE FROM writes WHERE thread_id = :thread",
)

_OF_RUN = (
    "SELECT DISTINCT thread_id FROM checkpoints "
    "WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = :run"
)

_DELETE_RUN = (
    """
    DELETE FROM writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN (
        SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints
        WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = :run
    )
    """,
    "DELETE FROM checkpoints WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = :run",
)

_COPY_THREAD = (
    """
    INSERT OR IGNORE INTO checkpoints (
        thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
    )
    SELECT :target, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint,
        CAST(json_set(
            json_remove(CAST(metadata AS TEXT), '$.run_id'), '$.thread_id', :target
        ) AS BLOB)
    FROM checkpoints WHERE thread_id = :source
    """,
    """
    INSERT OR IGNORE INTO writes (
        thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value
    )
    SELECT :target, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value
    FROM writes WHERE thread_id = :source
    """,
)
