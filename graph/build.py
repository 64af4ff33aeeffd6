"""The graph on one screen."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any
from uuid import uuid4

from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import END, START, StateGraph

from graph.doors import Doors
from graph.guarded import GuardedGraph
from graph.models import Models
from graph.run_saver import after_input, after_step
from graph.settings import Settings
from graph.vector_index import VectorIndex
from memory.recall.branches import Branches
from memory.recall.documents import indexed
from memory.recall.ranking import DEFAULT
from memory.recall.searcher import Searcher
from nodes.archive import Archive
from nodes.background import Background
from nodes.compaction import Folder, Sizes
from nodes.compaction_job import Jobs
from nodes.corrections import Corrections
from nodes.extract_facts import ExtractFacts
from nodes.indexing_job import Indexing
from nodes.load_memory import LoadMemory
from nodes.maybe_compact import MaybeCompact
from nodes.person import Person, after_person, person_or
from nodes.recall import Recall, recall_or_respond
from nodes.respond import Respond
from nodes.tools import Tools, calls_or_end
from prompts.files import prompts_digest
from prompts.request import Budget
from state.context import Context
from state.session import SessionInput, SessionState
from state.tokens import count_text


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


@dataclass(kw_only=True)
class Parts:
    """What the nodes work with; tests put their own clock and ids here."""

    settings: Callable[[], Settings]
    models: Models
    clock: Callable[[], datetime] = utc_now
    new_id: Callable[[], str] = field(default=lambda: str(uuid4()))

    background: Background = field(default_factory=Background)
    served: bool = False
    """Whether this is LangGraph Server, whose clients say who they are by a token if at all."""

    collections: str = "longhaul"
    """What the names of the collections in Chroma begin with."""

    @cached_property
    def index(self) -> VectorIndex:
        """The vectors of old turns. Nothing is opened before it is used."""
        return VectorIndex(settings=self.settings, texts=indexed, prefix=self.collections)

    @cached_property
    def indexing(self) -> Indexing:
        """What keeps the vectors level with the transcript, behind the replies."""
        return Indexing(
            indexer=self.index.indexer,
            clock=self.clock,
            background=self.background,
            follow=self.branches.follow,
        )

    @cached_property
    def branches(self) -> Branches:
        """What old turns are found by their words with."""
        return Branches(ranking=DEFAULT)

    @cached_property
    def searcher(self) -> Searcher:
        """What finds old turns."""
        return Searcher(
            indexer=self.index.indexer,
            branches=self.branches,
            seconds=lambda: self.settings().chroma_timeout,
            on_gap=self.indexing.look_again,
        )

    @cached_property
    def folder(self) -> Folder:
        """What folds turns into summaries."""
        return Folder(
            models=self.models,
            sizes=lambda: sizes(self.settings()),
            seconds=lambda: self.settings().turn_timeout,
        )

    @cached_property
    def jobs(self) -> Jobs:
        """The compactions that this process runs behind its replies."""
        return Jobs(folder=self.folder, clock=self.clock, background=self.background)

    def release(self, model: str) -> str:
        """What a turn that `model` writes is counted under: the models of the roles, the prompts.

        Reads the prompt files, at its first call.
        """
        settings = self.settings()
        other = settings.default_model
        roles = (model, settings.extract_model or other, settings.summarise_model or other)
        named = roles[:1] if len(set(roles)) == 1 else roles
        return f"{' + '.join(named)} @{prompts_digest()}"

    def budget(self) -> Budget:
        """What a request for a reply may hold."""
        settings = self.settings()
        return Budget(
            total=settings.marks.hard, reply=settings.reply_tokens, tools=self._tool_tokens
        )

    @cached_property
    def _tool_tokens(self) -> int:
        schemas = [convert_to_openai_tool(tool) for tool in self.models.tools]
        return count_text(json.dumps(schemas)) if schemas else 0


def sizes(settings: Settings) -> Sizes:
    """What a compaction may take."""
    return Sizes(
        summary=settings.summary_tokens,
        pins=settings.pins_tokens,
        piece=settings.summariser_tokens,
    )


def build_graph(parts: Parts, **options: Any) -> GuardedGraph:
    """The wired graph: load, respond (with tools), extract and archive side by side, compact.

    While a person has the thread, `person` stands where the bot would respond.

    `options` are those of `StateGraph.compile`.
    """
    builder = StateGraph(SessionState, context_schema=Context, input_schema=SessionInput)
    settings, clock, new_id = parts.settings, parts.clock, parts.new_id
    load_memory = LoadMemory(
        marks=lambda: settings().marks,
        patience=lambda: settings().compaction_wait,
        recall=lambda: settings().recall,
        facts=lambda: settings().facts_tokens,
        clock=clock,
    )
    recall = Recall(
        searcher=lambda: parts.searcher,
        tokens=lambda: settings().recall_tokens,
        elsewhere=lambda: settings().recall_elsewhere,
    )
    respond = Respond(
        models=parts.models,
        tool_rounds=lambda: settings().tool_rounds,
        turn_timeout=lambda: settings().turn_timeout,
        budget=parts.budget,
        late_tokens=lambda: settings().facts_tokens,
        background=parts.background,
        new_id=new_id,
    )
    extract_facts = ExtractFacts(
        models=parts.models,
        every=lambda: settings().extract_every,
        deadline=lambda: settings().extract_deadline,
        piece=lambda: settings().extract_tokens,
        budget=lambda: settings().facts_tokens,
        clock=clock,
    )
    maybe_compact = MaybeCompact(
        jobs=parts.jobs, marks=lambda: settings().marks, clock=clock, new_id=new_id
    )
    corrections = Corrections(
        models=parts.models,
        judged=lambda: settings().judge_corrections,
        seconds=lambda: settings().extract_deadline,
    )
    builder.add_node("load_memory", load_memory)
    builder.add_node("recall", recall)
    builder.add_node("respond", after_input(respond))
    tools = Tools(tools=parts.models.tools, seconds=lambda: settings().tool_timeout)
    builder.add_node("tools", after_step(tools))
    builder.add_node("extract_facts", after_step(extract_facts))
    builder.add_node(
        "archive",
        after_step(
            Archive(release=parts.release, corrections=corrections, indexing=parts.indexing)
        ),
    )
    builder.add_node("maybe_compact", maybe_compact)
    builder.add_node("person", Person())
    said = ["extract_facts", "archive"]
    builder.add_edge(START, "load_memory")
    builder.add_conditional_edges("load_memory", recall_or_respond, ["person", "recall", "respond"])
    builder.add_edge("recall", "respond")
    builder.add_conditional_edges("respond", partial(calls_or_end, end=said), ["tools", *said])
    builder.add_edge("tools", "respond")
    for node in said:
        builder.add_conditional_edges(
            node, partial(maybe_compact.when_due, end=END), ["maybe_compact", "person", END]
        )
    builder.add_conditional_edges("maybe_compact", partial(person_or, other=END), ["person", END])
    after = partial(after_person, said=said, end=END)
    builder.add_conditional_edges("person", after, ["respond", *said, END])
    doors = Doors(settings=settings, clock=clock, new_id=new_id, served=parts.served)
    return GuardedGraph.compiled(builder, doors, name="longhaul", **options)
