"""LangGraph's Postgres saver, with what a long-lived server needs."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, LiteralString

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
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

from graph.storage.metadata import as_config, bare_config, check_lookup, kept_metadata
from graph.storage.retry import retried
from graph.storage.serde import strict_serde

_RUN_INDEX = "checkpoints_run_id_idx"


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
            await cursor.execute(
                f"CREATE INDEX IF NOT EXISTS {_RUN_INDEX} ON checkpoints ((metadata ->> 'run_id'))"
            )

    async def is_set_up(self) -> bool:
        """Say whether `setup` has nothing left to do."""
        async with self._cursor() as cursor:
            await cursor.execute("SELECT to_regclass(%s) AS found", (_RUN_INDEX,))
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
        return await retried(super().aput, bare_config(config), checkpoint, kept, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote."""
        await retried(super().aput_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        await retried(super().adelete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of these runs, their writes, and the blobs only they name."""
        runs = [str(run) for run in run_ids]
        for thread in await retried(self._threads, _OF_RUNS, runs):
            await self._rolled_back(thread, runs)
        await retried(self._in_transaction, _DELETE_RUNS, {"runs": runs})

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread as it stands; checkpoints keep their ids.

        The copies name no run: to roll a run back is to undo it in the thread where it ran.
        """
        names = {"source": str(source_thread_id), "target": str(target_thread_id)}
        await retried(self._in_transaction, _COPY_THREAD, names)

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
        return await retried(self._threads, query, moment)

    async def longer_than(self, turns: int) -> list[str]:
        """Ids of the threads that keep the checkpoints of more than so many turns."""
        query = (
            "SELECT thread_id FROM checkpoints WHERE metadata ->> 'source' = 'input' "
            "GROUP BY thread_id HAVING count(*) > %s ORDER BY thread_id"
        )
        return await retried(self._threads, query, turns)

    async def _threads(self, query: LiteralString, value: object) -> list[str]:
        async with self._cursor() as cursor:
            await cursor.execute(query, (value,))
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


_OF_RUNS: LiteralString = (
    "SELECT DISTINCT thread_id FROM checkpoints WHERE metadata ->> 'run_id' = ANY(%s)"
)

# All parts see the rows as they were before any of them: hence the run is asked for once more.
_DELETE_RUNS = (
    """
    WITH gone AS (
        DELETE FROM checkpoints WHERE metadata ->> 'run_id' = ANY(%(runs)s)
        RETURNING thread_id, checkpoint_ns, checkpoint_id, checkpoint
    ),
    gone_writes AS (
        DELETE FROM checkpoint_writes w USING gone
        WHERE w.thread_id = gone.thread_id AND w.checkpoint_ns = gone.checkpoint_ns
        AND w.checkpoint_id = gone.checkpoint_id
    ),
    freed AS (
        SELECT gone.thread_id, gone.checkpoint_ns, v.key AS channel, v.value AS version
        FROM gone CROSS JOIN LATERAL jsonb_each_text(checkpoint -> 'channel_versions') AS v
        EXCEPT
        SELECT c.thread_id, c.checkpoint_ns, v.key, v.value
        FROM checkpoints c CROSS JOIN LATERAL jsonb_each_text(checkpoint -> 'channel_versions') AS v
        WHERE c.thread_id IN (SELECT thread_id FROM gone)
        AND (metadata ->> 'run_id' = ANY(%(runs)s)) IS NOT TRUE
    )
    DELETE FROM checkpoint_blobs b USING freed
    WHERE b.thread_id = freed.thread_id AND b.checkpoint_ns = freed.checkpoint_ns
    AND b.channel = freed.channel AND b.version = freed.version
    """,
)

_COPY_THREAD = (
    """
    INSERT INTO checkpoints (
        thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata
    )
    SELECT %(target)s, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint,
        (metadata - 'run_id') || jsonb_build_object('thread_id', %(target)s::text)
    FROM checkpoints WHERE thread_id = %(source)s
    ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    SELECT %(target)s, checkpoint_ns, channel, version, type, blob
    FROM checkpoint_blobs WHERE thread_id = %(source)s
    ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO checkpoint_writes (
        thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path
    )
    SELECT %(target)s, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path
    FROM checkpoint_writes WHERE thread_id = %(source)s
    ON CONFLICT DO NOTHING
    """,
)
