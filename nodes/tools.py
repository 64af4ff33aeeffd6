"""The node that runs one tool call; a batch is one task a call, so that none runs twice."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool, ToolException
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime
from langgraph.types import Send
from pydantic import ValidationError

from memory.names import action_key
from nodes.gate import Outcome, act
from state.actions import CORRECTED, Action, HandOver, confirmable
from state.context import Context
from state.exchanges import group, open_calls
from state.facts import Facts
from state.replies import MALFORMED, result_id
from state.session import Held, SessionState, SessionUpdate
from state.text import clean

log = logging.getLogger(__name__)

_NO_ANSWER = (
    "The tool {} gave no answer in time: whether it was carried out is not known. Say so; do not "
    "guess its result."
)


def calls_or_end(state: SessionState, *, end: list[str]) -> list[Send] | list[str]:
    """A task for each call of the newest exchange that has no result; without any, `end`.

    A task's state is the reply that asked for the call, with this one call, and the facts that an
    action may have to confirm.
    """
    facts = confirmable(state.get("facts", {}))
    exchange = group(state["messages"])[-1]
    waiting = set(open_calls(exchange))
    tasks = [
        Send("tools", _task(m, call, facts, state))
        for m in exchange.messages
        if isinstance(m, AIMessage)
        for call in m.tool_calls
        if call["id"] in waiting
    ]
    return tasks or end


def _task(reply: AIMessage, call: ToolCall, facts: Facts, state: SessionState) -> SessionState:
    alone = reply.model_copy(update={"tool_calls": [call]})
    return SessionState(messages=[alone], facts=facts, turn=state.get("turn", 0))


@dataclass(frozen=True, kw_only=True)
class Tools:
    """Node `tools`."""

    tools: Sequence[BaseTool]
    seconds: Callable[[], float]
    """How long one call may take."""

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """The call's result; what goes wrong is told to the model in words that leak nothing."""
        [reply] = state["messages"]
        if not isinstance(reply, AIMessage):
            raise TypeError(f"a task needs the reply that calls, not a {reply.type!r} message")
        [call] = reply.tool_calls
        outcome = await self._run(call, reply, state, runtime)
        result = ToolMessage(
            clean(outcome.text) if outcome.text.strip() else "It returned nothing.",
            name=call["name"],
            tool_call_id=call["id"],
            id=result_id(call),
            status="success" if outcome.ok else "error",
            additional_kwargs={CORRECTED: outcome.corrected} if outcome.corrected else {},
        )
        held = self._held(call, state) if outcome.ok else None
        return SessionUpdate(messages=[result], **({"person": held} if held else {}))

    def _held(self, call: ToolCall, state: SessionState) -> Held | None:
        """Who has the thread after a call that worked: a person, if it was for one."""
        if not issubclass(self._known[call["name"]].get_input_schema(), HandOver):
            return None
        reason = clean(str(call["args"]["reason"]))
        return Held(call=str(call["id"]), reason=reason, turn=state["turn"])

    @property
    def _known(self) -> dict[str, BaseTool]:
        return {tool.name: tool for tool in self.tools}

    async def _run(
        self,
        call: ToolCall,
        reply: AIMessage,
        state: SessionState,
        runtime: Runtime[Context],
    ) -> Outcome:
        if (tool := self._known.get(call["name"])) is None:
            names = ", ".join(self._known)
            return Outcome(False, f"There is no tool {call['name']!r}; there are: {names}.")
        if call["id"] in reply.additional_kwargs.get(MALFORMED, ()):
            return Outcome(
                False, "The arguments were not valid JSON. Call again with a JSON object."
            )
        limit = asyncio.timeout(self.seconds())
        try:
            async with limit:
                return await _carried_out(tool, call, reply, state, runtime)
        except ToolException as error:
            return Outcome(False, str(error))
        except GraphBubbleUp:
            raise
        except Exception as error:
            if (
                isinstance(error, ValidationError)
                and error.title == tool.get_input_schema().__name__
            ):
                return Outcome(False, f"The arguments do not fit: {_problems(error)}.")
            if limit.expired():
                log.warning("tool %s took longer than LONGHAUL_TOOL_TIMEOUT", call["name"])
                return Outcome(False, _NO_ANSWER.format(call["name"]))
            # A tool's own error text can hold keys and rows of other people: it stays in the log.
            log.exception("tool %s failed", call["name"])
            return Outcome(
                False, f"The tool {call['name']} failed. Say so; do not guess its result."
            )


async def _carried_out(
    tool: BaseTool,
    call: ToolCall,
    reply: AIMessage,
    state: SessionState,
    runtime: Runtime[Context],
) -> Outcome:
    schema = tool.get_input_schema()
    if issubclass(schema, Action):
        key, facts = action_key(str(reply.id), call), state.get("facts", {})
        return await act(tool, schema, call=call, key=key, facts=facts, runtime=runtime)
    return Outcome(True, _text(await tool.ainvoke(call["args"])))


def _text(result: Any) -> str:
    return result if isinstance(result, str) else repr(result)


def _problems(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}"
        for each in error.errors()
    )
