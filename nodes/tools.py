"""The node that runs one tool call; a batch is one task a call, so that none runs twice."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool, ToolException
from langgraph.errors import GraphBubbleUp
from langgraph.types import Send
from pydantic import ValidationError

from state.exchanges import group, open_calls
from state.replies import MALFORMED
from state.session import SessionState, SessionUpdate
from state.text import clean

log = logging.getLogger(__name__)


def calls_or_end(state: SessionState, *, end: list[str]) -> list[Send] | list[str]:
    """A task for each call of the newest exchange that has no result; without any, `end`.

    A task's state is the reply that asked for the call, with this one call.
    """
    exchange = group(state["messages"])[-1]
    waiting = set(open_calls(exchange))
    tasks = [
        Send("tools", SessionState(messages=[m.model_copy(update={"tool_calls": [call]})]))
        for m in exchange.messages
        if isinstance(m, AIMessage)
        for call in m.tool_calls
        if call["id"] in waiting
    ]
    return tasks or end


@dataclass(frozen=True, kw_only=True)
class Tools:
    """Node `tools`."""

    tools: Sequence[BaseTool]

    async def __call__(self, state: SessionState) -> SessionUpdate:
        """The call's result; what goes wrong is told to the model in words that leak nothing."""
        [reply] = state["messages"]
        if not isinstance(reply, AIMessage):
            raise TypeError(f"a task needs the reply that calls, not a {reply.type!r} message")
        [call] = reply.tool_calls
        malformed = call["id"] in reply.additional_kwargs.get(MALFORMED, ())
        ok, text = await self._run(call, malformed=malformed)
        result = ToolMessage(
            clean(text) if text.strip() else "It returned nothing.",
            name=call["name"],
            tool_call_id=call["id"],
            id=f"result-{call['id']}",
            status="success" if ok else "error",
        )
        return SessionUpdate(messages=[result])

    async def _run(self, call: ToolCall, *, malformed: bool) -> tuple[bool, str]:
        known = {tool.name: tool for tool in self.tools}
        if (tool := known.get(call["name"])) is None:
            return False, f"There is no tool {call['name']!r}; there are: {', '.join(known)}."
        if malformed:
            return False, "The arguments were not valid JSON. Call again with a JSON object."
        try:
            return True, _text(await tool.ainvoke(call["args"]))
        except ToolException as error:
            return False, str(error)
        except GraphBubbleUp:
            raise
        except Exception as error:
            shape = tool.get_input_schema().__name__
            if isinstance(error, ValidationError) and error.title == shape:
                return False, f"The arguments do not fit: {_problems(error)}."
            # A tool's own error text can hold keys and rows of other people: it stays in the log.
            log.exception("tool %s failed", call["name"])
            return False, f"The tool {call['name']} failed. Say so; do not guess its result."


def _text(result: Any) -> str:
    return result if isinstance(result, str) else repr(result)


def _problems(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}"
        for each in error.errors()
    )
