"""The date that words speak of, resolved when they are said."""

from datetime import datetime
from zoneinfo import ZoneInfo

_LANGUAGES = ["en", "de", "es", "fr", "it", "pt", "nl", "pl", "tr", "ru", "ar", "ja", "zh", "ko"]
_DROPPED = ("by ", "until ", "before ", "on ", "am ", "bis ", "el ", "le ", "avant ", "para ")


def resolved(words: str, *, at: str, time_zone: str) -> str:
    """The date (YYYY-MM-DD) that `words` name, seen from `at` in the user's time zone; or empty.

    "Friday" is the coming one. Slow at its first call: not on an event loop.
    """
    if not words.strip() or not at:
        return ""
    import dateparser  # noqa: PLC0415 - most of a second, and most facts name no date

    base = datetime.fromisoformat(at).astimezone(ZoneInfo(time_zone)).replace(tzinfo=None)
    bare = words.strip()
    for prefix in _DROPPED:
        bare = bare[len(prefix) :] if bare.casefold().startswith(prefix) else bare
    settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": "future"}
    found = dateparser.parse(bare, languages=_LANGUAGES, settings=settings)
    return found.date().isoformat() if found else ""


def local_date(at: str, time_zone: str) -> str:
    """The date of the moment `at` in a time zone, as YYYY-MM-DD; empty when it is unknown."""
    if not at:
        return ""
    return datetime.fromisoformat(at).astimezone(ZoneInfo(time_zone)).date().isoformat()
