"""The date that words speak of, resolved when they are said."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

_LANGUAGES = ["en", "de", "es", "fr", "it", "pt", "nl", "pl", "tr", "ru", "ar", "ja", "zh", "ko"]
_BEFORE = re.compile(
    r"^(?:(?:by|until|till|before|on|this|next|the|coming|end of|am|bis|zum|vor|ab|diesen?|"
    r"nächsten?|kommenden?|el|la|hasta|para|antes del?|este|próximo|le|la|avant|jusqu'au|pour|ce|"
    r"entro|até|di|قبل|يوم|次の)\s*)+(?=\w)|\s+(?:prochaine?|próximo|que viene)$",
    re.IGNORECASE,
)
"""What stands around the name of a day and is not part of it."""
_BARE = re.compile(r"\W*(?:\w{1,4}|\d{1,2}[./-]\d{1,2})\W*")
"""A number, a month or a lone word that reads as one: no date that is sure."""
_DAY = re.compile(
    "hoy|hoje|oggi|غدا|明日|今日|明後日|明天|今天|后天|내일|오늘|[月火水木金土日]曜日?"
)


def resolved(words: str, *, at: str, time_zone: str) -> str:
    """The date (YYYY-MM-DD) that `words` name, seen from `at` in the user's time zone; or empty.

    "Friday" and "next Friday" are the coming one. What may be two dates, such as 4/5, is none.
    Slow at its first call: not on an event loop.
    """
    bare = words.strip(" .,;:!?\n")
    named = _BEFORE.sub("", bare)
    if not at or not _is_sure(named):
        return ""
    import dateparser  # noqa: PLC0415 - most of a second, and most facts name no date

    base = datetime.fromisoformat(at).astimezone(ZoneInfo(time_zone)).replace(tzinfo=None)
    settings = {"RELATIVE_BASE": base, "PREFER_DATES_FROM": "future"}
    for form in dict.fromkeys((bare, named)):
        found = dateparser.parse(form, languages=_LANGUAGES, settings=settings)
        if found is not None:
            return found.date().isoformat()
    return ""


def local_date(at: str, time_zone: str) -> str:
    """The date of the moment `at` in a time zone, as YYYY-MM-DD; empty when it is unknown."""
    if not at:
        return ""
    return datetime.fromisoformat(at).astimezone(ZoneInfo(time_zone)).date().isoformat()


def _is_sure(words: str) -> bool:
    return bool(words) and (_BARE.fullmatch(words) is None or _DAY.fullmatch(words) is not None)
