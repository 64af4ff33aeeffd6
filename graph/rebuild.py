"""Making a thread's summary anew from its transcript, under another prompt or model, say."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore

from graph.database import Database
from graph.guarded import GuardedGraph
from graph.locks import thread_lock
from memory import posts, transcript
from nodes.compaction import Folder
from state.session import SessionState, SessionUpdate, Trail
from state.summary import EMPTY, Summary

PAGE = 20
"""Exchanges folded at once; after each page the work is kept, so that a rebuild can go on."""


class TranscriptGapError(RuntimeError):
    """The transcript lacks turns that a summary is to be made from."""


@dataclass(frozen=True, kw_only=True)
class Rebuild:
    """Rebuilds summaries. `on_page(thread, turn, of)` is told how far it is."""

    graph: GuardedGraph
    database: Database
    folder: Folder
    on_page: Callable[[str, int, int], None]

    async def thread(self, thread: str) -> int:
        """The last turn that the new summary of `thread` covers; 0 when nothing left its window.

        Waits while the thread is being answered. Raises ModelError; what was done by then is kept
        and the next rebuild goes on from there.
        """
        async with thread_lock(self.database, thread):
            config: RunnableConfig = {"configurable": {"thread_id": thread}}
            snapshot = await self.graph.aget_state(config)
            state = cast("SessionState", snapshot.values)
            through = state.get("summary", EMPTY)["through"]
            if through == 0:
                return 0
            summary = await self._folded(thread, state["transcript"], through)
            update = SessionUpdate(
                summary=summary, memory_version=state.get("memory_version", 0) + 1
            )
            await self.graph.host_update(config, update)
            await posts.drop_draft(self.database.store, thread)
            return through

    async def _folded(self, thread: str, trail: Trail, through: int) -> Summary:
        store: BaseStore = self.database.store
        draft = await posts.read_draft(store, thread)
        summary = draft if draft is not None and draft["through"] <= through else EMPTY
        while summary["through"] < through:
            last = min(summary["through"] + PAGE, through)
            count = last - summary["through"]
            rows = await transcript.read_page(store, trail, through=last, count=count)
            if [row["turn"] for row in rows] != list(range(last - count + 1, last + 1)):
                raise TranscriptGapError(
                    f"thread {thread!r}: the transcript lacks turns between "
                    f"{last - count + 1} and {last}; its summary is left as it is"
                )
            folded = await self.folder.fold(summary, [transcript.as_exchange(r) for r in rows])
            summary = folded.summary
            await posts.write_draft(store, thread, summary)
            self.on_page(thread, last, through)
        return summary
