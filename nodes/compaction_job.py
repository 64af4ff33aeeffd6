"""Running a compaction behind the reply: lease, fold, post; a failure changes nothing."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from langgraph.store.base import BaseStore

from memory import posts
from memory.forgettings import epoch
from nodes.asking import ModelError
from nodes.background import Background
from nodes.compaction import Folded, Folder
from nodes.structured import is_refusal
from state.exchanges import Exchange
from state.folding import Post
from state.summary import Summary

log = logging.getLogger(__name__)

LEASE_SECONDS = 30.0
"""How long a dead process is believed to be at work."""
_RENEW_SECONDS = 10.0
_FIRST_BACK_OFF = 5.0
_LONGEST_BACK_OFF = 600.0
_PATIENCE = 3
"""Useless answers after which fewer exchanges are tried; and one alone is passed over."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One compaction of one thread: what to fold, and what it started from."""

    thread: str
    holder: str
    version: int
    summary: Summary
    exchanges: list[Exchange]
    """The oldest of the window."""
    known: list[str]
    """Facts that stand beside the summary: it need not say them again."""
    desk: posts.Desk
    """What lay there when the job became due."""
    epoch: str = ""
    """The last forgetting of the thread by then: after another one it leaves nothing."""

    @property
    def failures(self) -> posts.Failures | None:
        """What came of the tries before this one."""
        return self.desk.failures_of(self.first_id)

    @property
    def first_id(self) -> str:
        """The id that names this window's beginning."""
        return str(self.exchanges[0].messages[0].id)

    @property
    def tried(self) -> list[Exchange]:
        """The exchanges of this try: fewer after useless answers."""
        return self.exchanges[: self.failures["size"]] if self.failures else self.exchanges


@dataclass(kw_only=True)
class Jobs:
    """The compactions of one process."""

    folder: Folder
    clock: Callable[[], datetime]
    background: Background

    def start(self, job: Job, store: BaseStore) -> None:
        """Sets `job` going behind the replies."""
        self.background.start(self.run(job, store))

    async def run(self, job: Job, store: BaseStore) -> None:
        """Folds under the lease and leaves the result, or the failure, on the thread's desk."""
        lease = (store, job.thread, job.holder)
        if not await posts.take_lease(*lease, job.desk, **self._until()):
            return
        renewing = asyncio.create_task(self._renew(job, store))
        try:
            folded = await self.folder.fold(job.summary, job.tried, known=job.known)
        except ModelError as error:
            await self._failed(job, store, error)
        else:
            await self._leave(job, store, folded)
        finally:
            renewing.cancel()
            with suppress(asyncio.CancelledError):
                await renewing
        await posts.release(*lease)

    async def _renew(self, job: Job, store: BaseStore) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            if not await self._forgotten(job, store):
                await posts.renew_lease(store, job.thread, job.holder, **self._until())

    async def _forgotten(self, job: Job, store: BaseStore) -> bool:
        """Whether something of the thread was forgotten since the job began."""
        return await epoch(store, job.thread) != job.epoch

    async def _leave(self, job: Job, store: BaseStore, folded: Folded) -> None:
        """Posts the result, unless it may hold what was forgotten; then nothing of it stays.

        It looks again afterwards: a forgetting may have begun between the look and the post.
        """
        if await self._forgotten(job, store):
            log.info("a summary of thread %s is dropped: something was forgotten", job.thread)
            return
        await self._post(job, store, folded)
        if await self._forgotten(job, store):
            await posts.take_back(store, job.thread, _note_key(job, folded))

    async def _post(self, job: Job, store: BaseStore, folded: Folded) -> None:
        ids = [str(m.id) for exchange in job.tried for m in exchange.messages]
        through = folded.summary["through"]
        event = {
            "at": self.clock().isoformat(),
            "event": "compaction",
            "turns": [job.summary["through"] + 1, through],
            "dropped": folded.dropped,
            "missed_at_first": [find.value for find in folded.finds],
            "pinned": [find.value for find in folded.pinned],
        }
        await posts.note(store, job.thread, _note_key(job, folded), event)
        post = Post(version=job.version, ids=ids, summary=folded.summary, usage=folded.spent.usage)
        await posts.post(store, job.thread, post)

    async def _failed(self, job: Job, store: BaseStore, error: ModelError) -> None:
        log.warning("compaction of thread %s failed: %s", job.thread, error)
        size = len(job.tried)
        before = job.failures
        refused = (before["refused"] if before else 0) + is_refusal(error)
        if refused >= _PATIENCE and size == 1:
            await self._leave(
                job, store, self.folder.pass_over(job.summary, job.tried, known=job.known)
            )
            return
        if refused >= _PATIENCE:
            refused, size = 0, size // 2
        count = (before["count"] if before else 0) + 1
        wait = min(_FIRST_BACK_OFF * 2 ** (count - 1), _LONGEST_BACK_OFF)
        failures = posts.Failures(
            first_id=job.first_id,
            count=count,
            refused=refused,
            size=size,
            retry_at=(self.clock() + timedelta(seconds=wait)).isoformat(),
            cause=str(error),
        )
        if not await self._forgotten(job, store):
            await posts.post_failure(store, job.thread, failures)

    def _until(self) -> posts.Term:
        return posts.Term(now=self.clock(), seconds=LEASE_SECONDS)


def _note_key(job: Job, folded: Folded) -> str:
    return f"{folded.summary['through']:08d}-{job.holder}"
