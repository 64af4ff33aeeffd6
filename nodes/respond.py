"""The node that answers: lays out the request, streams the reply."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from langchain_core.messages import AIMessage, AIMessageChunk
from langgraph.runtime import Runtime

from memory.images import with_images
from memory.spilled import find
from memory.stopped import Stopped, keep
from nodes.asking import Candidate, ModelError, ask
from nodes.background import Background
from prompts.files import system_prompt
from prompts.request import Budget, lay_out
from state.context import Context
from state.exchanges import group, ids_in_use
from state.fact_budget import flat, relevant, unseen
from state.facts import Fact
from state.replies import normalised
from state.session import SessionState, SessionUpdate
from state.summary import EMPTY
from state.text import clean
from state.upgrade import upgrade
from state.usage import added, reported

log = logging.getLogger(__name__)

_KEEPING_SECONDS = 5.0
"""How long a run that is stopped waits for the store; what comes later is kept all the same."""


class Responders(Protocol):
    """Opens the models that may write a turn."""

    async def responders(self, name: str, *, may_call: bool) -> list[Candidate]:
        """The named model, then the fallback, with the tools bound; or with calling forbidden."""
        ...


@dataclass(frozen=True, kw_only=True)
class Respond:
    """Node `respond`."""

    models: Responders
    tool_rounds: Callable[[], int]
    turn_timeout: Callable[[], float]
    budget: Callable[[], Budget]
    late_tokens: Callable[[], int]
    """Most tokens of facts that come from the store for one message."""
    background: Background
    new_id: Callable[[], str]
    _systems: dict[str, str] = field(default_factory=dict)
    """By persona what was read of its files."""

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """The reply, and the running usage of the model that wrote it. Raises ModelError."""
        upgraded = upgrade(state)  # an older release may have begun this turn
        state = {**state, **upgraded}
        window = state["messages"]
        may_call = group(window)[-1].tool_rounds < self.tool_rounds()
        budget = self.budget()
        try:
            reply, writer = await self._ask(state, runtime, budget, may_call=may_call)
        except ModelError as error:
            if not error.overflow or error.heard:
                raise
            log.warning("%s; asking once more with half the view", error)
            half = replace(budget, total=budget.total // 2)
            reply, writer = await self._ask(state, runtime, half, may_call=may_call)
        message = normalised(reply, taken=ids_in_use(window), new_id=self.new_id)
        if not may_call and message.tool_calls:
            message = _without_calls(message)
        usage = added(state.get("usage", {}), {writer.name: reported(reply)})
        return upgraded | SessionUpdate(messages=[message], usage=usage)

    async def _ask(
        self, state: SessionState, runtime: Runtime[Context], budget: Budget, *, may_call: bool
    ) -> tuple[AIMessage, Candidate]:
        context = runtime.context
        request = lay_out(
            system=await self._system(context.persona),
            window=state["messages"],
            at=datetime.fromisoformat(state["at"]),
            time_zone=context.time_zone,
            budget=budget,
            summary=state.get("summary", EMPTY),
            facts=state.get("pinned", {}),
            late=await self._late(state, runtime),
            recalled=state.get("recalled"),
        )
        if request.left_out:
            log.warning("%d exchanges of the window did not fit the request", request.left_out)
        return await ask(
            await self.models.responders(context.model, may_call=may_call),
            await with_images(request.messages, runtime.store),
            seconds=self.turn_timeout(),
            on_stop=lambda read: self._keep(read, state, runtime),
        )

    async def _system(self, persona: str) -> str:
        if persona not in self._systems:
            self._systems[persona] = await asyncio.to_thread(system_prompt, persona)
        return self._systems[persona]

    async def _late(self, state: SessionState, runtime: Runtime[Context]) -> list[Fact]:
        """Facts that neither the system message nor the window shows."""
        through = state.get("summary", EMPTY)["through"]
        late = unseen(state.get("facts", {}), state.get("pinned", {}), through)
        if (threads := state.get("spilled_in")) and runtime.store:
            message = "\n".join(m.text for m in group(state["messages"])[-1].asked)
            done = state.get("extracted_through", 0)
            found = await find(runtime.store, threads, message, through=done)
            standing = flat(state.get("facts", {}))
            new = [fact for fact in found if fact not in standing]
            late += relevant(new, message, self.late_tokens())
        return late

    async def _keep(
        self, read: AIMessageChunk, state: SessionState, runtime: Runtime[Context]
    ) -> None:
        """Keeps what was read of a stopped reply: this run can write no state any more.

        The run ends after that, so that a rollback, which follows its end, finds all it wrote.
        """
        store, info = runtime.store, runtime.execution_info
        if store is not None and info is not None and info.thread_id is not None:
            after = str(state["messages"][-1].id)
            words = Stopped(
                id=read.id or self.new_id(),
                after=after,
                text=clean(read.text),
                run=info.run_id or "",
            )
            await asyncio.wait(
                {self.background.start(keep(store, info.thread_id, words))},
                timeout=_KEEPING_SECONDS,
            )


def _without_calls(message: AIMessage) -> AIMessage:
    """The reply of a model that calls tools although it may not: its words, or ours."""
    words = (
        message.text.strip() or "I could not finish looking this up. Could you ask me once more?"
    )
    return message.model_copy(update={"tool_calls": [], "content": words})
