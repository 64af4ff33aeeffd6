"""Running a tool that acts: once a call, after the customer confirmed what it depends on."""

import asyncio
from dataclasses import dataclass, field

from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from memory import ledger
from prompts.actions import NO_LEDGER, confirm_question, corrected, declined
from state.actions import CONFIRM, Action, Confirmation, Correction, corrections, to_confirm
from state.answers import CONFIRMATION, Changed
from state.context import Context
from state.facts import Facts


@dataclass(frozen=True)
class Outcome:
    """What came of a call, as the model is told, and what the customer put right."""

    ok: bool
    text: str
    corrected: list[Correction] = field(default_factory=list)


async def act(
    tool: BaseTool,
    schema: type[Action],
    *,
    call: ToolCall,
    key: str,
    facts: Facts,
    runtime: Runtime[Context],
) -> Outcome:
    """The outcome of `call`, whose action has the key `key`. Waits for the customer's word.

    An action that is done is not done again, and nobody is asked again. Raises ValidationError for
    arguments that do not fit, before anybody is asked; GraphInterrupt while it waits.
    """
    store, info = runtime.store, runtime.execution_info
    if store is None or info is None or info.thread_id is None:
        return Outcome(False, NO_LEDGER)
    if (done := await ledger.result_of(store, info.thread_id, key)) is not None:
        return Outcome(True, done)
    action = schema.model_validate({**call["args"], "key": key})
    if asked := to_confirm(action, facts):
        question = await asyncio.to_thread(confirm_question, tool.name, asked)
        answer = CONFIRMATION.validate_python(
            interrupt(
                Confirmation(
                    kind=CONFIRM,
                    call=str(call["id"]),
                    action=tool.name,
                    facts=asked,
                    question=question,
                )
            )
        )
        if isinstance(answer, Changed):
            right = corrections(asked, answer.changed)
            return Outcome(False, corrected(tool.name, right), right)
        if not answer.confirmed:
            return Outcome(False, declined(answer.reason))
    result = await tool.ainvoke({**call, "type": "tool_call", "id": key})
    return Outcome(True, result.text)
