"""The node that takes the facts out of finished exchanges, within its own deadline."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from langgraph.runtime import Runtime

from memory.facts import log_events
from memory.profile import lasting, learn
from memory.spilled import find, spill
from nodes.asking import Candidate, ModelError
from nodes.owner import run_owner
from nodes.structured import Spent, ask_for, is_refusal
from prompts.extractor import as_written, extract_request
from state.actions import corrections_in
from state.context import Context
from state.exchanges import group
from state.extraction import Extraction, as_before, pieces, together, without_forgotten
from state.fact_budget import fitting, relevant
from state.facts import Fact, ended_in
from state.operations import Operations, operations_schema
from state.said import Said, said_in
from state.session import SessionState, SessionUpdate
from state.summary import EMPTY
from state.tombstones import NONE
from state.usage import added

log = logging.getLogger(__name__)

_PATIENCE = 3
"""Failures after which an exchange is tried alone; as many again, and it is passed over."""


class Extractors(Protocol):
    """Opens the models that extract facts."""

    async def extractors(self) -> list[Candidate]:
        """The extract model, then the fallback; what they write reaches no user's stream."""
        ...


@dataclass(frozen=True, kw_only=True)
class ExtractFacts:
    """Node `extract_facts`."""

    models: Extractors
    every: Callable[[], int]
    deadline: Callable[[], float]
    """Seconds that a turn gives to the extraction; what is not done then is done later."""
    piece: Callable[[], int]
    """Most tokens of words in one request."""
    budget: Callable[[], int]
    """Most tokens of facts in the state."""
    clock: Callable[[], datetime]

    async def __call__(self, state: SessionState, runtime: Runtime[Context]) -> SessionUpdate:
        """The facts after every exchange since `extracted_through`; a failure changes nothing."""
        exchanges = dict(
            enumerate(group(state["messages"]), state.get("summary", EMPTY)["through"] + 1)
        )
        before, done = state.get("extracted_through", 0), state["turn"] - 1
        said = [
            s for s in said_in([*exchanges.values()], min(exchanges)) if s.turn > min(before, done)
        ]
        if len(said) < self.every():
            return SessionUpdate()
        facts = state.get("facts", {})
        if before > done:
            facts = as_before(facts, done, state.get("ended", []))
        back = await self._spilled(state, said, min(before, done), runtime)
        work = Extraction(
            time_zone=runtime.context.time_zone,
            facts=together(facts, back),
            through=min(before, done),
            corrected={turn: corrections_in(each) for turn, each in exchanges.items()},
            forgotten=state.get("forgotten", NONE),
        )
        spent = Spent()
        refused_before = state.get("extraction_refused", 0)
        work, refused = await self._read(work, said, refused_before, spent)
        kept, rest = fitting(work.facts, self.budget())
        rest = [fact for fact in rest if fact["turn"]]  # the profile has those from before
        await self._learn(work, said, runtime)
        await self._store(work, back, rest, runtime)
        update = SessionUpdate(
            facts=kept,
            ended=ended_in(work.events, work.through),
            pinned=without_forgotten(state.get("pinned", {}), work.events),
            extracted_through=work.through,
            extraction_refused=refused,
            usage=added(state.get("usage", {}), spent.usage),
        )
        threads, own = state.get("spilled_in", []), thread_of(runtime)
        if (rest or back) and own is not None and own not in threads:
            update["spilled_in"] = [own, *threads]
        return update

    async def _read(
        self, work: Extraction, said: list[Said], refused: int, spent: Spent
    ) -> tuple[Extraction, int]:
        """`work` as far as it comes with `said`, and how often in a row a model refused now."""
        try:
            async with asyncio.timeout(self.deadline()):
                for piece in pieces(said, self.piece(), alone=refused >= _PATIENCE):
                    operations = await self._ask(work, piece, spent)
                    work = await asyncio.to_thread(work.after, piece, operations)
                    refused = 0
        except (ModelError, TimeoutError) as error:
            log.warning("facts after turn %d are taken later: %s", work.through, error)
            refused += isinstance(error, ModelError) and is_refusal(error)
            if refused >= 2 * _PATIENCE:
                next_one = next(each for each in said if each.turn > work.through)
                return await asyncio.to_thread(work.passed_over, next_one), 0
        return work, refused

    async def _ask(self, work: Extraction, said: list[Said], spent: Spent) -> Operations:
        operations = await ask_for(
            Operations,
            await self.models.extractors(),
            extract_request(said, work.facts),
            seconds=self.deadline(),
            schema=operations_schema(),
            spent=spent,
        )
        return as_written(operations)

    async def _spilled(
        self, state: SessionState, said: list[Said], through: int, runtime: Runtime[Context]
    ) -> list[Fact]:
        """Facts without room in the state after turn `through` that the turns `said` may change."""
        threads = state.get("spilled_in")
        if runtime.store is None or not threads:
            return []
        words = "\n".join(f"{each.user}\n{each.assistant}" for each in said)
        found = await find(runtime.store, threads, words, through=through)
        return relevant(found, words, self.budget())

    async def _learn(self, work: Extraction, said: list[Said], runtime: Runtime[Context]) -> None:
        """Tells the user's profile what outlives this thread."""
        thread = thread_of(runtime)
        if runtime.store is None or thread is None:
            return
        if (owner := run_owner(runtime, thread)).kind == "user":
            at = {each.turn: each.at or self.clock().isoformat() for each in said}
            await learn(runtime.store, owner.id, lasting(work.events, thread, at))

    async def _store(
        self, work: Extraction, back: list[Fact], rest: list[Fact], runtime: Runtime[Context]
    ) -> None:
        """Logs what happened, and keeps the `rest` where those came `back` from."""
        thread = thread_of(runtime)
        if runtime.store is None or thread is None:
            return
        at = self.clock().isoformat()
        await log_events(runtime.store, thread, at=at, events=work.events, rejected=work.rejected)
        taken = [fact for fact in back if fact not in rest]
        await spill(runtime.store, thread, rest, back=taken, turn=work.through)


def thread_of(runtime: Runtime[Context]) -> str | None:
    """The thread that this run is of, if it is of one."""
    return runtime.execution_info.thread_id if runtime.execution_info else None
