"""One tool call: its result, or what went wrong in words that leak nothing."""

import asyncio
import logging
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool, ToolException, tool
from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import Send
from pydantic import BaseModel, Field, TypeAdapter

from nodes.tools import Tools, calls_or_end
from state.context import Context
from state.replies import MALFORMED
from state.session import SessionState

SECRET = "postgres://admin:hunter2@db/customers"


class Number(BaseModel):
    number: int = Field(ge=1)


@tool(args_schema=Number)
def double(number: int) -> int:
    """Double a number."""
    return number * 2


@tool
def speak(how: str) -> str:
    """Say something, or fail in some way."""
    match how:
        case "refuse":
            raise ToolException("No parcel has this number.\x00")
        case "leak":
            raise RuntimeError(f"cannot reach {SECRET}")
        case "misread":
            TypeAdapter(int).validate_python(SECRET)
        case "wait":
            raise GraphInterrupt
        case "silence":
            return " \n"
        case "late":
            raise TimeoutError("a server of the tool's own")
    return f"{how}\x00\ud800"


@tool
async def list_parcels() -> list[dict[str, Any]]:
    """List what there is."""
    return [{"number": "LH20481137"}]


@tool
async def hang() -> str:
    """Give no answer."""
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")


TOOLS: list[BaseTool] = [double, speak, list_parcels, hang]


def asking(name: str, *, malformed: bool = False, **args: Any) -> SessionState:
    marks = {MALFORMED: ["c1"]} if malformed else {}
    call = ToolCall(name=name, args=args, id="c1", type="tool_call")
    return SessionState(messages=[AIMessage("", tool_calls=[call], additional_kwargs=marks)])


async def result(state: SessionState, *, seconds: float = 60.0) -> ToolMessage:
    update = await Tools(tools=TOOLS, seconds=lambda: seconds)(state, Runtime(context=Context()))
    [message] = update["messages"]
    assert isinstance(message, ToolMessage)
    return message


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (asking("double", number=21), "42"),
        (asking("double", number="21"), "42"),
        (asking("speak", how="{braces} & <markup>"), "{braces} & <markup>"),
        (asking("speak", how="silence"), "It returned nothing."),
        (asking("list_parcels"), "[{'number': 'LH20481137'}]"),
    ],
)
async def test_a_result_is_text_that_can_be_stored(state: SessionState, text: str) -> None:
    message = await result(state)
    assert (message.text, message.status) == (text, "success")
    assert (message.tool_call_id, message.id) == ("c1", "result-c1")


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (
            asking("dubble", number=1),
            "There is no tool 'dubble'; there are: double, speak, list_parcels, hang.",
        ),
        (
            asking("double", malformed=True),
            "The arguments were not valid JSON. Call again with a JSON object.",
        ),
        (asking("double"), "The arguments do not fit: number: Field required."),
        (
            asking("double", number=0),
            "The arguments do not fit: number: Input should be greater than or equal to 1.",
        ),
        (asking("speak", how="refuse"), "No parcel has this number."),
        (
            asking("speak", how="leak"),
            "The tool speak failed. Say so; do not guess its result.",
        ),
        (
            asking("speak", how="misread"),
            "The tool speak failed. Say so; do not guess its result.",
        ),
    ],
)
async def test_what_went_wrong_is_told_to_the_model(state: SessionState, text: str) -> None:
    message = await result(state)
    assert (message.text, message.status) == (text, "error")


async def test_a_tool_that_hangs_costs_its_time_only(caplog: pytest.LogCaptureFixture) -> None:
    message = await result(asking("hang"), seconds=0.01)
    assert message.status == "error"
    assert message.text.startswith("The tool hang gave no answer in time: whether it was carried")
    assert "LONGHAUL_TOOL_TIMEOUT" in caplog.text


async def test_a_timeout_inside_a_tool_is_its_own_failure() -> None:
    message = await result(asking("speak", how="late"))
    assert message.text == "The tool speak failed. Say so; do not guess its result."


async def test_the_cause_of_a_failure_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    await result(asking("speak", how="leak"))
    [record] = caplog.records
    assert (record.levelno, record.name) == (logging.ERROR, "nodes.tools")
    assert SECRET in caplog.text


async def test_a_tool_may_interrupt_the_run() -> None:
    with pytest.raises(GraphInterrupt):
        await result(asking("speak", how="wait"))


async def test_a_call_that_runs_twice_gives_one_and_the_same_message() -> None:
    state = asking("double", number=21)
    assert await result(state) == await result(state)


async def test_a_task_without_a_call_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="not a 'human' message"):
        await result(SessionState(messages=[HumanMessage("Hi")]))


def reply(*ids: str) -> AIMessage:
    return AIMessage("", id="a1", tool_calls=[ToolCall(name="f", args={}, id=i) for i in ids])


def done(id: str) -> ToolMessage:
    return ToolMessage("done", tool_call_id=id)


ASK = HumanMessage("Where is it?")


def sends(tasks: list[Send] | list[str]) -> list[Send]:
    return [task for task in tasks if isinstance(task, Send)]


@pytest.mark.parametrize(
    ("window", "ids"),
    [
        ([ASK, reply("c1", "c2")], ["c1", "c2"]),
        ([ASK, reply("c1", "c2"), done("c2")], ["c1"]),
        ([ASK, reply("c1"), done("c1"), reply("c2")], ["c2"]),
        ([ASK, reply("c0"), ASK, reply("c1")], ["c1"]),
    ],
)
def test_each_call_of_the_newest_exchange_without_a_result_is_a_task(
    window: list[AnyMessage], ids: list[str]
) -> None:
    tasks = sends(calls_or_end(SessionState(messages=window), end=["over"]))
    assert {task.node for task in tasks} == {"tools"}
    asked = [message for task in tasks for message in task.arg["messages"]]
    assert [[call["id"] for call in message.tool_calls] for message in asked] == [[i] for i in ids]


@pytest.mark.parametrize(
    "window",
    [
        [ASK, AIMessage("Here.")],
        [ASK, reply("c1"), done("c1"), AIMessage("Here.")],
        [ASK, reply("c0"), ASK, AIMessage("Here.")],
    ],
)
def test_an_answer_ends_the_loop(window: list[AnyMessage]) -> None:
    assert calls_or_end(SessionState(messages=window), end=["over"]) == ["over"]
