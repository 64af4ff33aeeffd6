"""What a background compaction leaves in the store: its lease, its result, its failures."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from langgraph.store.base import BaseStore, GetOp, PutOp
from typing_extensions import TypedDict

from memory import names
from state.folding import Post
from state.summary import Summary


class Failures(TypedDict):
    """How often the oldest exchanges of the window could not be folded, and until when to wait."""

    first_id: str
    """Id of the first message of the window at that time."""
    count: int
    """Failures in a row."""
    refused: int
    """Answers in a row, for `size` exchanges, that were no use: an outage is not one."""
    size: int
    """How many exchanges to try next."""
    retry_at: str
    cause: str


class Lease(TypedDict):
    """Who is at work on a thread, and until when that is believed."""

    holder: str
    until: str


@dataclass(frozen=True)
class Desk:
    """What lies in the store for a thread."""

    lease: Lease | None
    result: Post | None
    failures: Failures | None

    def busy(self, now: datetime) -> bool:
        """Whether a job is at work."""
        return self.lease is not None and datetime.fromisoformat(self.lease["until"]) > now

    def failures_of(self, first_id: str) -> Failures | None:
        """The failures, if they are those of a window that begins with message `first_id`."""
        failed = self.failures
        return failed if failed is not None and failed["first_id"] == first_id else None

    def must_wait(self, first_id: str, now: datetime) -> bool:
        """Whether the back-off of earlier failures is not over."""
        failed = self.failures_of(first_id)
        return failed is not None and datetime.fromisoformat(failed["retry_at"]) > now


async def look(store: BaseStore, thread: str) -> Desk:
    """Reads all three in one round trip."""
    space = names.desk(thread)
    keys = (names.LEASE, names.RESULT, names.FAILURES)
    found = await store.abatch([GetOp(space, key) for key in keys])
    lease, result, failures = (getattr(item, "value", None) for item in found)
    return Desk(
        cast("Lease | None", lease),
        cast("Post | None", result),
        cast("Failures | None", failures),
    )


class Term(TypedDict):
    """From when, and for how long."""

    now: datetime
    seconds: float


async def take_lease(
    store: BaseStore, thread: str, holder: str, *, now: datetime, seconds: float
) -> bool:
    """Whether `holder` has the lease now: written, then read back, so the last writer has it."""
    until = (now + timedelta(seconds=seconds)).isoformat()
    await _put(store, thread, names.LEASE, Lease(holder=holder, until=until))
    lease = (await look(store, thread)).lease
    return lease is not None and lease["holder"] == holder


async def post(store: BaseStore, thread: str, result: Post) -> None:
    """Leaves a result for the next turn, and gives the lease and the failures up."""
    space = names.desk(thread)
    await store.abatch(
        [
            PutOp(space, names.RESULT, cast("dict[str, Any]", result), index=False),
            PutOp(space, names.LEASE, None),
            PutOp(space, names.FAILURES, None),
        ]
    )


async def post_failure(store: BaseStore, thread: str, failures: Failures) -> None:
    """Leaves a failure, and gives the lease up."""
    space = names.desk(thread)
    await store.abatch(
        [
            PutOp(space, names.FAILURES, cast("dict[str, Any]", failures), index=False),
            PutOp(space, names.LEASE, None),
        ]
    )


async def drop_result(store: BaseStore, thread: str) -> None:
    """Takes a result that was applied, or never will be, off the desk."""
    await store.adelete(names.desk(thread), names.RESULT)


async def read_draft(store: BaseStore, thread: str) -> Summary | None:
    """How far a rebuild of the summary has come."""
    item = await store.aget(names.desk(thread), names.DRAFT)
    return cast("Summary", item.value) if item else None


async def write_draft(store: BaseStore, thread: str, summary: Summary) -> None:
    """Keeps how far a rebuild has come."""
    await _put(store, thread, names.DRAFT, summary)


async def drop_draft(store: BaseStore, thread: str) -> None:
    """Takes the draft off the desk once it is the summary."""
    await store.adelete(names.desk(thread), names.DRAFT)


async def note(store: BaseStore, thread: str, key: str, event: Mapping[str, Any]) -> None:
    """Logs what happened to the memory of a thread. The same key is the same event."""
    await store.aput(names.log(thread), key, dict(event), index=False)


async def _put(store: BaseStore, thread: str, key: str, value: Any) -> None:
    await store.aput(names.desk(thread), key, value, index=False)
