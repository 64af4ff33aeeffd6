"""The log of facts: an item in the store for each thing that happened to one."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.store.base import BaseStore, PutOp

from memory import names, whole
from state.fact_check import Rejected
from state.facts import Event


async def log_events(
    store: BaseStore,
    thread: str,
    *,
    at: str,
    events: Sequence[Event] = (),
    rejected: Sequence[Rejected] = (),
) -> None:
    """Logs what changed and what was not believed. The same event twice is one item."""
    rows = [_row(at, event) for event in events if event["event"] != "again"]
    rows += [_doubted(at, each) for each in rejected]
    space = names.fact_log(thread)
    if rows:
        await store.abatch([PutOp(space, log_key(row), row, index=False) for row in rows])


async def log_forgotten(store: BaseStore, thread: str, *, at: str, kind: str, turn: int) -> None:
    """Logs that a fact of that kind was forgotten after `turn`, without a word of it."""
    row = {"at": at, "event": "forgotten", "kind": kind, "value": "", "before": "", "turn": turn}
    row |= {"by": "user", "quote": ""}
    await store.aput(names.fact_log(thread), log_key(row), row, index=False)


async def read_log(store: BaseStore, thread: str) -> list[dict[str, Any]]:
    """What happened to the facts of a thread, by turn."""
    rows = [item.value for item in await whole.items(store, names.fact_log(thread))]
    return sorted(rows, key=lambda row: (row["turn"], row["at"]))


def _row(at: str, event: Event) -> dict[str, Any]:
    fact = event["fact"]
    before = event["before"]
    return {
        "at": at,
        "event": event["event"] if fact["found"] != "pattern" else f"{event['event']} by pattern",
        "kind": fact["kind"],
        "value": fact["value"],
        "before": before["value"] if before else "",
        "turn": fact["turn"],
        "by": fact["by"],
        "quote": fact["quote"],
    }


def _doubted(at: str, rejected: Rejected) -> dict[str, Any]:
    operation = rejected.operation
    return {
        "at": at,
        "event": "rejected",
        "kind": operation.kind,
        "value": operation.value,
        "before": operation.old,
        "turn": rejected.turn,
        "by": "",
        "quote": operation.quote,
        "reason": rejected.reason,
    }


def log_key(row: Mapping[str, Any]) -> str:
    """Key of a row: the same event has the same."""
    parts = [str(row[key]) for key in ("event", "kind", "value", "before", "turn", "quote")]
    return f"{row['turn']:08d}-{hashlib.sha256(chr(31).join(parts).encode()).hexdigest()[:16]}"
