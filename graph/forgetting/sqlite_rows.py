"""A thread's rows in the tables of LangGraph's SQLite saver."""

from typing import Any

import aiosqlite

from graph.forgetting.change import Change, Done, changed
from graph.storage.sqlite_saver import SqliteSaver

_COUNT = """
SELECT (SELECT count(*) FROM checkpoints WHERE thread_id = :thread)
     + (SELECT count(*) FROM writes WHERE thread_id = :thread)
"""
_HEAD = """
SELECT checkpoint_id, type, checkpoint FROM checkpoints
WHERE thread_id = :thread AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1
"""
_DROP_WRITES = "DELETE FROM writes WHERE thread_id = :thread AND checkpoint_id <> :head"
_DROP_OLDER = "DELETE FROM checkpoints WHERE thread_id = :thread AND checkpoint_id <> :head"
_PUT_HEAD = """
UPDATE checkpoints SET type = :type, checkpoint = :blob, parent_checkpoint_id = NULL,
    metadata = CAST(json_remove(CAST(metadata AS TEXT), '$.run_id') AS BLOB)
WHERE thread_id = :thread
"""
_WRITES = "SELECT task_id, idx, type, value FROM writes WHERE thread_id = :thread"
_PUT_WRITE = """
UPDATE writes SET type = :type, value = :blob
WHERE thread_id = :thread AND task_id = :task AND idx = :idx
"""


async def count(saver: SqliteSaver, thread: str) -> int:
    """How many rows there are of `thread`."""
    async with saver.lock:
        [row] = await saver.conn.execute_fetchall(_COUNT, {"thread": thread})
    return int(row[0])


async def rewrite(saver: SqliteSaver, thread: str, change: Change) -> Done:
    """Drops all but the newest checkpoint, and changes that, in one transaction."""
    async with saver.lock:
        try:
            await saver.conn.execute("BEGIN IMMEDIATE")
            done = await _rewritten(saver.conn, saver.serde, thread, change)
        except BaseException:
            await saver.conn.rollback()
            raise
        await saver.conn.commit()
    return done


async def _rewritten(
    connection: aiosqlite.Connection, serde: Any, thread: str, change: Change
) -> Done:
    done = Done()
    names = {"thread": thread}
    for head, *typed in list(await connection.execute_fetchall(_HEAD, names)):
        await connection.execute(_DROP_WRITES, {**names, "head": head})
        done.dropped = (await connection.execute(_DROP_OLDER, {**names, "head": head})).rowcount
        checkpoint = serde.loads_typed(tuple(typed))
        before, versions = checkpoint["channel_values"], checkpoint["channel_versions"]
        after = change.values(dict(before))
        for name, value in after.items():
            if name not in before or serde.dumps_typed(before[name]) != serde.dumps_typed(value):
                done.fields.add(name)
                versions.setdefault(name, max(versions.values()))
        kind, blob = serde.dumps_typed({**checkpoint, "channel_values": after})
        await connection.execute(_PUT_HEAD, {**names, "type": kind, "blob": blob})
    for task, idx, kind, blob in list(await connection.execute_fetchall(_WRITES, names)):
        if (other := changed((kind, blob), serde, change.write)) is not None:
            done.writes += 1
            place = {"task": task, "idx": idx, "type": other[0], "blob": other[1]}
            await connection.execute(_PUT_WRITE, {**names, **place})
    return done
