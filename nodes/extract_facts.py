"""The node that takes the facts out of finished exchanges, within its own deadline."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from langgraph.runtime import Runtime

from memory.facts import log_events, spill
from nodes.asking import Candidate, ModelError
from nodes.structured import ask_for, is_refusal
from prompts.extractor import extract_request
from state.actions import Correction, corrections_in, set_by_hand
from state.context import Context
from state.dates import local_date, resolved
from state.exchanges import group
from state.fact_budget import fitting
from state.fact_check import Operation, Operations, Rejected, believed, caught
from state.facts import Change, Event, Facts, merged
from state.said import Said, said_in
from state.session import SessionState, SessionUpdate
from state.summary import EMPTY
from state.tokens import count_text

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
        first = state.get("summary", EMPTY)["through"] + 1
        done = min(state.get("extracted_through", 0), state["turn"] - 1)
        exchanges = group(state["messages"])
        said = [s for s in said_in(exchanges, first) if s.turn > done]
        if len(said) < self.every():
            return SessionUpdate()
        work = _Work(
            time_zone=runtime.context.time_zone,
            facts=without_turns_after(state.get("facts", {}), done),
            through=done,
            corrected={turn: corrections_in(each) for turn, each in enumerate(exchanges, first)},
        )
        refused = state.get("extraction_refused", 0)
        try:
            async with asyncio.timeout(self.deadline()):
                for piece in pieces(said, self.piece(), alone=refused >= _PATIENCE):
                    await self._take(work, piece)
                    refused = 0
        except (ModelError, TimeoutError) as error:
            log.warning("facts after turn %d are taken later: %s", work.through, error)
            if isinstance(error, ModelError) and is_refusal(error):
                refused += 1
            if refused >= 2 * _PATIENCE:
                refused = 0
                await self._pass_over(work, next(s for s in said if s.turn > work.through))
        return await self._written(work, refused, runtime)

    async def _take(self, work: "_Work", said: list[Said]) -> None:
        operations = await ask_for(
            Operations,
            await self.models.extractors(),
            extract_request(said, work.facts),
            seconds=self.deadline(),
        )
        await self._merge(work, said, operations)

    async def _pass_over(self, work: "_Work", said: Said) -> None:
        """Keeps what the patterns find of an exchange that no model will read."""
        await self._merge(work, [said], Operations())
        passed = Operation(kind="note", value=f"turn {said.turn}")
        work.rejected.append(Rejected(passed, said.turn, "passed over: no model would read it"))

    async def _merge(self, work: "_Work", said: list[Said], operations: Operations) -> None:
        found = await asyncio.to_thread(believed, operations.facts, said, work.dates)
        told = merged(work.facts, found.changes)
        missed = await asyncio.to_thread(caught, said, told.facts, work.dates)
        netted = merged(told.facts, missed)
        right = merged(netted.facts, work.by_hand(said, netted.facts))
        work.facts = right.facts
        work.through = said[-1].turn
        work.events += [*told.events, *netted.events, *right.events]
        work.rejected += found.rejected

    async def _written(
        self, work: "_Work", refused: int, runtime: Runtime[Context]
    ) -> SessionUpdate:
        kept, rest = fitting(work.facts, self.budget())
        store, info = runtime.store, runtime.execution_info
        if store is not None and info is not None and info.thread_id is not None:
            at = self.clock().isoformat()
            events, rejected = work.events, work.rejected
            if events or rejected:
                await log_events(store, info.thread_id, at=at, events=events, rejected=rejected)
            if rest:
                await spill(store, info.thread_id, rest)
        return SessionUpdate(
            facts=kept,
            extracted_through=work.through,
            extraction_refused=refused,
            **({"spilled": True} if rest else {}),
        )


@dataclass
class _Work:
    """How far an extraction came, and what it took."""

    time_zone: str
    facts: Facts
    through: int
    corrected: Mapping[int, Sequence[Correction]]
    """What the user put right in each turn of the window."""
    events: list[Event] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)

    def by_hand(self, said: Sequence[Said], facts: Facts) -> list[Change]:
        """What the user put right when asked to confirm an action."""
        return [
            change
            for each in said
            for change in set_by_hand(
                self.corrected[each.turn],
                facts,
                turn=each.turn,
                said=local_date(each.at, self.time_zone),
            )
        ]

    def dates(self, words: str, said: Said) -> tuple[str, str]:
        """The date it was said, and the date that `words` name."""
        return (
            local_date(said.at, self.time_zone),
            resolved(words, at=said.at, time_zone=self.time_zone),
        )


def without_turns_after(facts: Facts, turn: int) -> Facts:
    """`facts` without those of later turns: an edited exchange is read anew, as it is now."""
    kept = {
        kind: [f for f in standing if f["turn"] <= turn or f["found"] == "hand"]
        for kind, standing in facts.items()
    }
    return {kind: standing for kind, standing in kept.items() if standing}


def pieces(said: Sequence[Said], most: int, *, alone: bool) -> list[list[Said]]:
    """`said` in requests of at most `most` tokens of words; one by one when `alone`."""
    grouped: list[list[Said]] = []
    room = 0
    for each in said:
        size = count_text(each.user) + count_text(each.assistant)
        if alone or not grouped or size > room:
            grouped.append([])
            room = most
        grouped[-1].append(each)
        room -= size
    return grouped
