"""What the routes under `/memory` take and give; the OpenAPI document is made of these."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from state.catalogue import Speaker
from state.facts import Found
from state.summary import Kind

Where = Literal["thread", "profile", "spilled"]
"""In the state of the thread; in the user's profile, from an earlier conversation; or in the
thread's part of the store, for want of room."""


class Failure(BaseModel):
    """Why a request was not done."""

    error: str
    field: str = Field("", description="The part of the request that is at fault, if one is.")


class Unsigned(BaseModel):
    """Why a request was not let in: as on LangGraph Server's own routes."""

    detail: str


class NewValue(BaseModel):
    """The value of a fact, as its owner writes it."""

    model_config = ConfigDict(extra="forbid")

    value: str = Field(max_length=400)


class NewFact(NewValue):
    """A fact that its owner sets."""

    kind: str = Field(description="A kind of the catalogue.", max_length=40)


class FactEvent(BaseModel):
    """One thing that happened to a fact."""

    at: str = Field(description="When: ISO 8601.")
    event: str = Field(description="stated, changed, retracted, corrected by hand, ...")
    value: str
    before: str = Field(description="The value that stood before; empty when none did.")
    turn: int
    by: str = Field(description="user, assistant, or empty.")
    quote: str = Field(description="The words that say so; empty for what was set by hand.")


class MemoryFact(BaseModel):
    """A fact that stands."""

    id: str = Field(description="The same for the same kind and value.")
    kind: str
    says: str = Field(description="What the kind means.")
    value: str
    turn: int = Field(description="The turn that stated it; 0 for an earlier conversation.")
    said: str = Field(description="The date it was said: YYYY-MM-DD.")
    about: str = Field(description="The date it speaks of; empty when it names none.")
    quote: str = Field(description="The words that state it; empty for what was set by hand.")
    by: Speaker
    was: str = Field(description="The value that it replaced; empty when none.")
    found: Found = Field(description="Who found it: a model, a pattern, or somebody by hand.")
    where: Where
    lasts: bool = Field(description="Whether the kind outlives the conversation.")
    thread: str = Field(description="The conversation that stated it; empty: the host did.")
    history: list[FactEvent]


class FactKind(BaseModel):
    """A kind of the catalogue."""

    kind: str
    says: str
    many: bool = Field(description="Whether values collect; else the newest one stands.")
    lasts: bool
    by: Speaker


class ThreadFacts(BaseModel):
    """The facts of a conversation, in the order of the catalogue."""

    thread: str
    facts: list[MemoryFact]
    kinds: list[FactKind]


class Profile(BaseModel):
    """What outlives the conversations of a user."""

    user: str
    facts: list[MemoryFact]
    kinds: list[FactKind]


class Changed(BaseModel):
    """A fact as it stands after a change."""

    fact: MemoryFact


class Item(BaseModel):
    """One item of a summary."""

    id: int
    kind: Kind
    text: str
    turns: list[int]


class PinnedWords(BaseModel):
    """A value that the summary left out, kept as it was said."""

    value: str
    turn: int
    words: str


class SummaryView(BaseModel):
    """What left the window."""

    through: int = Field(description="The last turn that it covers; 0: nothing left the window.")
    items: list[Item]
    pins: list[PinnedWords]


class RequestView(BaseModel):
    """What a request would hold now, before anything new is said."""

    layers: dict[str, int] = Field(
        description="Tokens of persona, summary, facts, window, recalled, now (the newest exchange"
        " with its late context), tools and reply (room kept for it)."
    )
    tokens: int = Field(description="All of it.")
    limit: int = Field(description="LONGHAUL_HARD_LIMIT.")
    left_out: int = Field(description="Exchanges of the window that there is no room for.")


class TurnTokens(BaseModel):
    """What the provider counted for the replies of one turn."""

    turn: int
    input: int
    output: int


class PassageView(BaseModel):
    """An exchange that was recalled."""

    thread: str
    turn: int
    at: str
    user: str
    assistant: str
    score: float
    why: str
    note: str = Field(description="What was said later of a fact that it states.")
    elsewhere: bool = Field(description="Whether it is of another conversation of the user.")


class RecalledView(BaseModel):
    """What was searched for the last reply, and found."""

    searched: bool
    reason: str
    passages: list[PassageView]
    trouble: str


class Overview(BaseModel):
    """A conversation's memory at a glance."""

    thread: str
    turn: int
    at: str = Field(description="When the newest exchange began.")
    memory_version: int = Field(description="Raised by every compaction.")
    extracted_through: int = Field(description="The last turn that facts were taken from.")
    archived_through: int
    window_from: int = Field(description="The first turn that is still sent verbatim.")
    summary: SummaryView
    request: RequestView
    tokens: list[TurnTokens] = Field(description="Of the newest turns, oldest first.")
    recalled: RecalledView | None


class ToolUse(BaseModel):
    """A tool that was called in an exchange."""

    name: str
    args: dict[str, Any]
    result: str = Field(description="Empty while there is none.")


class Words(BaseModel):
    """What one side said in one message."""

    id: str
    role: Literal["user", "assistant"]
    by: str = Field(description="The person who replied instead of the bot; empty: nobody.")
    text: str
    cut: str = Field(description="Why the reply is not whole, as in stopped; empty: it is.")
    images: int
    tools: list[ToolUse]


class ExchangeView(BaseModel):
    """One turn, as it was said."""

    turn: int
    at: str
    tokens: TurnTokens | None = Field(description="None where the provider did not count.")
    words: list[Words]


class TranscriptPage(BaseModel):
    """Some turns, oldest first."""

    thread: str
    exchanges: list[ExchangeView]
    before: int = Field(description="What to ask for next; 0: these are the first turns.")


class ThreadExport(BaseModel):
    """All that is kept of a conversation."""

    thread: str
    overview: Overview
    facts: list[MemoryFact]
    log: list[dict[str, Any]] = Field(description="What happened to its facts, in order.")
    transcript: list[ExchangeView]
    edited: list[ExchangeView] = Field(description="Turns that an edit or a fork left behind.")
    images: dict[str, str] = Field(description="As data URLs, by the SHA-256 of their bytes.")
    more: dict[str, list[dict[str, Any]]] = Field(
        description="All else that is kept of it, by place: compactions, actions, counts."
    )


class Export(BaseModel):
    """All that is kept of a user, to take along. `schema_version` is raised when a field goes."""

    schema_version: Literal[1] = 1
    exported_at: str
    user: str
    profile: list[MemoryFact]
    threads: list[ThreadExport]


Count = Annotated[int, Field(ge=1, le=100)]
Turn = Annotated[int, Field(ge=0, le=2**31 - 1)]
UserName = Annotated[str, Field(max_length=200)]
