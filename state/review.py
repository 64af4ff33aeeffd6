"""The log of a thread's memory, made readable: an entry for each thing that happened."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

PATTERN = "by pattern"
"""How the event of a fact ends that a pattern caught and the model had missed."""
PINNED = "audit pin"
PASSED = "passed over"
_FACT = ("event", "kind", "value", "before", "by", "reason", "quote")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing that happened to the memory of a thread."""

    week: str
    """ISO week of `at`, such as 2026-W49."""
    at: str
    """When: ISO 8601, UTC."""
    thread: str
    turn: int
    event: str
    """What: stated, changed, rejected, ...; for a compaction: dropped, audit find, audit pin."""
    kind: str = ""
    value: str = ""
    before: str = ""
    by: str = ""
    reason: str = ""
    quote: str = ""

    @property
    def missed(self) -> bool:
        """Whether a model overlooked it, by all appearances: a pattern or an audit had to help."""
        return self.event == PINNED or self.event.endswith(PATTERN)


def week_of(at: str) -> str:
    """The ISO week of a moment."""
    year, week, _ = datetime.fromisoformat(at).astimezone(UTC).isocalendar()
    return f"{year}-W{week:02d}"


def of_fact(thread: str, row: Mapping[str, Any]) -> Entry:
    """A row of the log of facts."""
    told = {name: str(row[name]) for name in _FACT if name in row}
    if told.get("reason", "").startswith(PASSED):
        told["event"] = PASSED
    at = str(row["at"])
    return Entry(week=week_of(at), at=at, thread=thread, turn=row["turn"], **told)


def of_compaction(thread: str, row: Mapping[str, Any]) -> Iterator[Entry]:
    """What a compaction dropped and missed; its own entry comes first."""
    at, (first, last) = str(row["at"]), row["turns"]

    def entry(event: str, **more: str) -> Entry:
        return Entry(week=week_of(at), at=at, thread=thread, turn=last, event=event, **more)

    yield entry("compaction", value=f"turns {first}-{last}")
    for dropped in row["dropped"]:
        reason, _, value = dropped.partition(": ")
        yield entry(PASSED if reason == PASSED else "dropped", reason=reason, value=value or reason)
    pinned = row["pinned"]
    for find in row["missed_at_first"]:
        if find not in pinned:
            yield entry("audit find", value=find, reason="noted when asked once more")
    for find in pinned:
        yield entry(PINNED, value=find)
