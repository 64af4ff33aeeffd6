"""The node that decides whether the window is folded, and sets the job going behind the reply."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from langgraph.runtime import Runtime

from memory import posts
from memory.forgettings import epoch
from nodes.compaction_job import Job, Jobs
from nodes.person import person_or
from state.context import Context
from state.exchanges import group
from state.fact_budget import fact_line, flat
from state.folding import fits
from state.marks import Marks
from state.session import SessionState, SessionUpdate
from state.summary import EMPTY
from state.window import size, to_fold


@dataclass(frozen=True, kw_only=True)
class MaybeCompact:
    """Node `maybe_compact`: at most one job a thread, none below the high mark."""

    jobs: Jobs
    marks: Callable[[], Marks]
    clock: Callable[[], datetime]
    new_id: Callable[[], str]

    def when_due(self, state: SessionState, *, end: str) -> str:
        """`maybe_compact` when the window is above its high mark, else what follows the reply.

        Asked of `extract_facts` and of `archive`, which end together and agree: an edge that waits
        for both would have to lead somewhere, and each node that runs writes a checkpoint.
        """
        marks = self.marks()
        if size(group(state["messages"]), marks.high) > marks.high.amount:
            return "maybe_compact"
        return person_or(state, other=end)

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """Sets a job going when one is due; changes nothing in the state."""
        store, info = runtime.store, runtime.execution_info
        if store is None or info is None or info.thread_id is None:
            return SessionUpdate()
        exchanges = group(state["messages"])
        summary = state.get("summary", EMPTY)
        safe = min(state.get("archived_through", 0), state.get("extracted_through", 0))
        count = to_fold(exchanges, self.marks(), safe=safe - summary["through"])
        if count == 0:
            return SessionUpdate()
        now, first = self.clock(), str(exchanges[0].messages[0].id)
        desk = await posts.look(store, info.thread_id)
        ready = desk.result is not None and fits(state, desk.result)
        if not (ready or desk.busy(now) or desk.must_wait(first, now)):
            job = Job(
                thread=info.thread_id,
                holder=self.new_id(),
                version=state.get("memory_version", 0),
                summary=summary,
                exchanges=exchanges[:count],
                known=[fact_line(fact) for fact in flat(state.get("facts", {}))],
                desk=desk,
                epoch=await epoch(store, info.thread_id),
            )
            self.jobs.start(job, store)
        return SessionUpdate()
