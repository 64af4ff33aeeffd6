"""Writes thread_v1.json: what a release of state version 1 left in Postgres.

Version 1 had `last_seen`, seconds since 1970, and neither `schema_version` nor `at`. The file was
made once, by `python -m tests.data.make_thread_v1 postgresql://...` on an empty database, and is
not to be made again: that it is old is its worth.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import psycopg
from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from psycopg import sql
from typing_extensions import TypedDict

FILE = Path(__file__).with_name("thread_v1.json")
FINISHED = "0c2f5f6a-1111-4111-8111-000000000001"
BROKEN_OFF = "0c2f5f6a-1111-4111-8111-000000000002"
LAST_SEEN = 1_700_000_000.5
TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


class StateV1(TypedDict, total=False):
    """The state of version 1."""

    messages: Annotated[list[AnyMessage], add_messages]
    turn: int
    last_seen: float


def load_memory(state: StateV1) -> StateV1:
    return {"turn": state.get("turn", 0) + 1, "last_seen": LAST_SEEN + 60 * state.get("turn", 0)}


def respond(state: StateV1) -> StateV1:
    newest = state["messages"][-1]
    if newest.text == "Where is LH20481137?":
        call = ToolCall(name="look_up_parcel", args={"number": "LH20481137"}, id="call-1")
        return {"messages": [AIMessage("One moment.", id="reply-2", tool_calls=[call])]}
    if newest.text == "Are you there?":
        raise ConnectionError("the model is away")
    return {"messages": [AIMessage(f"Answer {state['turn']}.", id=f"answer-{state['turn']}")]}


def tools(state: StateV1) -> StateV1:
    newest = state["messages"][-1]
    text = f'{{"after": "{newest.id}", "status": "in transit"}}'
    return {"messages": [ToolMessage(text, tool_call_id="call-1", id="result-call-1")]}


def calls_or_end(state: StateV1) -> str:
    newest = state["messages"][-1]
    return "tools" if isinstance(newest, AIMessage) and newest.tool_calls else END


Graph = CompiledStateGraph[StateV1, None, StateV1, StateV1]


def graph_v1(saver: PostgresSaver) -> Graph:
    builder = StateGraph(StateV1)
    builder.add_node("load_memory", load_memory)
    builder.add_node("respond", respond)
    builder.add_node("tools", tools)
    builder.add_edge(START, "load_memory")
    builder.add_edge("load_memory", "respond")
    builder.add_conditional_edges("respond", calls_or_end, ["tools", END])
    builder.add_edge("tools", "respond")
    return builder.compile(checkpointer=saver)


def talk(graph: Graph) -> None:
    def say(thread: str, words: str, id: str) -> None:
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        said: Any = {"role": "user", "content": words, "id": id}
        graph.invoke({"messages": [said]}, config, durability="sync")

    say(FINISHED, "Hello, I'm Ann.", "asked-1")
    say(FINISHED, "Where is LH20481137?", "asked-2")
    say(BROKEN_OFF, "Hello, I'm Bob.", "asked-1")
    try:
        say(BROKEN_OFF, "Are you there?", "asked-2")
    except ConnectionError:
        return
    raise AssertionError("the turn did not break off")


def dumped(connection: psycopg.Connection[Any], table: str) -> list[dict[str, Any]]:
    cursor = connection.execute(
        sql.SQL("SELECT * FROM {} ORDER BY 1, 2, 3, 4").format(sql.Identifier(table))
    )
    names = [column.name for column in cursor.description or ()]
    return [{n: plain(v) for n, v in zip(names, row, strict=True)} for row in cursor]


def plain(value: Any) -> Any:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def main(url: str) -> None:
    with PostgresSaver.from_conn_string(url) as saver:
        saver.setup()
        talk(graph_v1(saver))
    with psycopg.connect(url) as connection:
        tables = {table: dumped(connection, table) for table in TABLES}
    FILE.write_text(json.dumps(tables, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
