"""Which checkpoint metadata is kept.

LangGraph copies a run's `configurable` and `metadata` into each checkpoint, with whatever keys and
personal data a client put there.
"""

from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointMetadata

from state.errors import InputRefused
from state.text import clean_json

KEPT_METADATA = frozenset(
    {
        "assistant_id",
        "counters_since_delta_snapshot",
        "graph_id",
        "parents",
        "run_attempt",
        "run_id",
        "source",
        "step",
        "thread_id",
    }
)
"""What LangGraph, its server and the operations on threads read; nothing that a client chose."""

ADDRESS = ("thread_id", "checkpoint_ns", "checkpoint_id")


def kept_metadata(config: RunnableConfig, metadata: CheckpointMetadata) -> CheckpointMetadata:
    """Return the allowed entries, each from the metadata, else from the config."""
    sources = (config["configurable"], config.get("metadata") or {}, metadata)
    kept = {k: v for source in sources for k, v in source.items() if k in KEPT_METADATA}
    kept["thread_id"] = config["configurable"]["thread_id"]
    if "run_id" not in kept and (run_id := config.get("run_id")):
        kept["run_id"] = run_id
    for name in kept.keys() & {"run_id", "thread_id", "assistant_id"}:
        kept[name] = str(kept[name])
    return cast("CheckpointMetadata", kept)


def check_lookup(config: RunnableConfig | None, filter: Mapping[str, Any] | None = None) -> None:
    """Raises InputRefused for what no store can hold, and so cannot look for."""
    for part in (bare_config(config)["configurable"] if config else {}, filter or {}):
        if clean_json(part) != part:
            raise InputRefused(
                f"{part!r:.200} cannot be looked for: it holds NUL or half a character"
            )


def as_config(before: RunnableConfig | None) -> RunnableConfig | None:
    """`before` as a config; LangGraph Server hands a bare checkpoint over."""
    if before is None or "configurable" in before:
        return before
    return {"configurable": {**before}}


def bare_config(config: RunnableConfig) -> RunnableConfig:
    """Return what addresses a checkpoint, and nothing else of the config."""
    configurable = config["configurable"]
    return {"configurable": {k: configurable[k] for k in ADDRESS if k in configurable}}
