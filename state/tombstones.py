"""Knowing a forgotten value again without keeping it: salted digests, slow to guess from."""

import hashlib
from collections.abc import Iterable, Sequence

from typing_extensions import TypedDict

from state.fact_check import Rejected
from state.facts import Change
from state.redaction import MARK
from state.wording import folded

_MOST = 32
"""Values of a thread that are known again: the state is bounded, and the newest matter."""
_WORK, _BLOCK = 2**12, 8
"""Of scrypt: some 10 ms a digest, so that trying out all order numbers takes months."""


class Tombstone(TypedDict):
    """A value that was forgotten."""

    digest: str
    through: int
    """The last turn that it is not taken from: said later, it is a new statement."""


class Tombstones(TypedDict):
    """What was forgotten in a thread."""

    salt: str
    """Hexadecimal; the thread's own."""
    count: int
    """How often something was forgotten: what was read before has to be read anew."""
    stones: list[Tombstone]


NONE = Tombstones(salt="", count=0, stones=[])


def buried(before: Tombstones, value: str, *, through: int, salt: str) -> Tombstones:
    """`before` and `value`, which no turn up to `through` states any more.

    `salt` is that of a thread in which nothing was forgotten before. Slow.
    """
    chosen = before["salt"] or salt
    stone = Tombstone(digest=_digest(value, chosen), through=through)
    others = [each for each in before["stones"] if each["digest"] != stone["digest"]]
    return Tombstones(salt=chosen, count=before["count"] + 1, stones=[*others, stone][-_MOST:])


def is_buried(tombstones: Tombstones, value: str, turn: int) -> bool:
    """Whether `value`, as said in `turn`, was forgotten. Slow, where anything was."""
    known = {s["digest"] for s in tombstones["stones"] if turn <= s["through"]}
    return bool(known) and _digest(value, tombstones["salt"]) in known


def unburied(changes: Iterable[Change], tombstones: Tombstones) -> list[Change]:
    """`changes` without those of a forgotten value, or of what stands in its place."""
    return [
        change
        for change in changes
        if _may_be_kept(tombstones, change["fact"]["value"], change["fact"]["turn"])
    ]


def tellable(rejected: Sequence[Rejected], tombstones: Tombstones) -> list[Rejected]:
    """Those of `rejected` that may be logged: what was not said is no new statement."""
    return [r for r in rejected if _may_be_kept(tombstones, r.operation.value, turn=0)]


def _may_be_kept(tombstones: Tombstones, value: str, turn: int) -> bool:
    return MARK not in value and not is_buried(tombstones, value, turn)


def _digest(value: str, salt: str) -> str:
    signs = "".join(sign for sign in folded(value) if sign.isalnum())
    made = hashlib.scrypt(
        signs.encode(), salt=bytes.fromhex(salt), n=_WORK, r=_BLOCK, p=1, dklen=16
    )
    return made.hex()
