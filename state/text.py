"""Cleaning text where it enters, so that every store can hold it."""

import math
import re
from collections.abc import Iterable

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

MAX_ID = 200
"""Longest id accepted for a thread or a message, in characters."""

MAX_DEPTH = 100
"""How deep lists and objects may nest in what comes in: no reader of it may run out of stack."""

_INTEGER_BITS = 63


def clean(text: str) -> str:
    """`text` without NUL and lone surrogates, which Postgres and UTF-8 refuse.

    Two surrogates that make a character become it: a stream can cut between them.
    """
    if not _UNSTORABLE.search(text):
        return text
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return whole.replace("\x00", "")


def clean_json(value: object) -> object:
    """`value` (plain JSON) with every string cleaned, keys included.

    A number that no store can hold becomes text (a whole one of more than 64 bits) or null (NaN).
    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int) and value.bit_length() > _INTEGER_BITS:
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value


def too_deep(value: object) -> bool:
    """Whether lists and objects in `value` (plain JSON) nest deeper than MAX_DEPTH."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [item for each in level for item in _inside(each)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def storable_id(text: str) -> bool:
    """Whether `text` can be a thread's or a message's id: printable, neither empty nor too long."""
    return 0 < len(text) <= MAX_ID and text.isprintable() and not _UNSTORABLE.search(text)
