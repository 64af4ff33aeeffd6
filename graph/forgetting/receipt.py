"""What a forgetting did, and what a check afterwards found."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from typing_extensions import TypedDict

What = Literal["fact", "thread", "user"]


class Receipt(TypedDict):
    """What was removed from where. No words of it are in here."""

    what: What
    id: str
    """Of the fact, the thread or the user."""
    threads: list[str]
    """The threads that were gone through."""
    at: str
    """When it was done: ISO 8601."""
    removed: dict[str, int]
    """By place, such as `checkpoints` or `transcript`: how many things held it and do no more."""
    found: dict[str, int]
    """By store, what a check afterwards found still holding it: 0 each, unless something fails."""
    waits: list[str]
    """What could not be reached, is without words, and will be redone by itself, with the cause."""
    left: list[str]
    """Where copies may be that this does not reach, such as the thread that this is a copy of."""


@dataclass(kw_only=True)
class Account:
    """A receipt as it is written."""

    what: What
    id: str
    threads: list[str] = field(default_factory=list)
    removed: Counter[str] = field(default_factory=Counter)
    found: dict[str, int] = field(default_factory=dict)
    waits: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether the check found nothing."""
        return not any(self.found.values())

    def add(self, part: "Account") -> None:
        """Takes over what another forgetting did that is a part of this one."""
        self.threads += part.threads
        self.removed += part.removed
        for place, count in part.found.items():
            self.found[place] = self.found.get(place, 0) + count
        self.waits += part.waits

    def receipt(self, at: str) -> Receipt:
        """The receipt, written `at` that time."""
        removed = {place: count for place, count in sorted(self.removed.items()) if count}
        return Receipt(
            what=self.what,
            id=self.id,
            threads=self.threads,
            at=at,
            removed=removed,
            found=self.found,
            waits=self.waits,
            left=self.left,
        )
