"""A small graph to put into a database, and ways to look at what it left there."""

import sqlite3
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from psycopg import sql
from typing_extensions import TypedDict

from graph.database import Database
from graph.storage.url import PostgresUrl


class Talk(TypedDict, total=False):
    """What was said, and a plain value beside it."""

    said: list[str]
    turns: int


def hear(state: Talk) -> Talk:
    return {"turns": state.get("turns", 0) + 1}


def answer(state: Talk) -> Talk:
    return {"said": [*state.get("said", []), f"answer {state['turns']}"]}


Graph = CompiledStateGraph[Talk, None, Talk, Talk]


def talk_graph(database: Database) -> Graph:
    builder = StateGraph(Talk)
    builder.add_node("hear", hear)
    builder.add_node("answer", answer)
    builder.add_edge(START, "hear")
    builder.add_edge("hear", "answer")
    return builder.compile(checkpointer=database.saver, store=database.store)


def thread(thread_id: str, **configurable: object) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, **configurable}}


async def say(
    graph: Graph, thread_id: str, words: str, *, run_id: str | None = None, **configurable: object
) -> Talk:
    """Take one turn: the words are added to what was said, then answered."""
    config = thread(thread_id, **configurable)
    before = (await graph.aget_state(config)).values.get("said", [])
    config["run_id"] = run_id or str(uuid4())  # type: ignore[typeddict-item]
    return cast("Talk", await graph.ainvoke({"said": [*before, words]}, config))


async def history(database: Database, thread_id: str) -> list[CheckpointTuple]:
    return [each async for each in database.saver.alist(thread(thread_id))]


def rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table."""
    if isinstance(database.url, PostgresUrl):
        return _postgres_rows(database.url.url)
    return _sqlite_rows(database.url.path)


def _postgres_rows(url: str) -> dict[str, list[tuple[Any, ...]]]:
    with psycopg.connect(url) as connection:
        names = connection.execute(
            "SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'"
        ).fetchall()
        select = sql.SQL("SELECT * FROM {}")
        return {
            name: connection.execute(select.format(sql.Identifier(name))).fetchall()
            for (name,) in names
        }


def _sqlite_rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    connection = sqlite3.connect(path)
    try:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: connection.execute(f'SELECT * FROM "{name}"').fetchall()  # noqa: S608
            for (name,) in names
        }
    finally:
        connection.close()
