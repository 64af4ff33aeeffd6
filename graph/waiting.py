"""What a thread waits for, and what is known of the calls of a turn that broke off."""

from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.store.base import BaseStore
from langgraph.types import StateSnapshot

from memory import ledger
from memory.names import action_key
from prompts.actions import UNANSWERED
from state.actions import as_confirmation
from state.exchanges import group, open_calls
from state.replies import result_id


def waiting_on(snapshot: StateSnapshot) -> dict[str, Any]:
    """The values of the interrupts that wait, by id: an answered one of a batch does not."""
    unfinished = [task for task in snapshot.tasks if task.result is None]
    return {each.id: each.value for task in unfinished for each in task.interrupts}


async def results_so_far(
    snapshot: StateSnapshot, store: BaseStore | None, thread: str
) -> list[AnyMessage]:
    """The results of calls that finished, or acted, before their turn broke off.

    A call that waited for the customer's word and has not acted was not carried out.
    """
    messages = snapshot.values.get("messages", [])
    if not messages:
        return []
    done = [task.result for task in snapshot.tasks if task.name == "tools" and task.result]
    results: list[AnyMessage] = [m for result in done for m in result["messages"]]
    known = {m.tool_call_id for m in results if isinstance(m, ToolMessage)}
    asked = [as_confirmation(value) for value in waiting_on(snapshot).values()]
    waited = {each["call"] for each in asked if each is not None}
    exchange = group(messages)[-1]
    missing = {*open_calls(exchange)} - known
    replies = [m for m in exchange.messages if isinstance(m, AIMessage)]
    for asking, call in [(reply, call) for reply in replies for call in reply.tool_calls]:
        if call["id"] not in missing:
            continue
        key = action_key(str(asking.id), call)
        acted = await ledger.result_of(store, thread, key) if store else None
        if acted is not None or call["id"] in waited:
            results.append(
                ToolMessage(
                    UNANSWERED if acted is None else acted,
                    name=call["name"],
                    tool_call_id=call["id"],
                    id=result_id(call),
                    status="error" if acted is None else "success",
                )
            )
    return results
