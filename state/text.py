"""Cleaning text where it enters, so that every store can hold it."""

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

MAX_ID = 200
"""Longest id accepted for a thread or a message, in characters."""


def clean(text: str) -> str:
    """`text` without NUL and lone surrogates, which Postgres and UTF-8 refuse."""
    return _UNSTORABLE.sub("", text)


def clean_json(value: object) -> object:
    """`value` (plain JSON) with every string cleaned, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value


def storable_id(text: str) -> bool:
    """Whether `text` can be a thread's or a message's id: printable, neither empty nor too long."""
    return 0 < len(text) <= MAX_ID and text.isprintable() and not _UNSTORABLE.search(text)
