"""The facts that have no room in the state: an item each in the store, found by their words.

Each word has an item that lists the facts which hold it, so that a turn reads as much of ten
thousand facts as of ten.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp
from typing_extensions import TypedDict

from memory import names, whole
from state.fact_budget import words_in, words_of
from state.facts import Fact

_MOST_WORDS = 400
"""Words of a message that are looked up."""
_PER_WORD = 32
"""Facts that a word leads to, those that were put there last: a word of more tells little."""
_MOST_FOUND = 32
"""Facts that are read for a message: those that share the most, and the rarest, words with it."""


class Spilled(TypedDict):
    """A fact that the state of a thread had no room for."""

    fact: Fact
    back: int
    """The turn at which the state took it back, or ended it; 0 while it stands here."""


async def spill(
    store: BaseStore, thread: str, facts: Iterable[Fact], *, back: Iterable[Fact] = (), turn: int
) -> None:
    """Keeps `facts` for `thread`; those that its state took `back` at `turn` stand here no more.

    They are marked, not deleted: a fork from before that turn, or that turn run once more, still
    needs them. Safe to repeat.
    """
    items = {spilled_key(f): Spilled(fact=f, back=turn) for f in back}
    items |= {spilled_key(f): Spilled(fact=f, back=0) for f in facts}
    if not items:
        return
    space = names.spilled(thread)
    puts = [PutOp(space, key, cast("dict[str, Any]", item), False) for key, item in items.items()]
    standing = {key: item["fact"] for key, item in items.items() if not item["back"]}
    await store.abatch([*puts, *await _listed(store, thread, standing)])


async def find(store: BaseStore, threads: Sequence[str], text: str, *, through: int) -> list[Fact]:
    """The facts that share words with `text`, as they stood after turn `through`.

    `threads` are the one that asks and those that it is a copy of, the nearest first.
    """
    words = [_digest(word) for word in _telling(text)]
    lists = await _read(store, [(names.spilled_words(t), word) for t in threads for word in words])
    held = [each["facts"] for each in lists if each]
    worth: defaultdict[str, float] = defaultdict(float)
    for facts in held:
        for key in facts:
            worth[key] += 1 / len(facts)
    keys = sorted(worth, key=lambda key: -worth[key])[:_MOST_FOUND]
    items = await _read(store, [(names.spilled(t), key) for t in threads for key in keys])
    nearest: dict[str, Spilled] = {}
    for key, item in zip([*keys] * len(threads), items, strict=True):
        if item is not None and key not in nearest and item["fact"]["turn"] <= through:
            nearest[key] = cast("Spilled", item)
    return [s["fact"] for s in nearest.values() if not 0 < s["back"] <= through]


async def standing(store: BaseStore, threads: Sequence[str], *, through: int) -> list[Fact]:
    """All of them, as they stood after turn `through`; `threads` as for `find`."""
    nearest: dict[str, Spilled] = {}
    for thread in threads:
        for item in await whole.items(store, names.spilled(thread)):
            if item.value["fact"]["turn"] <= through:
                nearest.setdefault(item.key, cast("Spilled", item.value))
    return [s["fact"] for s in nearest.values() if not 0 < s["back"] <= through]


async def without_keys(store: BaseStore, thread: str, gone: Sequence[str]) -> None:
    """Takes facts that are gone, by their keys, out of the lists of words."""
    ops: list[Op] = []
    for item in await whole.items(store, names.spilled_words(thread)):
        left = [key for key in item.value["facts"] if key not in gone]
        if left != item.value["facts"]:
            value = {"facts": left} if left else None
            ops.append(PutOp(item.namespace, item.key, value, index=False))
    if ops:
        await store.abatch(ops)


async def _listed(store: BaseStore, thread: str, facts: Mapping[str, Fact]) -> list[Op]:
    """What puts `facts`, by their keys, at the head of the list of each of their words."""
    by_word: dict[str, list[str]] = {}
    for key, fact in facts.items():
        for word in sorted(words_of(fact)):
            by_word.setdefault(_digest(word), []).append(key)
    space = names.spilled_words(thread)
    before = await _read(store, [(space, word) for word in by_word])
    ops: list[Op] = []
    for (word, keys), item in zip(by_word.items(), before, strict=True):
        known = item["facts"] if item else []
        heads = [*dict.fromkeys([*reversed(keys), *known])][:_PER_WORD]
        if heads != known:
            ops.append(PutOp(space, word, {"facts": heads}, False))
    return ops


async def _read(
    store: BaseStore, places: Sequence[tuple[tuple[str, ...], str]]
) -> list[dict[str, Any] | None]:
    if not places:
        return []
    found = await store.abatch([GetOp(space, key) for space, key in places])
    return [item.value if isinstance(item, Item) else None for item in found]


def _telling(text: str) -> list[str]:
    """The words of `text`, or of a long one those that tell most: numbers, then long words."""
    words = sorted(words_in(text), key=lambda w: (any(c.isdigit() for c in w), len(w), w))
    return words[-_MOST_WORDS:]


def spilled_key(fact: Fact) -> str:
    """Key of a fact's item."""
    return _digest(f"{fact['kind']}\x1f{fact['value']}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
