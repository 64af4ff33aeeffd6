"""Taking a forgotten fact out of all that the store holds of a thread, or of a user."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp

from memory import names, whole
from memory.facts import log_key
from memory.spilled import Spilled, spill, spilled_key, without_keys
from memory.transcript import Row
from state.facts import Fact
from state.forgetting import anything_without, fact_without
from state.redaction import MARK, Redactor
from state.session import RowKey

_PLACE = len(names.THREADS) + 1
"""Which label of a namespace names the place, below threads and below users alike."""
_WORDLESS = frozenset({"images", "leases", "counts", "owner", "fact-words", "threads"})
_FACT = frozenset({"kind", "value", "turn", "quote"})
_DERIVED = frozenset({names.RESULT, names.DRAFT, names.FAILURES})
"""What is made again from the words by itself."""


@dataclass
class Redacted:
    """What changed, or would change."""

    places: Counter[str] = field(default_factory=Counter)
    """By place, such as `transcript`: how many items held it."""
    rows: list[tuple[RowKey, Row]] = field(default_factory=list)
    """The rows of the transcript that changed, as they are now."""

    @property
    def count(self) -> int:
        """How many items."""
        return self.places.total()


async def redact(
    store: BaseStore, space: tuple[str, ...], redactor: Redactor, *, look: bool = False
) -> Redacted:
    """Redacts every item below `space`, which is a thread's or a user's; `look`: only looks.

    Safe to repeat.
    """
    found, ops = Redacted(), list[Op]()
    gone: list[str] = []
    anew: list[Fact] = []
    items = await whole.items(store, space)
    # Not on the event loop: a long conversation has megabytes of words.
    for item, after in await asyncio.to_thread(_changes, items, redactor):
        place = item.namespace[_PLACE]
        found.places[place] += 1
        ops += _writing(place, item, after)
        if place == "transcript":
            row = RowKey(thread=names.decoded(space[_PLACE - 1]), key=item.key)
            found.rows.append((row, cast("Row", after)))
        if place == "facts" and (after is None or spilled_key(after["fact"]) != item.key):
            gone.append(item.key)
            anew += [after["fact"]] if after is not None and not after["back"] else []
    if ops and not look:
        # First of all what leads to them: who dies after that finds them again.
        if gone:
            await without_keys(store, names.decoded(space[_PLACE - 1]), gone)
        await store.abatch(ops)
        await spill(store, names.decoded(space[_PLACE - 1]), anew, turn=0)
    return found


def _changes(items: Sequence[Item], redactor: Redactor) -> list[tuple[Item, dict[str, Any] | None]]:
    """The items that hold it, and what is left of each."""
    changed = []
    for item in items:
        place = item.namespace[_PLACE]
        if place not in _WORDLESS:
            after = item_without(place, item.key, item.value, redactor)
            if after != item.value:
                changed.append((item, after))
    return changed


async def redact_rows(
    store: BaseStore, rows: Sequence[RowKey], redactor: Redactor, *, look: bool = False
) -> Redacted:
    """The same for single rows of other threads' transcripts."""
    found = Redacted()
    places = [GetOp(names.transcript(row["thread"]), row["key"]) for row in rows]
    items = [item for item in await store.abatch(places) if isinstance(item, Item)]
    ops: list[Op] = []
    for item, after in await asyncio.to_thread(_changes, items, redactor):
        found.places["transcript"] += 1
        thread = names.decoded(item.namespace[_PLACE - 1])
        found.rows.append((RowKey(thread=thread, key=item.key), cast("Row", after)))
        ops += _writing("transcript", item, after)
    if ops and not look:
        await store.abatch(ops)
    return found


def item_without(
    place: str, key: str, value: dict[str, Any], redactor: Redactor
) -> dict[str, Any] | None:
    """What is left of an item; None when it goes."""
    if any(redactor.is_it(fact["kind"], fact["value"]) for fact in facts_in(value)):
        return None if place != "fact-log" else _log_row(value, redactor)
    match place:
        case "transcript":
            near = redactor.is_near(value["turn"])
            messages = anything_without(value["messages"], redactor, near=near)
            return {**value, "messages": messages}
        case "fact-log":
            return _log_row(value, redactor)
        case "facts":
            fact = fact_without(value["fact"], redactor)
            return None if fact is None else {**value, "fact": fact}
        case "log":
            first, last = value["turns"]
            near = redactor.is_near(*range(first, last + 1))
            return cast("dict[str, Any]", anything_without(value, redactor, near=near))
        case _:
            after = anything_without(value, redactor)
            return None if after != value and key in _DERIVED else after


def facts_in(value: dict[str, Any]) -> Iterator[Fact]:
    """The facts that an item is about: a log's row, one set by hand, or one of the profile."""
    change = value.get("change")
    for each in (value, value.get("fact"), change.get("fact") if isinstance(change, dict) else 0):
        if isinstance(each, dict) and each.keys() >= _FACT:
            yield cast("Fact", each)


def _log_row(row: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    """What happened, without the value."""
    after = cast("dict[str, Any]", anything_without(row, redactor))
    for name in ("value", "before"):
        if redactor.is_it(row["kind"], row[name]):
            after[name] = MARK
    return after


def _writing(place: str, item: Item, after: dict[str, Any] | None) -> list[Op]:
    if after is None:
        return [PutOp(item.namespace, item.key, None)]
    key = item.key
    if place == "fact-log":
        key = log_key(after)
    elif place == "facts":
        key = spilled_key(cast("Spilled", after)["fact"])
    put = PutOp(item.namespace, key, after, index=False)
    return [put] if key == item.key else [put, PutOp(item.namespace, item.key, None)]
