"""The graph as the world reaches it: every door checks what comes in before a reducer sees it."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, StateSnapshot, StateUpdate

from graph.doors import Doors, checked_thread, resume_only
from graph.run_saver import KEY, RunSaver
from graph.waiting import results_so_far, waiting_on
from memory.images import keep_images
from state.admission import Admitted, Image, admit
from state.answers import resume_map
from state.context import Context
from state.errors import InputRefused
from state.messages import merge_messages
from state.session import SessionInput, SessionState, SessionUpdate

_COPY = "__copy__"
"""The server's name for an update that only forks a checkpoint."""

LAST_NODE = "maybe_compact"
"""As whose work the host's own updates count: nothing runs after them."""

Base = CompiledStateGraph[SessionState, Context, SessionInput, SessionState]


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
        chosen = await asyncio.to_thread(self.doors.chosen, context)
        given = config or {}
        thread = checked_thread(given)
        run, of_run = self._for_one_run(given)
        joining = await run.checked(input, of_run, thread)
        # The nodes wait for what has to be on disk before they begin: see `graph.run_saver`.
        options["durability"] = "async" if run.checkpointer else None
        async for part in Base.astream(run, joining, of_run, context=chosen, **options):
            yield part
        await self._prune(given)

    def stream(self, *args: Any, **options: Any) -> Iterator[Any]:
        """Not offered: the nodes are coroutines. Raises NotImplementedError."""
        raise NotImplementedError("use astream or ainvoke: this graph's nodes are coroutines")

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """As the base's, for new or edited user messages and for forks. Raises InputRefused.

        An update of nothing changes nothing: the server takes the state into its own record.
        """
        thread = checked_thread(config)
        images: list[Image] = []
        checked: list[list[StateUpdate]] = []
        snapshot = await self._standing(config)
        if _is_nothing(supersteps) and not config["configurable"].get("checkpoint_id"):
            return snapshot.config
        messages = _window(snapshot)
        for step in supersteps:
            checked.append([])
            for update in step:
                if update.values is None and update.as_node in (None, _COPY):
                    checked[-1].append(update)
                    continue
                admitted = await self._admit(_as_user(update), thread)
                messages = merge_messages(messages, admitted.messages)
                images += admitted.images
                results = await self._results(snapshot, admitted.messages, config)
                values = {"messages": [*results, *admitted.messages]}
                checked[-1].append(StateUpdate(values, START, update.task_id))
        await self._keep(images, thread)
        return await super().abulk_update_state(config, checked)

    async def host_update(self, config: RunnableConfig, update: SessionUpdate) -> RunnableConfig:
        """Writes state as the host does, past the doors, as the graph's last node."""
        return await super().abulk_update_state(config, [[StateUpdate({**update}, LAST_NODE)]])

    def bulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """Not offered: see `stream`. Raises NotImplementedError."""
        raise NotImplementedError("use aupdate_state or abulk_update_state")

    def _for_one_run(self, config: RunnableConfig) -> tuple["GuardedGraph", RunnableConfig]:
        """The graph with a saver of this run's own, and the configuration that names it."""
        if not isinstance(self.checkpointer, BaseCheckpointSaver) or "configurable" not in config:
            return self, config
        saver = RunSaver(self.checkpointer)
        named = {**config["configurable"], KEY: saver}
        return self.copy({"checkpointer": saver}), {**config, "configurable": named}

    async def checked(self, input: Any, config: RunnableConfig, thread: str) -> Any:
        """What `input`, once admitted, is for the base. Raises InputRefused."""
        settings = self.doors.settings()
        if self.checkpointer and config and config["configurable"].get("checkpoint_id"):
            await self._standing(config)
        if isinstance(input, Command):
            limit = settings.limits.message_chars
            return await self._answering(resume_only(input, limit), config)
        if input is None:
            return None
        admitted = await self._admit(input, thread)
        joining: Any = {"messages": admitted.messages}
        if self.checkpointer:
            joining = await self._joining(admitted.messages, config)
        await self._keep(admitted.images, thread)
        return joining

    async def _admit(self, payload: Any, thread: str) -> Admitted:
        limits, now, new_id = self.doors.settings().limits, self.doors.clock(), self.doors.new_id
        return await asyncio.to_thread(
            admit, payload, thread=thread, limits=limits, now=now, new_id=new_id
        )

    async def _keep(self, images: Sequence[Image], thread: str) -> None:
        if images and self.store is None:
            raise InputRefused("images sent as data need a store; send a URL instead")
        if images and self.store is not None:
            await keep_images(self.store, thread, images)

    async def _standing(self, config: RunnableConfig) -> StateSnapshot:
        """The state at `config`. A checkpoint that is not there would begin the thread anew."""
        snapshot = await self.aget_state(config)
        named = config["configurable"].get("checkpoint_id")
        if named and snapshot.metadata is None:
            raise InputRefused(f"checkpoint {named!r} is not in this thread")
        return snapshot

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

        What is known of the calls of a turn that broke off, and what a dead process had put on disk
        but not in the state yet, stands beside the checkpoint, where a new input would drop it: it
        goes in first. Raises what the reducer raises.
        """
        snapshot = await self._standing(config)
        goes_back = "checkpoint_id" in config["configurable"]
        aside = [] if goes_back else await self._aside(snapshot, config)
        window = _window(snapshot)
        # The snapshot may show what is aside already; the graph would drop it all the same.
        known = {m.id for m in window}
        window = merge_messages(window, [m for m in aside if m.id not in known])
        there = {m.id: m.content for m in window}
        if not (new := [m for m in said if there.get(m.id) != m.content]):
            return None
        merge_messages(window, new)
        return {"messages": [*aside, *await self._results(snapshot, new, config), *new]}

    async def _results(
        self, snapshot: StateSnapshot, said: Sequence[HumanMessage], config: RunnableConfig
    ) -> list[AnyMessage]:
        """What `said` leaves behind of a turn that broke off; nothing when it edits that turn."""
        if "checkpoint_id" in config["configurable"]:
            return []
        if {m.id for m in said} & {m.id for m in _window(snapshot)}:
            return []
        thread = str(config["configurable"]["thread_id"])
        return await results_so_far(snapshot, self.store, thread)

    async def _aside(self, snapshot: StateSnapshot, config: RunnableConfig) -> list[AnyMessage]:
        """What a dead process put on disk, but not in the state yet: new input would drop it."""
        messages: list[AnyMessage] = []
        for task in snapshot.tasks:
            if task.name == START and isinstance(self.checkpointer, BaseCheckpointSaver):
                newest = await self.checkpointer.aget_tuple(config)
                begun = newest.checkpoint["channel_values"].get(START) if newest else None
                messages += begun["messages"] if begun else []
            elif task.name == "respond" and task.result:
                messages += task.result["messages"]
        return messages

    async def _answering(self, command: Command[Any], config: RunnableConfig) -> Command[Any]:
        """A command whose answers fit the questions that wait. Raises InputRefused."""
        waiting = waiting_on(await self._standing(config)) if self.checkpointer else {}
        return Command(resume=resume_map(command.resume, waiting))


def _window(snapshot: StateSnapshot) -> list[AnyMessage]:
    return list(snapshot.values.get("messages", []))


def _is_nothing(supersteps: Sequence[Sequence[StateUpdate]]) -> bool:
    """Whether it is one update without values, as nobody."""
    match [update for step in supersteps for update in step]:
        case [StateUpdate(values=None, as_node=None)]:
            return True
    return False


def _as_user(update: StateUpdate) -> Any:
    if update.as_node not in (None, START):
        raise InputRefused(
            f"state cannot be written as node {update.as_node!r:.80}; "
            f"only user messages can, as {START!r}"
        )
    return update.values
