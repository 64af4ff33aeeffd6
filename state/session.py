"""The state of one conversation: plain JSON values and messages, nothing of ours by name."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from state.counts import Counts
from state.facts import Fact, Facts
from state.messages import merge_messages
from state.recalled import Recalled
from state.summary import Summary
from state.tombstones import Tombstones
from state.usage import ModelUsage

SCHEMA_VERSION = 2


class RowKey(TypedDict):
    """Where a row of the transcript stands: a copied thread names its parent's rows."""

    thread: str
    key: str


class Trail(TypedDict):
    """The newest row of this branch's transcript, from which every earlier one is found."""

    last: RowKey
    block: RowKey | None
    """The last row of the block before it."""


class Held(TypedDict):
    """A person has the thread."""

    call: str
    """Id of the tool call that gave it to them."""
    reason: str
    turn: int
    """The exchange in which they got it."""


def newest(_: Held | None, update: Held | None) -> Held | None:
    """The reducer of `person`: of two calls in one batch either will do."""
    return update


class SessionInput(TypedDict):
    """All that a client may send: new user messages."""

    messages: Annotated[list[AnyMessage], merge_messages]


class SessionState(TypedDict, total=False):
    """What a checkpoint holds. Fields are only ever added; a retired one stays declared."""

    messages: Annotated[list[AnyMessage], merge_messages]
    """The recent window, verbatim: consecutive exchanges that end with exchange `turn`."""
    turn: int
    """Number of the newest exchange, from 1."""
    at: str
    """When the newest exchange began: ISO 8601 with an offset."""
    summary: Summary
    """What left the window."""
    archived_through: int
    """The last turn that stands in the transcript."""
    transcript: Trail
    """Where that turn's row is."""
    memory_version: int
    """Raised by every compaction that was applied."""
    facts: Facts
    """By kind: what stands now, within its budget; the rest is in the store."""
    ended: list[Fact]
    """What stood until turn `extracted_through`: it stands again when that turn is edited."""
    spilled: bool
    """Retired: `spilled_in` says it."""
    spilled_in: list[str]
    """The threads in whose part of the store facts are, for want of room: this one, then those
    that it is a copy of."""
    pinned: Facts
    """The facts as they were at the last compaction: what the system message shows."""
    by_hand_through: str
    """Time of the last change by hand that is in the facts: ISO 8601."""
    extracted_through: int
    """The last turn that the facts were taken from."""
    extraction_refused: int
    """How often in a row a model would not read the next turns."""
    forgotten: Tombstones
    """What was forgotten by hand: it is not taken again from the turns up to then."""
    person: Annotated[Held | None, newest]
    """Who has the thread instead of the bot."""
    recalled: Recalled
    """What was searched for the newest message, and found: kept through its tool calls."""
    usage: dict[str, ModelUsage]
    """By model name."""
    counts: Counts
    """What was counted of this thread, by release."""
    schema_version: int
    """The version of this layout that the thread was last written in."""
    last_seen: float | None
    """Retired in version 2 (seconds since 1970): `at` says it."""


class SessionUpdate(SessionState, total=False):
    """What a node returns: the fields that it changes."""
