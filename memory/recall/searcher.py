"""Searching what left the window of a conversation, as one owner may see it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from langgraph.store.base import BaseStore

from memory.embeddings import EmbeddingError
from memory.recall.branches import Branch, Branches
from memory.recall.documents import Leg, document
from memory.recall.fusion import Dense, Scored, search
from memory.recall.passages import Passage as Shown
from memory.recall.passages import chosen
from memory.recall.pointed import pointed, unscored, why
from memory.recall.ranking import Ranking
from memory.scope import Hit, Scope, VectorError
from memory.transcript import owner_of, read_rows
from state.facts import Fact
from state.identity import Owner
from state.pointers import named_turns, noted_turns
from state.recalled import Passage, changed_since
from state.session import RowKey, Trail
from state.summary import Summary

if TYPE_CHECKING:
    from memory.indexing import Indexer

log = logging.getLogger(__name__)

_READ = 30
"""Of what was found, so many are read again: the words are those that the transcript holds now."""
_ELSEWHERE = 3
"""Passages of other conversations at most."""
_NEAR = 0.3
"""Least cosine of theirs: they are found by meaning alone."""
_ELSEWHERE_SHARE = 3
"""They take at most a third of the budget."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is searched for, where, and on whose behalf."""

    message: str
    owner: Owner
    thread: str
    trail: Trail
    summary: Summary
    facts: Mapping[str, Sequence[Fact]]
    budget: int
    """Tokens of all passages together."""
    elsewhere: bool
    """Whether to search the user's other conversations, too."""
    forgotten: int = 0
    """How often something of the thread was forgotten."""
    oldest: RowKey | None = None
    """Where the window's oldest exchange is, if this thread wrote it."""
    sought: str = ""
    """The folded value that alone is of use; empty: whatever fits."""


@dataclass(frozen=True)
class Found:
    """What a search brings back."""

    passages: list[Passage]
    """In order of turn; those of other conversations last."""
    scored: list[Scored]
    """All that was above the floor, best first."""
    trouble: str
    """Why the vectors took no part; empty when they did."""


@dataclass(kw_only=True)
class Searcher:
    """Searches by words and, while Chroma and the embedder work, by meaning."""

    indexer: "Callable[[], Awaitable[Indexer | None]]"
    """Opened at the first need; None where there are no vectors."""
    branches: Branches
    seconds: Callable[[], float]
    """How long a search may wait for an index, and again for the vectors."""
    on_gap: Callable[[str], None]
    """Hears of a thread of which old turns are there, and no vectors."""
    patience: float = 0.3
    """Seconds that a search waits for Chroma and the embedder to be opened: the words do alone."""
    _told: set[str] = field(default_factory=set)
    _opening: "asyncio.Future[Indexer | None] | None" = None
    _making: set[asyncio.Future[Branch]] = field(default_factory=set)

    async def find(self, store: BaseStore, query: Query) -> Found:
        """What fits `query`. Raises what the store raises; trouble with vectors is told."""
        branch = await self._branch(store, query)
        if branch is None:
            return Found([], [], self._tell("the index of this conversation is still being made"))
        others = query.elsewhere and query.owner.kind == "user"
        if query.sought and not others and not branch.lexical.may_hold(query.sought):
            return Found([], [], "")
        meant = _Meant()
        try:
            async with asyncio.timeout(self.seconds()):
                meant = await self._meant(store, branch, query)
        except (VectorError, EmbeddingError) as error:
            meant.trouble = self._tell(str(error))
        except TimeoutError:
            meant.trouble = self._tell("the vectors took longer than LONGHAUL_CHROMA_TIMEOUT")
        async with branch.busy:
            scored = await asyncio.to_thread(search, branch.lexical, query.message, meant.dense)
        named = named_turns(query.message, query.summary["through"])
        noted = noted_turns(query.message, query.summary)
        ordered = pointed(branch.lexical.documents, scored, named=named, noted=noted)[:_READ]
        fresh = await _as_now(store, ordered, branch.rows)
        reasons = {each.document.key: why(each, named=named, noted=noted) for each in fresh}
        ranking = replace(branch.lexical.ranking, budget=query.budget)
        passages = [
            _passage(shown, branch.rows[shown["key"]], reasons[shown["key"]], query.facts)
            for shown in chosen(fresh, query.message, ranking)
        ]
        return Found([*passages, *meant.elsewhere], scored, meant.trouble)

    async def _branch(self, store: BaseStore, query: Query) -> Branch | None:
        """The branch to search; None while its index is made, which goes on without this turn."""
        through = query.summary["through"]
        place = (store, query.thread, query.trail, through, query.owner)
        of = self.branches.of(*place, forgotten=query.forgotten, oldest=query.oldest)
        making = asyncio.ensure_future(of)
        self._making.add(making)
        making.add_done_callback(self._made)
        done, _ = await asyncio.wait({making}, timeout=self.seconds())
        return making.result() if done else None

    def _made(self, making: asyncio.Future[Branch]) -> None:
        self._making.discard(making)
        if not making.cancelled() and (error := making.exception()) is not None:
            log.warning("an index of old turns was not made: %s", error)

    async def _meant(self, store: BaseStore, branch: Branch, query: Query) -> "_Meant":
        """What is near in meaning. Raises VectorError and EmbeddingError."""
        if self._opening is None or self._opening.done():
            self._opening = asyncio.ensure_future(self.indexer())
        done, _ = await asyncio.wait({self._opening}, timeout=self.patience)
        if not done:
            return _Meant(trouble="the vectors are being opened")
        indexer = self._opening.result()
        if indexer is None:
            return _Meant(trouble="there is no Chroma server")
        vector = await indexer.embedder.query(query.message)
        meant = _Meant()
        if branch.rows:
            scope = Scope(query.owner, branch.threads)
            hits = await indexer.vectors.query(scope, vector, branch.lexical.ranking.candidates)
            # A dead branch of the thread has vectors, too; only rows of this one are found.
            meant.dense = {
                (hit.key, cast("Leg", hit.leg)): hit.similarity
                for hit in hits
                if branch.rows.get(hit.key) == RowKey(thread=hit.thread, key=hit.key)
            }
            if not meant.dense:
                self.on_gap(query.thread)
        if query.elsewhere and query.owner.kind == "user":
            everywhere = Scope(query.owner, None)
            hits = await indexer.vectors.query(
                everywhere, vector, branch.lexical.ranking.candidates
            )
            here = {query.thread, *branch.threads}
            others = [hit for hit in hits if hit.thread not in here]
            meant.elsewhere = await _elsewhere(store, others, query, branch.lexical.ranking)
        return meant

    def _tell(self, reason: str) -> str:
        """Logs each reason once."""
        if reason not in self._told:
            self._told.add(reason)
            log.warning("old turns are not found by their meaning: %s", reason)
        return reason


@dataclass
class _Meant:
    """What the vectors found."""

    dense: Dense = field(default_factory=dict)
    elsewhere: list[Passage] = field(default_factory=list)
    trouble: str = ""


async def _elsewhere(
    store: BaseStore, hits: Sequence[Hit], query: Query, ranking: Ranking
) -> list[Passage]:
    """Passages of the user's other conversations, by meaning alone, the nearest first."""
    near: dict[tuple[str, str], float] = {}
    for hit in hits:
        if hit.similarity >= _NEAR:
            near.setdefault((hit.thread, hit.key), hit.similarity)
    best = [RowKey(thread=thread, key=key) for thread, key in list(near)[:_ELSEWHERE]]
    each = replace(ranking, budget=query.budget // _ELSEWHERE_SHARE // _ELSEWHERE)
    passages: list[Passage] = []
    for key, row in await read_rows(store, best):
        if owner_of(key, row) != query.owner:
            continue
        cosine = near[key["thread"], key["key"]]
        alone = replace(
            unscored(document(key["key"], row)), score=cosine, dense=cosine, evidence=cosine
        )
        reason = f"another conversation: meaning {cosine:.2f}"
        shown = chosen([alone], query.message, each)
        passages += [{**_passage(one, key, reason, {}), "elsewhere": True} for one in shown]
    return passages


async def _as_now(
    store: BaseStore, found: Sequence[Scored], rows: Mapping[str, RowKey]
) -> list[Scored]:
    """`found` in the words that the transcript holds now, without what was erased."""
    there = await read_rows(store, [rows[each.document.key] for each in found])
    now = {key["key"]: document(key["key"], row) for key, row in there}
    keys = [each.document.key for each in found]
    return [
        replace(each, document=now[key])
        for key, each in zip(keys, found, strict=True)
        if key in now
    ]


def _passage(shown: Shown, row: RowKey, why: str, facts: Mapping[str, Sequence[Fact]]) -> Passage:
    words = f"{shown['user']}\n{shown['assistant']}"
    return Passage(
        thread=row["thread"],
        key=row["key"],
        turn=shown["turn"],
        at=shown["at"],
        user=shown["user"],
        assistant=shown["assistant"],
        score=round(shown["score"], 3),
        why=why,
        note=changed_since(shown["turn"], words, facts),
        elsewhere=False,
    )
