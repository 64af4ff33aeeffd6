"""Forgetting one fact in one thread: done, looked for, and done again until nothing holds it."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, cast
from uuid import uuid4

from graph.forgetting import checkpoints
from graph.forgetting.change import Change
from graph.forgetting.means import ForgettingRefusedError, Means
from graph.forgetting.receipt import Account
from graph.forgetting.server import ServerRecords
from graph.forgetting.trail import rows_of_parents
from memory import names, posts
from memory.embeddings import EmbeddingError
from memory.erase import erase_vectors_later
from memory.facts import log_forgotten
from memory.forgettings import begin_epoch
from memory.redacting import redact, redact_rows
from memory.scope import VectorError
from memory.transcript import Row
from state.forgetting import anything_without, forgot, waits_for_it, without
from state.redaction import Redactor
from state.session import RowKey, SessionState
from state.tombstones import NONE, buried

ROUNDS = 5
"""How often it is done again when work that was under way has brought it back."""
PAUSE_SECONDS = 0.5
"""Between two rounds; a job that looked just before whether it may leave its result has left it."""
PATIENCE_SECONDS = 60.0
"""How long to wait for a reply of the server that is being written."""


@dataclass(frozen=True)
class FactInThread:
    """One fact in one thread, which the caller holds."""

    means: Means
    thread: str
    redactor: Redactor

    async def check_refused(self) -> None:
        """Raises ForgettingRefusedError when the fact cannot be forgotten here now."""
        await self._idle()
        if waits_for_it(await self._state(), self.redactor):
            raise ForgettingRefusedError(
                f"in thread {self.thread!r} an action waits that depends on this fact: "
                "confirm it or decline it first"
            )

    async def is_held(self) -> bool:
        """Whether anything of the thread holds it: what older checkpoints do, its rows do too."""
        state = await self._state()
        return without(state, self.redactor) != state or await self._in_store(state) > 0

    async def _holding(self) -> dict[str, int]:
        """How much of the thread holds it, by store; nothing when nothing does."""
        found = {
            "checkpoints": await self._in_checkpoints(),
            "store": await self._in_store(await self._state()),
            "server": await self._server.holding(self.thread, self._in_record),
        }
        return {store: count for store, count in found.items() if count}

    async def _in_store(self, state: SessionState) -> int:
        store = self.means.database.store
        items = await redact(store, names.thread(self.thread), self.redactor, look=True)
        parents = await rows_of_parents(store, self.thread, state)
        return items.count + (await redact_rows(store, parents, self.redactor, look=True)).count

    async def forget(self, account: Account) -> None:
        """Forgets it here and tells `account`. Raises ForgettingRefusedError: to be tried again."""
        found: dict[str, int] = {}
        for again in range(ROUNDS):
            await asyncio.sleep(PAUSE_SECONDS if again else 0)
            await self._idle()
            await self._once(account)
            await self._jobs()
            await self._idle()
            if not (found := await self._holding()):
                break
        state = await self._state()
        kind, turn = self.redactor.wanted["kind"], state.get("turn", 0)
        await log_forgotten(
            self.means.database.store, self.thread, at=self.means.now, kind=kind, turn=turn
        )
        account.threads.append(self.thread)
        for place in ("checkpoints", "store", "server"):
            if place != "server" or self._server.knows(self.thread):
                account.found[place] = account.found.get(place, 0) + found.get(place, 0)

    async def _once(self, account: Account) -> None:
        store = self.means.database.store
        await begin_epoch(store, self.thread, uuid4().hex)
        await self._in_state(account.removed)
        state = await self._state()
        await posts.drop_result(store, self.thread)
        items = await redact(store, names.thread(self.thread), self.redactor)
        parents = await rows_of_parents(store, self.thread, state)
        rows = await redact_rows(store, parents, self.redactor)
        account.removed += items.places + rows.places
        await self._embed([*items.rows, *rows.rows], account)
        account.removed["runs"] += await self._server.delete_runs(self.thread, self._in_record)
        await self._server.refresh(self.thread)

    async def _in_state(self, removed: Counter[str]) -> None:
        """Leaves one checkpoint, without it."""
        state = await self._state()
        tombstones = await asyncio.to_thread(
            buried,
            state.get("forgotten", NONE),
            self.redactor.wanted["value"],
            through=state.get("turn", 0),
            salt=token_hex(16),
        )
        change = Change(
            values=lambda values: cast(
                "dict[str, Any]", forgot(cast("SessionState", values), self.redactor, tombstones)
            ),
            write=self._without,
        )
        done = await checkpoints.rewrite(self.means.database, self.thread, change)
        removed["checkpoints"] += done.dropped
        removed["writes"] += done.writes
        removed.update(done.fields - {"forgotten", "memory_version"})

    async def _embed(self, rows: Sequence[tuple[RowKey, Row]], account: Account) -> None:
        """Makes the vectors of changed rows anew; all of a thread later, if that fails now."""
        indexer, store = self.means.indexer, self.means.database.store
        if indexer is None or not rows:
            return
        try:
            ids = {key["key"]: [w.id for w in indexer.words(key, row)] for key, row in rows}
            there = await indexer.vectors.present([one for each in ids.values() for one in each])
            known = [(key, row) for key, row in rows if there.intersection(ids[key["key"]])]
            account.removed["vectors"] += await indexer.write(store, known)
        except (VectorError, EmbeddingError) as error:
            for thread in sorted({key["thread"] for key, _ in rows}):
                await erase_vectors_later(store, thread)
                account.waits.append(f"vectors of thread {thread}: {error}")

    async def _jobs(self) -> None:
        """Gives a job that is at work the time to see that it must leave nothing."""
        desk = await posts.look(self.means.database.store, self.thread)
        if desk.busy(self.means.clock()):
            await asyncio.sleep(PAUSE_SECONDS)

    async def _idle(self) -> None:
        end = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        while await self._server.busy(self.thread):
            if asyncio.get_running_loop().time() > end:
                raise ForgettingRefusedError(
                    f"a reply is being written in thread {self.thread!r}: "
                    "try again when it has ended, or stop it"
                )
            await asyncio.sleep(PAUSE_SECONDS)

    async def _in_checkpoints(self) -> int:
        found = 0
        config: Any = {"configurable": {"thread_id": self.thread}}
        async for each in self.means.database.saver.alist(config):
            values = cast("SessionState", each.checkpoint["channel_values"])
            written = [value for _, _, value in each.pending_writes or []]
            found += without(values, self.redactor) != values or self._without(written) != written
        return found

    def _in_record(self, record: Any) -> bool:
        return bool(anything_without(record, self.redactor, near=True) != record)

    def _without(self, value: Any) -> Any:
        return anything_without(value, self.redactor)

    async def _state(self) -> SessionState:
        found = await checkpoints.newest(self.means.database, self.thread)
        return cast("SessionState", found or {})

    @property
    def _server(self) -> ServerRecords:
        return ServerRecords(self.means.server)
