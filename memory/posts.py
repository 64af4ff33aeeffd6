"""What a background compaction leaves in the store: its lease, its result, its failures."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, cast

from langgraph.store.base import BaseStore, GetOp, PutOp, SearchItem, SearchOp
from typing_extensions import TypedDict

from memory import names
from state.folding import Post
from state.summary import Summary

_MOST_LEASES = 100
"""More than there are replicas."""


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
    """Until when somebody is believed to be at work."""

    until: str


@dataclass(frozen=True)
class Desk:
    """What lies in the store for a thread."""

    leases: Mapping[str, Lease]
    """By holder."""
    result: Post | None
    failures: Failures | None

    def busy(self, now: datetime) -> bool:
        """Whether a job is at work."""
        return any(datetime.fromisoformat(lease["until"]) > now for lease in self.leases.values())

    def failures_of(self, first_id: str) -> Failures | None:
        """The failures, if they are those of a window that begins with message `first_id`."""
        failed = self.failures
        return failed if failed is not None and failed["first_id"] == first_id else None

    def must_wait(self, first_id: str, now: datetime) -> bool:
        """Whether the back-off of earlier failures is not over."""
        failed = self.failures_of(first_id)
        return failed is not None and datetime.fromisoformat(failed["retry_at"]) > now


async def look(store: BaseStore, thread: str) -> Desk:
    """Reads all of it in one round trip."""
    space = names.desk(thread)
    result, failures, leases = await store.abatch(
        [
            GetOp(space, names.RESULT),
            GetOp(space, names.FAILURES),
            SearchOp(names.leases(thread), limit=_MOST_LEASES),
        ]
    )
    held = cast("list[SearchItem]", leases)
    return Desk(
        {item.key: cast("Lease", item.value) for item in held},
        cast("Post | None", getattr(result, "value", None)),
        cast("Failures | None", getattr(failures, "value", None)),
    )


class Term(TypedDict):
    """From when, and for how long."""

    now: datetime
    seconds: float


async def take_lease(
    store: BaseStore, thread: str, holder: str, seen: Desk, *, now: datetime, seconds: float
) -> bool:
    """Whether `holder` alone is at work now, and the desk is still as it was `seen`.

    Each writes its lease before it reads those of the others, so of two that come at once one at
    least sees the other; who sees another gives up. The leases of the dead are swept away.
    """
    await renew_lease(store, thread, holder, now=now, seconds=seconds)
    desk = await look(store, thread)
    others = {name: lease for name, lease in desk.leases.items() if name != holder}
    alone = not replace(desk, leases=others).busy(now)
    if alone and (desk.result, desk.failures) == (seen.result, seen.failures):
        await store.abatch([PutOp(names.leases(thread), name, None) for name in others])
        return True
    await release(store, thread, holder)
    return False


async def renew_lease(
    store: BaseStore, thread: str, holder: str, *, now: datetime, seconds: float
) -> None:
    """Says that `holder` is at work."""
    until = (now + timedelta(seconds=seconds)).isoformat()
    await store.aput(names.leases(thread), holder, {**Lease(until=until)}, index=False)


async def release(store: BaseStore, thread: str, holder: str) -> None:
    """Gives the lease of `holder` up."""
    await store.adelete(names.leases(thread), holder)


async def post(store: BaseStore, thread: str, result: Post) -> None:
    """Leaves a result for the next turn; what failed before it is forgotten."""
    space = names.desk(thread)
    await store.abatch(
        [
            PutOp(space, names.RESULT, cast("dict[str, Any]", result), index=False),
            PutOp(space, names.FAILURES, None),
        ]
    )


async def post_failure(store: BaseStore, thread: str, failures: Failures) -> None:
    """Leaves a failure."""
    await _put(store, thread, names.FAILURES, failures)


async def drop_result(store: BaseStore, thread: str) -> None:
    """Takes a result that was applied, or never will be, off the desk."""
    await store.adelete(names.desk(thread), names.RESULT)


async def take_back(store: BaseStore, thread: str, key: str) -> None:
    """Takes a result and its note, logged under `key`, away: it may hold what was forgotten."""
    gone = [PutOp(names.desk(thread), names.RESULT, None), PutOp(names.log(thread), key, None)]
    await store.abatch(gone)


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
