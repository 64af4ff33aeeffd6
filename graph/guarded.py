"""The graph as the world reaches it: every door checks what comes in before a reducer sees it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateUpdate
from pydantic import ValidationError

from graph.settings import Settings
from memory.images import keep_images
from prompts.files import system_prompt
from state.admission import admit
from state.context import Context
from state.errors import InputRefused
from state.session import SessionInput, SessionState, SessionUpdate
from state.text import clean_json, storable_id

_COPY = "__copy__"
"""The server's name for an update that only forks a checkpoint."""

LAST_NODE = "maybe_compact"
"""As whose work the host's own updates count: nothing runs after them."""

Base = CompiledStateGraph[SessionState, Context, SessionInput, SessionState]


@dataclass(frozen=True, kw_only=True)
class Doors:
    """What the checks need to know."""

    settings: Callable[[], Settings]
    clock: Callable[[], datetime]
    new_id: Callable[[], str]


class GuardedGraph(Base):
    """A compiled graph whose doors admit new user messages and resume values, and nothing else.

    The server calls `astream` for a run's input or command and `abulk_update_state` for every way
    of writing state, so that the terminal, `/runs`, `/state` and Studio pass the same check.
    """

    doors: Doors

    @classmethod
    def compiled(
        cls,
        builder: StateGraph[SessionState, Context, SessionInput, SessionState],
        doors: Doors,
        **options: Any,
    ) -> "GuardedGraph":
        """`builder`, compiled and guarded. `options` are those of `StateGraph.compile`."""
        return cls(doors=doors, **vars(builder.compile(**options)))

    def __init__(self, *, doors: Doors, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.doors = doors

    async def astream(
        self,
        input: Any,
        config: RunnableConfig | None = None,
        *,
        context: Any = None,
        **options: Any,
    ) -> AsyncIterator[Any]:
        """As the base's, after the checks. Raises InputRefused before anything is written."""
        chosen = await self._context(context)
        admitted = await self._admitted(input, config or {})
        if isinstance(admitted, dict) and self.checkpointer:
            admitted = await self._joining(admitted["messages"], config or {})
        # A message must be on disk before a model is asked: no crash may lose what was said.
        options["durability"] = "sync" if self.checkpointer else None
        async for part in super().astream(admitted, config, context=chosen, **options):
            yield part
        await self._prune(config or {})

    def stream(self, *args: Any, **options: Any) -> Iterator[Any]:
        """Not offered: the nodes are coroutines. Raises NotImplementedError."""
        raise NotImplementedError("use astream or ainvoke: this graph's nodes are coroutines")

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """As the base's, for new or edited user messages and for forks. Raises InputRefused."""
        checked = [[await self._update(u, config) for u in step] for step in supersteps]
        return await super().abulk_update_state(config, checked)

    async def host_update(self, config: RunnableConfig, update: SessionUpdate) -> RunnableConfig:
        """Writes state as the host does, past the doors, as the graph's last node."""
        return await super().abulk_update_state(config, [[StateUpdate({**update}, LAST_NODE)]])

    def bulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Not offered: see `stream`. Raises NotImplementedError."""
        raise NotImplementedError("use aupdate_state or abulk_update_state")

    async def _admitted(self, input: Any, config: RunnableConfig) -> Any:
        thread = _checked_ids(config)
        if input is None:
            return None
        if isinstance(input, Command):
            return _resume_only(input)
        admitted = await asyncio.to_thread(
            admit,
            input,
            thread=thread,
            limits=self.doors.settings().limits,
            now=self.doors.clock(),
            new_id=self.doors.new_id,
        )
        if admitted.images:
            if self.store is None:
                raise InputRefused("images sent as data need a store; send a URL instead")
            await keep_images(self.store, thread, admitted.images)
        return {"messages": admitted.messages}

    async def _prune(self, config: RunnableConfig) -> None:
        """Every `keep_turns` turns: leaves the thread its newest checkpoint only."""
        keep, saver = self.doors.settings().keep_turns, self.checkpointer
        if not keep or not isinstance(saver, BaseCheckpointSaver):
            return
        newest = await saver.aget_tuple(config)
        turn = newest.checkpoint["channel_values"].get("turn", 0) if newest else 0
        if turn and turn % keep == 0:
            await saver.aprune([str(config["configurable"]["thread_id"])])

    async def _joining(self, said: Sequence[HumanMessage], config: RunnableConfig) -> Any:
        """`said` as it joins the thread. A message that is there already only resumes its turn.

        Tools that finished before their turn broke off have their results beside the checkpoint,
        where a new input would drop them: they go in first.
        """
        snapshot = await self.aget_state(config)
        there = {m.id: m.content for m in snapshot.values.get("messages", [])}
        if all(there.get(m.id) == m.content for m in said):
            return None
        done = [task.result for task in snapshot.tasks if task.name == "tools" and task.result]
        return {"messages": [*(m for result in done for m in result["messages"]), *said]}

    async def _update(self, update: StateUpdate, config: RunnableConfig) -> StateUpdate:
        if update.values is None and update.as_node in (None, _COPY):
            return update
        if update.as_node not in (None, START):
            raise InputRefused(
                f"state cannot be written as node {update.as_node!r}; "
                f"only user messages can, as {START!r}"
            )
        return StateUpdate(await self._admitted(update.values, config), START, update.task_id)

    async def _context(self, given: Any) -> Context:
        settings = self.doors.settings()
        try:
            asked = Context(**given) if isinstance(given, dict) else given or Context()
        except ValidationError as error:
            first = error.errors()[0]
            raise InputRefused(
                f"context field {first['loc'][0]!r} = {first['input']!r:.80}: {first['msg']}"
            ) from None
        chosen = Context(
            user=asked.user,
            persona=asked.persona or settings.persona,
            model=asked.model or settings.default_model,
            time_zone=asked.time_zone or settings.time_zone,
        )
        await asyncio.to_thread(_check_context, chosen, settings)
        return chosen


def _check_context(context: Context, settings: Settings) -> None:
    if context.user and not storable_id(context.user):
        raise InputRefused(f"context field 'user' = {context.user!r:.80} cannot be stored")
    if context.model not in settings.choices:
        raise InputRefused(
            f"context field 'model' = {context.model!r:.80} is not one of "
            f"{', '.join(settings.choices)} (LONGHAUL_MODELS)"
        )
    system_prompt(context.persona)
    try:
        ZoneInfo(context.time_zone)
    except (OSError, ValueError, KeyError):
        raise InputRefused(
            f"context field 'time_zone' = {context.time_zone!r:.80} is not a time zone"
        ) from None


def _resume_only(command: Command[Any]) -> Command[Any]:
    if command.update or command.goto:
        raise InputRefused("a command may only resume: 'update' and 'goto' are refused")
    if command.resume is None:
        raise InputRefused("command field 'resume' is empty")
    return Command(resume=clean_json(command.resume))


def _checked_ids(config: RunnableConfig) -> str:
    """The thread's id. Raises InputRefused for an id that a store could not hold."""
    configurable = config.get("configurable", {})
    thread = str(configurable.get("thread_id", ""))
    if thread and not storable_id(thread):
        raise InputRefused(f"thread id {thread!r:.80} cannot be stored")
    if checkpoint := configurable.get("checkpoint_id"):
        try:
            UUID(str(checkpoint))
        except ValueError:
            raise InputRefused(f"checkpoint id {checkpoint!r:.80} is not a UUID") from None
    return thread
