"""What `PostgresSaver` says in SQL beside what LangGraph's own does."""

from collections.abc import Sequence
from typing import LiteralString

from langgraph.checkpoint.serde.types import INTERRUPT

RUN_INDEX = "checkpoints_run_id_idx"
WRITES_INDEX = "checkpoint_writes_run_id_idx"
SET_UP: Sequence[LiteralString] = (
    f"CREATE INDEX IF NOT EXISTS {RUN_INDEX} ON checkpoints ((metadata ->> 'run_id'))",
    "ALTER TABLE checkpoint_writes ADD COLUMN IF NOT EXISTS run_id text",
    f"CREATE INDEX IF NOT EXISTS {WRITES_INDEX} ON checkpoint_writes (run_id)",
)

_WRITE: LiteralString = """
    INSERT INTO checkpoint_writes AS known (
        thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob,
        run_id
    )
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
"""
UPSERT_WRITE: LiteralString = f"""{_WRITE} DO UPDATE SET
    channel = EXCLUDED.channel, type = EXCLUDED.type, blob = EXCLUDED.blob,
    run_id = CASE WHEN known.channel = '{INTERRUPT}' THEN known.run_id ELSE EXCLUDED.run_id END
"""
INSERT_WRITE: LiteralString = f"{_WRITE} DO NOTHING"

OF_RUNS: LiteralString = """
    SELECT thread_id FROM checkpoints WHERE metadata ->> 'run_id' = ANY(%(runs)s)
    UNION SELECT thread_id FROM checkpoint_writes WHERE run_id = ANY(%(runs)s)
"""

# All parts see the rows as they were before any of them: hence the run is asked for once more.
DELETE_RUNS = (
    "DELETE FROM checkpoint_writes WHERE run_id = ANY(%(runs)s)",
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

COPY_THREAD = (
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
