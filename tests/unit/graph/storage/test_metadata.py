"""The allow-list of checkpoint metadata."""

from typing import Any
from uuid import UUID

import pytest
from langchain_core.runnables import RunnableConfig

from graph.storage.metadata import bare_config, kept_metadata

RUN = UUID("0194a8b0-0000-7000-8000-000000000001")


def config(**entries: Any) -> RunnableConfig:
    made: dict[str, Any] = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "key": "k"}}
    return made | entries  # type: ignore[return-value]


def test_what_langgraph_reads_is_kept_and_nothing_else() -> None:
    kept = kept_metadata(
        config(metadata={"email": "a@b.c", "graph_id": "g"}),
        {"source": "loop", "step": 3, "parents": {"": "c"}, "name": "Bob"},  # type: ignore[typeddict-unknown-key]
    )
    assert kept == {
        "source": "loop",
        "step": 3,
        "parents": {"": "c"},
        "thread_id": "t",
        "graph_id": "g",
    }


def test_the_metadata_wins_over_the_config() -> None:
    kept = kept_metadata(
        config(metadata={"assistant_id": "config's", "run_id": "config's"}),
        {"run_id": "metadata's"},
    )
    assert kept == {"thread_id": "t", "assistant_id": "config's", "run_id": "metadata's"}


def test_the_thread_is_the_one_written_to_whatever_the_metadata_says() -> None:
    assert kept_metadata(config(metadata={"thread_id": "other"}), {})["thread_id"] == "t"  # type: ignore[typeddict-item]


@pytest.mark.parametrize("entries", [{"run_id": RUN}, {"metadata": {"run_id": RUN}}])
def test_the_run_is_text(entries: dict[str, Any]) -> None:
    assert kept_metadata(config(**entries), {})["run_id"] == str(RUN)


def test_an_address_is_all_that_is_left_of_a_config() -> None:
    full = config(metadata={"email": "a@b.c"}, tags=["a"])
    full["configurable"]["checkpoint_id"] = "c"
    assert bare_config(full) == {
        "configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c"}
    }
