"""Holding a conversation with the real graph, turn by turn, and looking where everything stands."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, cast

from langchain_core.messages import HumanMessage

from app.model_server.chat import ChatRequest, text_of
from app.model_server.script import Script
from app.model_server.server import ModelServer
from evals.run.anatomy import tokens_by_layer
from evals.run.gateway import Gateway
from evals.run.plan import Plan, graph_settings
from evals.run.records import Asked, Logged, Sent, TurnRecord
from evals.run.strategies import asked_otherwise, tokens_otherwise
from evals.run.stretch import Course, Held
from evals.run.whereabouts import Layers, layers, row_text, whereabouts
from graph.build import Parts, build_graph
from graph.database import Database
from graph.guarded import GuardedGraph
from graph.models import Models
from graph.settings import Settings
from graph.shared_database import DatabaseSource, source_database
from memory import names, whole
from memory.facts import read_log
from memory.spilled import Spilled
from memory.transcript import back_to, read_rows, turn_of
from state.context import Context
from state.facts import Fact
from state.session import RowKey, SessionInput, SessionState
from state.summary import EMPTY

SETTLING_SECONDS = 600.0
"""How long the work behind a reply may take at least before it is given up."""


class TurnFailed(RuntimeError):
    """A turn ended without a reply; the message names the conversation and the turn."""


@dataclass(kw_only=True)
class Player:
    """A conversation at some turn."""

    course: Course
    plan: Plan
    thread: str
    gateway: Gateway
    graph: GuardedGraph
    database: Database
    parts: Parts
    turn: int = 0
    """The last turn that was held."""
    checkpoint: str = ""
    """Where the next turn goes on from when it is not the newest checkpoint."""
    _rows: dict[int, RowKey] = field(default_factory=dict)

    async def hold(self, held: Held) -> TurnRecord:
        """Says the words of a turn, waits for all work behind the reply, and looks around.

        Raises TurnFailed.
        """
        self.turn = held.number
        self.gateway.turn(held.reply)
        chosen = {"thread_id": self.thread}
        if self.checkpoint:
            chosen["checkpoint_id"] = self.checkpoint
        message = HumanMessage(held.user, id=f"{self.course.conversation.name}-{held.number}")
        context = Context(persona=self.course.conversation.persona)
        await self.graph.ainvoke(
            SessionInput(messages=[message]), cast("Any", {"configurable": chosen}), context=context
        )
        patience = self.parts.settings().turn_timeout
        await self.parts.background.settled(max(SETTLING_SECONDS, patience))
        self.checkpoint = ""
        return await self._record(held)

    async def forget(self) -> None:
        """Takes the conversation's vectors out of the Chroma server that others use, too."""
        indexer = await self.parts.index.indexer()
        if indexer is not None:
            await indexer.vectors.delete_thread(self.thread)

    async def _record(self, held: Held) -> TurnRecord:
        snapshot = await self.graph.aget_state({"configurable": {"thread_id": self.thread}})
        state = cast("SessionState", snapshot.values)
        request = self.gateway.asked
        if request is None or state["messages"][-1].type != "ai":
            name = self.course.conversation.name
            raise TurnFailed(f"{name}: turn {held.number} ended without a reply")
        current, earlier = whereabouts(
            self.course, held.number, await self._layers(state, held.number, request)
        )
        sent = [Sent(role=m["role"], content=text_of(m)) for m in request.messages]
        history = self.course.turns[: held.number - 1]
        spent = self.gateway.spent()
        asked = await self._asked(held, state, request, sent) if held.probe else None
        by_layer = tokens_by_layer(sent)
        return TurnRecord(
            turn=held.number,
            version=state.get("memory_version", 0),
            through=state.get("summary", EMPTY)["through"],
            request_tokens=sum(by_layer.values()),
            calls=self.gateway.calls,
            tokens=self.gateway.tokens,
            current=current,
            earlier=earlier,
            asked=asked,
            checkpoint=str(snapshot.config["configurable"]["checkpoint_id"]),
            layers={str(layer): tokens for layer, tokens in by_layer.items()},
            otherwise=tokens_otherwise(self.plan.strategies, sent, history),
            spent=spent,
        )

    async def _layers(self, state: SessionState, turn: int, request: ChatRequest) -> Layers:
        store = self.database.store
        facts = self.course.conversation.facts
        since = {self.course.standing(fact, turn).since for fact in facts} - {0}
        found = [key for n in sorted(since) if (key := await self._row(state, n)) is not None]
        rows = "\n".join(row_text(row) for _, row in await read_rows(store, found))
        spilled = await self._spilled(state, turn)
        return layers(state, spilled=spilled, rows=rows, request=request)

    async def _spilled(self, state: SessionState, turn: int) -> list[Fact]:
        """The facts that stand and have no room in the state."""
        kept = [
            cast("Spilled", item.value)
            for thread in state.get("spilled_in", [])
            for item in await whole.items(self.database.store, names.spilled(thread))
        ]
        return [each["fact"] for each in kept if not 0 < each["back"] <= turn]

    async def _row(self, state: SessionState, turn: int) -> RowKey | None:
        """Where the transcript holds `turn`; None if it does not."""
        if turn not in self._rows and (trail := state.get("transcript")) is not None:
            trail = await back_to(self.database.store, trail, turn)
            if trail is not None and turn_of(trail["last"]) == turn:
                self._rows[turn] = trail["last"]
        return self._rows.get(turn)

    async def _asked(
        self, held: Held, state: SessionState, request: ChatRequest, sent: list[Sent]
    ) -> Asked:
        recalled = state["recalled"]
        planted = self.course.conversation.facts.get(held.probe.fact if held.probe else "")
        log = await read_log(self.database.store, self.thread) if planted else []
        history = self.course.turns[: held.number - 1]
        first = self.gateway.first_token
        return Asked(
            reply=state["messages"][-1].text,
            request=sent,
            searched=recalled["searched"],
            recalled=[each["turn"] for each in recalled["passages"]],
            log=[
                Logged(event=row["event"], value=row["value"], before=row["before"])
                for row in log
                if planted is not None and row["kind"] == planted.kind
            ],
            others=await asked_otherwise(
                self.plan.strategies, sent, history, self.gateway, request
            ),
            first_token=first,
        )


@asynccontextmanager
async def opened(
    course: Course, plan: Plan, gateway: Gateway, *, person: Settings, database: str, thread: str
) -> AsyncIterator[Player]:
    """The conversation before its first turn, on the database at that URL.

    Raises what the database and the local services raise, and ModelServerError at the end if the
    graph sent what the API does not define.
    """
    with ModelServer(Script(gateway), keep=1) as server:
        settings = graph_settings(plan, person, model_url=server.base_url, database=database)

        async def endpoint() -> str:
            return server.base_url

        numbers = count(1)
        parts = Parts(
            settings=lambda: settings,
            models=Models(settings=lambda: settings, endpoint=endpoint),
            clock=lambda: course.turns[max(player.turn, 1) - 1].at,
            new_id=lambda: f"{course.conversation.name}-{player.turn}-{next(numbers)}",
        )
        source = DatabaseSource(url=database, data=settings.data, pool_size=settings.pool_size)
        async with source_database(source) as open_database:
            saver, store = open_database.saver, open_database.store
            player = Player(
                course=course,
                plan=plan,
                thread=thread,
                gateway=gateway,
                graph=build_graph(parts, checkpointer=saver, store=store),
                database=open_database,
                parts=parts,
            )
            try:
                # A turn would not wait for it, and so find less on a busy machine.
                await parts.index.indexer()
                yield player
            finally:
                await parts.models.close()
                await parts.index.close()
