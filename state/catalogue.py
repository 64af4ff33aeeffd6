"""The kinds of fact that this bot keeps. A fork edits this one file; all else follows from it."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Speaker = Literal["user", "assistant"]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of fact."""

    key: str
    says: str
    """What it is, for the extractor and for people."""
    many: bool = False
    """Whether values collect; else the newest one stands."""
    by: Speaker = "user"
    """Whose words state it."""
    exact: bool = False
    """Whether it is an identifier, copied character for character."""
    confirm: bool = False
    """Whether an action must confirm it first."""
    lasts: bool = False
    """Whether it outlives the session."""
    keep: bool = False
    """Whether it stays in every request, whatever the budget."""
    pattern: str | None = None
    """What it looks like, for the net that catches what a model missed."""
    choices: tuple[str, ...] = ()
    """The closed set of a judged kind's values."""

    @cached_property
    def form(self) -> re.Pattern[str] | None:
        """The pattern, compiled."""
        return re.compile(self.pattern) if self.pattern else None


CATALOGUE: tuple[Kind, ...] = (
    Kind(key="customer_name", says="the user's own name", lasts=True, keep=True),
    Kind(
        key="order_number",
        says="an order or parcel number",
        many=True,
        exact=True,
        pattern=r"(?<![\w-])LH\d{8}(?![\w-])",
    ),
    Kind(
        key="case_number",
        says="a return or ticket number that the assistant issued",
        many=True,
        by="assistant",
        exact=True,
        pattern=r"(?<![\w-])(?:RMA|TK)-\d{4,10}(?![\w-])",
    ),
    Kind(key="address", says="the user's postal address", confirm=True, lasts=True),
    Kind(
        key="email",
        says="the user's e-mail address",
        exact=True,
        lasts=True,
        pattern=r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+",
    ),
    Kind(
        key="phone",
        says="the user's phone number",
        exact=True,
        lasts=True,
        pattern=r"(?<![\w+])(?:\+|00)\d[\d ()/-]{6,18}\d(?!\w)",
    ),
    Kind(key="issue", says="what is wrong with an order or a parcel", many=True),
    Kind(key="deadline", says="a date by which the user needs something", many=True),
    Kind(key="budget", says="the most the user will spend"),
    Kind(
        key="must_not",
        says="an allergy, or something that must never be done or given",
        many=True,
        lasts=True,
        keep=True,
    ),
    Kind(key="preference", says="what the user likes or prefers", many=True, lasts=True),
    Kind(
        key="instruction",
        says="how the user wants to be served from now on",
        many=True,
        lasts=True,
        keep=True,
    ),
    Kind(
        key="promise",
        says="what the assistant promised to do, with its date",
        many=True,
        by="assistant",
        keep=True,
    ),
    Kind(
        key="refund",
        says="a refund that the assistant agreed to",
        many=True,
        by="assistant",
        confirm=True,
    ),
    Kind(
        key="mood",
        says="how the user feels about this, judged from their words",
        choices=("neutral", "frustrated", "urgent"),
    ),
    Kind(
        key="self",
        says="what the assistant said about itself or its own life",
        many=True,
        by="assistant",
        lasts=True,
    ),
    Kind(key="note", says="anything else worth remembering about the user", many=True),
)


def check_catalogue(kinds: tuple[Kind, ...]) -> dict[str, Kind]:
    """The kinds by key. Raises ValueError, naming the kind, when two share a key or one is odd."""
    by_key: dict[str, Kind] = {}
    for kind in kinds:
        if not re.fullmatch(r"[a-z][a-z_]{0,39}", kind.key):
            raise ValueError(f"kind {kind.key!r}: a key is a word of small letters and underscores")
        if kind.key in by_key:
            raise ValueError(f"kind {kind.key!r} is listed twice")
        if kind.choices and (kind.many or kind.exact or kind.pattern):
            raise ValueError(f"kind {kind.key!r}: a judged kind has one value, and no pattern")
        if kind.pattern is not None:
            try:
                re.compile(kind.pattern)
            except re.error as error:
                raise ValueError(f"kind {kind.key!r}: pattern {kind.pattern!r}: {error}") from None
        by_key[kind.key] = kind
    return by_key


KINDS = check_catalogue(CATALOGUE)
