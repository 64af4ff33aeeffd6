"""A thread's rows in the tables of LangGraph's Postgres saver."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from graph.database import Pool
from graph.forgetting.change import Change, Done, Typed, changed

_COUNT: LiteralString = """
SELECT (SELECT count(*) FROM checkpoints WHERE thread_id = %(thread)s)
     + (SELECT count(*) FROM checkpoint_blobs WHERE thread_id = %(thread)s)
     + (SELECT count(*) FROM checkpoint_writes WHERE thread_id = %(thread)s) AS n
"""
_HEAD: LiteralString = """
SELECT checkpoint_id, checkpoint FROM checkpoints
WHERE thread_id = %(thread)s AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1
"""
_DROP: tuple[LiteralString, ...] = (
    """
    DELETE FROM checkpoint_writes
    WHERE thread_id = %(thread)s AND (checkpoint_ns <> '' OR checkpoint_id <> %(head)s)
    """,
    """
    DELETE FROM checkpoint_blobs
    WHERE thread_id = %(thread)s AND (checkpoint_ns <> '' OR (channel, version) NOT IN (
        SELECT key, value FROM jsonb_each_text(%(versions)s)
    ))
    """,
)
_DROP_OLDER: LiteralString = """
DELETE FROM checkpoints
WHERE thread_id = %(thread)s AND (checkpoint_ns <> '' OR checkpoint_id <> %(head)s)
"""
_NO_RUN: LiteralString = (
    "UPDATE checkpoint_writes SET run_id = NULL WHERE thread_id = %(thread)s AND run_id IS NOT NULL"
)
_BLOBS: LiteralString = (
    "SELECT channel, type, blob FROM checkpoint_blobs WHERE thread_id = %(thread)s"
)
_WRITES: LiteralString = (
    "SELECT task_id, idx, type, blob FROM checkpoint_writes WHERE thread_id = %(thread)s"
)
_PUT_BLOB: LiteralString = """
INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
VALUES (%(thread)s, '', %(channel)s, %(version)s, %(type)s, %(blob)s)
ON CONFLICT (thread_id, checkpoint_ns, channel, version)
DO UPDATE SET type = EXCLUDED.type, blob = EXCLUDED.blob
"""
_PUT_WRITE: LiteralString = """
UPDATE checkpoint_writes SET type = %(type)s, blob = %(blob)s
WHERE thread_id = %(thread)s AND task_id = %(task)s AND idx = %(idx)s
"""
_PUT_HEAD: LiteralString = """
UPDATE checkpoints SET checkpoint = %(checkpoint)s, metadata = metadata - 'run_id',
    parent_checkpoint_id = NULL
WHERE thread_id = %(thread)s
"""


async def count(pool: Pool, thread: str) -> int:
    """How many rows there are of `thread`."""
    async with pool.connection() as connection:
        row = await (await connection.execute(_COUNT, {"thread": thread})).fetchone()
    return int(row["n"]) if row else 0


async def rewrite(pool: Pool, serde: Any, thread: str, change: Change) -> Done:
    """Drops all but the newest checkpoint, and changes that, in one transaction."""
    async with pool.connection() as connection, connection.transaction():
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        return await _Rewriting(connection, serde, thread).done(change)


@dataclass(frozen=True)
class _Rewriting:
    connection: AsyncConnection[DictRow]
    serde: Any
    thread: str

    async def done(self, change: Change) -> Done:
        done = Done()
        for head in await self._rows(_HEAD):
            checkpoint = head["checkpoint"]
            names = {
                "head": head["checkpoint_id"],
                "versions": Jsonb(checkpoint["channel_versions"]),
            }
            for statement in _DROP:
                await self._do(statement, names)
            done.dropped = await self._do(_DROP_OLDER, names)
            await self._change_values(checkpoint, change, done)
            await self._do(_PUT_HEAD, {"checkpoint": Jsonb(checkpoint)})
            await self._do(_NO_RUN, {})
            await self._change_writes(change, done)
        return done

    async def _change_values(self, checkpoint: Any, change: Change, done: Done) -> None:
        inline, versions = checkpoint["channel_values"], checkpoint["channel_versions"]
        before = dict(inline)
        for row in await self._rows(_BLOBS):
            if row["type"] != "empty":
                before[row["channel"]] = self.serde.loads_typed((row["type"], row["blob"]))
        for name, value in change.values(before).items():
            typed: Typed = self.serde.dumps_typed(value)
            if name in before and self.serde.dumps_typed(before[name]) == typed:
                continue
            done.fields.add(name)
            versions.setdefault(name, max(versions.values()))
            # As the saver has it: what JSON says stands in the checkpoint itself.
            if value is None or isinstance(value, str | int | float | bool):
                inline[name] = value
            else:
                place = {"channel": name, "version": versions[name]}
                await self._do(_PUT_BLOB, {**place, "type": typed[0], "blob": typed[1]})

    async def _change_writes(self, change: Change, done: Done) -> None:
        for row in await self._rows(_WRITES):
            typed = changed((row["type"], row["blob"]), self.serde, change.write)
            if typed is not None:
                done.writes += 1
                place = {"task": row["task_id"], "idx": row["idx"]}
                await self._do(_PUT_WRITE, {**place, "type": typed[0], "blob": typed[1]})

    async def _rows(self, statement: LiteralString) -> list[DictRow]:
        return await (await self.connection.execute(statement, {"thread": self.thread})).fetchall()

    async def _do(self, statement: LiteralString, names: Mapping[str, Any]) -> int:
        """How many rows it changed."""
        done = await self.connection.execute(statement, {"thread": self.thread, **names})
        return done.rowcount
