"""The compaction job: folds the oldest exchanges into the summary, off the user's path."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import Any, Protocol

from langchain_core.messages import BaseMessage

from nodes.asking import Candidate
from nodes.structured import Malformed, Spent, ask_for
from prompts.summariser import (
    again_request,
    condense_request,
    fold_request,
    read_prompts,
    spoken,
    turn_text,
)
from state.audit import Find, audit, pinned
from state.condense import condensed, oldest_happened, within
from state.evidence import check
from state.exchanges import Exchange
from state.summary import Changes, Summary, SummaryItem, applied, changes_schema, item_tokens, shown
from state.tokens import count_text

_CONDENSE_TRIES = 2
_FINDS_SHARE = 4
"""What an audit found takes at most a quarter of the room that the turns have."""


class Summarisers(Protocol):
    """Opens the models that write summaries."""

    async def summarisers(self) -> list[Candidate]:
        """The summarise model, then the fallback; what they write reaches no user's stream."""
        ...


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """What a compaction may take, in tokens."""

    summary: int
    pins: int
    piece: int
    """Most tokens of turns in one request to the summariser."""


@dataclass
class Folded:
    """A finished fold, with what the checks and the audit had to say."""

    summary: Summary
    dropped: list[str] = field(default_factory=list)
    finds: list[Find] = field(default_factory=list)
    """What the audit found missing at first."""
    pinned: list[Find] = field(default_factory=list)
    """What was still missing after the second asking."""
    spent: Spent = field(default_factory=Spent)


@dataclass(frozen=True, kw_only=True)
class Folder:
    """Folds exchanges into a summary with a model, piece by piece, and checks the result."""

    models: Summarisers
    sizes: Callable[[], Sizes]
    seconds: Callable[[], float]

    async def fold(
        self, summary: Summary, exchanges: Sequence[Exchange], known: Sequence[str] = ()
    ) -> Folded:
        """`summary` with `exchanges`, the turns after `summary["through"]`, folded in whole.

        `known` are the facts that stand beside it, which the audit does not miss in it. Raises
        ModelError; then nothing was changed.
        """
        await asyncio.to_thread(read_prompts)
        sizes = self.sizes()
        numbered = dict(enumerate(exchanges, summary["through"] + 1))
        texts = {turn: turn_text(turn, exchange) for turn, exchange in numbered.items()}
        said = {turn: spoken(exchange) for turn, exchange in numbered.items()}
        folded = Folded(summary)
        for piece in pieces(texts, sizes.piece):
            request = fold_request(folded.summary, [text for _, text in piece])
            turns = len({turn for turn, _ in piece})
            schema = changes_schema(notes=-(-turns // 2))
            changes = await self._ask(request, folded.spent, schema)
            self._take(folded, changes, {turn: texts[turn] for turn, _ in piece})
        folded.finds = audit(said, folded.summary, known)
        if folded.finds:
            await self._ask_again(folded, texts, sizes)
        folded.pinned = audit(said, folded.summary, known)
        folded.summary = pinned(folded.summary, folded.pinned, budget=sizes.pins)
        if not any(set(item["turns"]) & set(numbered) for item in folded.summary["items"]):
            raise Malformed("the summariser noted nothing of the turns")
        before = folded.summary["items"]
        await self._condense(folded, sizes.summary)
        lost = audit(_gone(before, folded.summary["items"]), folded.summary, known)
        folded.summary = pinned(folded.summary, lost, budget=sizes.pins)
        folded.summary = {**folded.summary, "through": summary["through"] + len(exchanges)}
        return folded

    def pass_over(
        self, summary: Summary, exchanges: Sequence[Exchange], known: Sequence[str] = ()
    ) -> Folded:
        """`summary` with only the values of `exchanges` pinned: what a model will not fold."""
        numbered = dict(enumerate(exchanges, summary["through"] + 1))
        finds = audit({turn: spoken(e) for turn, e in numbered.items()}, summary, known)
        kept = pinned(summary, finds, budget=self.sizes().pins)
        through = summary["through"] + len(exchanges)
        passed = [f"passed over: turn {turn}" for turn in numbered]
        return Folded({**kept, "through": through}, dropped=passed, finds=finds, pinned=finds)

    async def _ask(
        self, request: list[BaseMessage], spent: Spent, schema: dict[str, Any] | None = None
    ) -> Changes:
        return await ask_for(
            Changes,
            await self.models.summarisers(),
            request,
            seconds=self.seconds(),
            schema=schema,
            spent=spent,
        )

    async def _ask_again(self, folded: Folded, texts: Mapping[int, str], sizes: Sizes) -> None:
        """Asks for what the audit found. What comes of it is a gain, so no answer is no failure."""
        holding = {find.turn: texts[find.turn] for find in folded.finds}
        for piece in pieces(holding, sizes.piece):
            turns = {turn for turn, _ in piece}
            wanted = [find for find in folded.finds if find.turn in turns]
            finds = _first_within(wanted, sizes.piece // _FINDS_SHARE)
            request = again_request(folded.summary, [text for _, text in piece], finds)
            try:
                changes = await self._ask(request, folded.spent)
            except Malformed as error:
                folded.dropped.append(f"not noted later: {error}")
                continue
            self._take(folded, changes, {turn: texts[turn] for turn in turns})

    def _take(self, folded: Folded, changes: Changes, texts: Mapping[int, str]) -> None:
        checked = check(changes, folded.summary, texts)
        folded.summary = applied(folded.summary, checked.changes)
        folded.dropped += checked.dropped

    async def _condense(self, folded: Folded, budget: int) -> None:
        """Says the oldest half of what happened in fewer words, while the summary is too long.

        A model that does not shorten it is not asked forever: then the oldest go, one by one.
        They stand in the transcript. What was decided and what is open never goes.
        """
        for _ in range(_CONDENSE_TRIES):
            oldest = oldest_happened(folded.summary)
            if item_tokens(folded.summary["items"]) <= budget or len(oldest) < 2:
                break
            try:
                changes = await self._ask(condense_request(oldest), folded.spent)
            except Malformed as error:
                folded.dropped.append(f"not condensed: {error}")
                break
            shorter = condensed(folded.summary, oldest, changes)
            if item_tokens(shorter["items"]) >= item_tokens(folded.summary["items"]):
                break
            folded.summary = shorter
        folded.summary, gone = within(folded.summary, budget)
        folded.dropped += [f"no room: {shown(item)}" for item in gone]


def _gone(before: Sequence[SummaryItem], after: Sequence[SummaryItem]) -> dict[int, str]:
    """The words of the items that are there no more, by the turn that they came from."""
    there = {item["id"] for item in after}
    gone = [item for item in before if item["id"] not in there]
    by_turn = groupby(sorted(gone, key=_turn), key=_turn)
    return {turn: "\n".join(item["text"] for item in items) for turn, items in by_turn}


def _turn(item: SummaryItem) -> int:
    return min(item["turns"], default=0)


def _first_within(finds: Sequence[Find], tokens: int) -> list[Find]:
    """The first of `finds` that `tokens` have room for."""
    sizes = accumulate(count_text(find.value) + count_text(find.words) for find in finds)
    return [find for find, size in zip(finds, sizes, strict=True) if size <= tokens]


def pieces(texts: Mapping[int, str], most: int) -> list[list[tuple[int, str]]]:
    """Numbered texts in requests of at most `most` tokens each; a longer text is split, not cut."""
    parts = [(turn, part) for turn, text in texts.items() for part in _split(text, most)]
    grouped: list[list[tuple[int, str]]] = []
    room = 0
    for turn, part in parts:
        tokens = count_text(part)
        if not grouped or tokens > room:
            grouped.append([])
            room = most
        grouped[-1].append((turn, part))
        room -= tokens
    return grouped


def _split(text: str, most: int) -> list[str]:
    if count_text(text) <= most:
        return [text]
    half = len(text) // 2
    space = text.find(" ", half)
    at = space if half <= space < half + 200 else half
    return _split(text[:at], most) + _split(text[at:], most)
