"""The graph on one screen."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import uuid4

from langgraph.graph import END, START, StateGraph

from graph.guarded import Doors, GuardedGraph
from graph.models import Models
from graph.settings import Settings
from nodes.load_memory import LoadMemory
from nodes.respond import Respond
from nodes.tools import Tools, calls_or_end
from state.context import Context
from state.session import SessionInput, SessionState


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What the nodes work with; tests put their own clock and ids here."""

    settings: Callable[[], Settings]
    models: Models
    clock: Callable[[], datetime] = utc_now
    new_id: Callable[[], str] = field(default=lambda: str(uuid4()))


def build_graph(parts: Parts, **options: Any) -> GuardedGraph:
    """START -> load_memory -> respond (<-> tools) -> END. `options`: see `StateGraph.compile`."""
    builder = StateGraph(SessionState, context_schema=Context, input_schema=SessionInput)
    builder.add_node("load_memory", LoadMemory(clock=parts.clock))
    builder.add_node(
        "respond",
        Respond(
            models=parts.models,
            tool_rounds=lambda: parts.settings().tool_rounds,
            turn_timeout=lambda: parts.settings().turn_timeout,
            new_id=parts.new_id,
        ),
    )
    builder.add_node("tools", Tools(tools=parts.models.tools))
    builder.add_edge(START, "load_memory")
    builder.add_edge("load_memory", "respond")
    builder.add_conditional_edges("respond", partial(calls_or_end, end=END), ["tools", END])
    builder.add_edge("tools", "respond")
    doors = Doors(settings=parts.settings, clock=parts.clock, new_id=parts.new_id)
    return GuardedGraph.compiled(builder, doors, name="longhaul", **options)
