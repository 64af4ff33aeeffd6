"""What LangGraph Server itself keeps of a thread: a record with the newest state, and runs."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, NotFoundError

_PAGE = 100
_AT_WORK = frozenset({"pending", "running"})


@dataclass(frozen=True)
class ServerRecords:
    """The server's records, by its own API. A thread that it does not know has none."""

    client: LangGraphClient | None

    def knows(self, thread: str) -> bool:
        """Whether there is a server, and `thread` could be one of its threads: those are UUIDs."""
        if self.client is None:
            return False
        with suppress(ValueError):
            UUID(thread)
            return True
        return False

    async def busy(self, thread: str) -> bool:
        """Whether a run of `thread` waits or is at work."""
        return any(run["status"] in _AT_WORK for run in await self._runs(thread))

    async def stop(self, thread: str) -> None:
        """Cancels every run of `thread` that waits or is at work; it has ended afterwards."""
        for run in await self._runs(thread):
            if run["status"] in _AT_WORK:
                with suppress(NotFoundError, APIStatusError):
                    await self._api.runs.cancel(thread, run["run_id"], wait=True)

    async def delete(self, thread: str) -> int:
        """Deletes `thread` with its runs; how many records that were."""
        if not self.knows(thread):
            return 0
        runs = await self._runs(thread)
        with suppress(NotFoundError):
            await self._api.threads.delete(thread)
            return len(runs) + 1
        return 0

    async def delete_runs(self, thread: str, holds: Callable[[Any], bool]) -> int:
        """Deletes the finished runs whose record `holds` it; how many those were."""
        gone = 0
        for run in await self._runs(thread):
            if run["status"] not in _AT_WORK and holds(_said(run)):
                with suppress(NotFoundError):
                    await self._api.runs.delete(thread, run["run_id"])
                    gone += 1
        return gone

    async def refresh(self, thread: str) -> None:
        """Has the server read the state of `thread` anew: its record holds a copy of it."""
        if self.knows(thread):
            with suppress(NotFoundError):
                await self._api.threads.update_state(thread, None)

    async def holding(self, thread: str, holds: Callable[[Any], bool]) -> int:
        """How many records of `thread` there are that `holds` is true of."""
        if not self.knows(thread):
            return 0
        records: list[Any] = await self._runs(thread)
        with suppress(NotFoundError):
            records.append(await self._api.threads.get(thread))
        return sum(holds(_said(record)) for record in records)

    async def threads_of(self, user: str, key: str) -> list[str]:
        """The threads whose metadata name `user` under `key`."""
        if self.client is None:
            return []
        found: list[str] = []
        while page := await self.client.threads.search(
            metadata={key: user}, limit=_PAGE, offset=len(found), select=["thread_id"]
        ):
            found += [each["thread_id"] for each in page]
        return found

    async def _runs(self, thread: str) -> list[Any]:
        if not self.knows(thread):
            return []
        found: list[Any] = []
        with suppress(NotFoundError):
            while page := await self._api.runs.list(thread, limit=_PAGE, offset=len(found)):
                found += page
        return found

    @property
    def _api(self) -> LangGraphClient:
        if self.client is None:
            raise LookupError("there is no server")
        return self.client


def _said(record: Any) -> Any:
    """What of a record people and models said; the rest are names and numbers of the server's."""
    kwargs = record.get("kwargs") or {}
    asked = {name: kwargs.get(name) for name in ("input", "command")}
    return {**asked, **{name: record.get(name) for name in ("values", "interrupts", "error")}}
