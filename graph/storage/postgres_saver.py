"""LangGraph's Postgres saver, with what a long-lived server needs."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, LiteralString

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from graph.storage import run_threads
from graph.storage.metadata import ADDRESS, as_config, bare_config, check_lookup, kept_metadata
from graph.storage.retry import retried
from graph.storage.serde import strict_serde
from graph.storage.statements import (
    COPY_THREAD,
    DELETE_RUNS,
    INSERT_WRITE,
    OF_RUNS,
    RUN_INDEX,
    SET_UP,
    UPSERT_WRITE,
    WRITES_INDEX,
)


class PostgresSaver(AsyncPostgresSaver):
    """Checkpoints in Postgres.

    Only the metadata of the allow-list is kept, operations survive a restart of the database, runs
    can be rolled back, and threads are copied inside the database.
    """

    def __init__(
        self,
        pool: AsyncConnectionPool[AsyncConnection[DictRow]],
        *,
        rolled_back: Callable[[str, Sequence[str]], Awaitable[None]],
    ) -> None:
        """`rolled_back` drops what runs that are deleted left of a thread outside the saver."""
        super().__init__(pool, serde=strict_serde())
        self._pool = pool
        self._rolled_back = rolled_back

    async def setup(self) -> None:
        """Create or upgrade the tables. Two at once collide: call it through `graph.migrate`."""
        await super().setup()
        async with self._cursor() as cursor:
            for statement in SET_UP:
                await cursor.execute(statement)

    async def is_set_up(self) -> bool:
        """Say whether `setup` has nothing left to do."""
        async with self._cursor() as cursor:
            for index in (RUN_INDEX, WRITES_INDEX):
                await cursor.execute("SELECT to_regclass(%s) AS found", (index,))
                row = await cursor.fetchone()
                if row is None or row["found"] is None:
                    return False
            await cursor.execute("SELECT max(v) AS version FROM checkpoint_migrations")
            row = await cursor.fetchone()
        return row is not None and row["version"] == len(self.MIGRATIONS) - 1

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint, a thread's newest unless one is named."""
        check_lookup(config)
        return await retried(super().aget_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first; no connection is held between them."""
        check_lookup(config, filter)
        before = as_config(before)
        check_lookup(before)
        listed = super().alist

        async def read() -> list[CheckpointTuple]:
            return [t async for t in listed(config, filter=filter, before=before, limit=limit)]

        for checkpoint in await retried(read):
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
        return await retried(super().aput, bare_config(config), checkpoint, kept, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote, and in which run.

        A run that goes on from a question writes to a checkpoint of the run that asked.
        """
        run = kept_metadata(config, {}).get("run_id")
        run_threads.note(run, config["configurable"]["thread_id"])
        lasts = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        thread, namespace, checkpoint = (str(config["configurable"][part]) for part in ADDRESS)
        dumped = await asyncio.to_thread(
            self._dump_writes, thread, namespace, checkpoint, task_id, task_path, writes
        )

        async def write() -> None:
            async with self._cursor(pipeline=True) as cursor:
                await cursor.executemany(
                    UPSERT_WRITE if lasts else INSERT_WRITE, [(*each, run) for each in dumped]
                )

        await retried(write)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        await retried(super().adelete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of these runs, their writes, and the blobs only they name."""
        runs = [str(run) for run in run_ids]
        found = await retried(self._threads, OF_RUNS, {"runs": runs})
        for thread in run_threads.threads_of(runs) | set(found):
            await self._rolled_back(thread, runs)
        await retried(self._in_transaction, DELETE_RUNS, {"runs": runs})

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread as it stands; checkpoints keep their ids.

        The copies name no run: to roll a run back is to undo it in the thread where it ran.
        """
        names = {"source": str(source_thread_id), "target": str(target_thread_id)}
        await retried(self._in_transaction, COPY_THREAD, names)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of these threads but the newest, or all with `"delete"`."""

        async def prune() -> None:
            await AsyncPostgresSaver.aprune(self, thread_ids, strategy=strategy)

        await retried(prune)

    async def idle_since(self, moment: datetime) -> list[str]:
        """Ids of the threads whose newest checkpoint is older than `moment`."""
        query = (
            "SELECT thread_id FROM checkpoints GROUP BY thread_id "
            "HAVING max((checkpoint ->> 'ts')::timestamptz) < %s ORDER BY thread_id"
        )
        return await retried(self._threads, query, (moment,))

    async def longer_than(self, turns: int) -> list[str]:
        """Ids of the threads that keep the checkpoints of more than so many turns."""
        query = (
            "SELECT thread_id FROM checkpoints WHERE metadata ->> 'source' = 'input' "
            "GROUP BY thread_id HAVING count(*) > %s ORDER BY thread_id"
        )
        return await retried(self._threads, query, (turns,))

    async def _threads(
        self, query: LiteralString, values: tuple[object] | dict[str, object]
    ) -> list[str]:
        async with self._cursor() as cursor:
            await cursor.execute(query, values)
            return [str(row["thread_id"]) for row in await cursor.fetchall()]

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Read what was written to channels that are stored as changes."""

        async def read() -> Mapping[str, DeltaChannelHistory]:
            return await AsyncPostgresSaver.aget_delta_channel_history(
                self, config=config, channels=channels
            )

        return await retried(read)

    async def _in_transaction(self, statements: Sequence[str], names: dict[str, Any]) -> None:
        """Run statements that all see the same snapshot."""
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            for statement in statements:
                await connection.execute(statement, names)

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        """Take a connection of the pool; upstream, one lock makes all wait for each other."""
        async with self._pool.connection() as connection:
            if pipeline and self.supports_pipeline:
                async with connection.pipeline(), _rows(connection) as cursor:
                    yield cursor
            elif pipeline:
                async with connection.transaction(), _rows(connection) as cursor:
                    yield cursor
            else:
                async with _rows(connection) as cursor:
                    yield cursor


def _rows(connection: AsyncConnection[DictRow]) -> AsyncCursor[DictRow]:
    return connection.cursor(binary=True, row_factory=dict_row)
