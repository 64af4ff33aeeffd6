"""The node at which a thread rests while a person has it."""

from dataclasses import dataclass

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from memory import handover
from state.answers import HANDOVER, Done
from state.context import Context
from state.exchanges import unanswered
from state.handover import AGENT, BY, packet
from state.session import SessionState, SessionUpdate


@dataclass(frozen=True)
class Person:
    """Node `person`: one pass for each thing that the person says."""

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """The person's next words as a reply of ours, or the thread given back to the bot.

        The packet is written first, so it holds what the customer has said since.
        Raises GraphInterrupt while it waits.
        """
        held = state.get("person")
        info = runtime.execution_info
        if held is None or info is None:
            raise LookupError("nobody has the thread")
        shown = packet(state, held)
        store, thread = runtime.store, info.thread_id
        if store is not None and thread is not None:
            await handover.keep(store, thread, shown)
        answer = HANDOVER.validate_python(interrupt(shown))
        if isinstance(answer, Done):
            if store is not None and thread is not None:
                await handover.drop(store, thread)
            return SessionUpdate(person=None)
        said = AIMessage(answer.say, id=f"agent-{info.task_id}", additional_kwargs={BY: AGENT})
        return SessionUpdate(messages=[said])


def person_or(state: SessionState, *, other: str) -> str:
    """The node `person` while a person has the thread; else `other`."""
    return "person" if state.get("person") else other


def after_person(state: SessionState, *, said: list[str], end: str) -> list[str] | str:
    """What follows the person's pass: `said` for their words; `respond` when the bot is due."""
    if state.get("person"):
        return said
    return "respond" if unanswered(state["messages"]) else end
