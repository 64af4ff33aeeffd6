"""Finding personal data in what was said: by form, and names by their capitals and by facts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.recall.function_words import FUNCTION_WORDS
from state.catalogue import CATALOGUE
from state.secrets import secrets
from state.wording import found_names

Sort = Literal["card", "e-mail", "link", "phone", "number"]
"""How a find is replaced; a number may hold letters."""

_STREETS = (
    "street|st|road|rd|avenue|ave|lane|ln|drive|row|close|court|square|place|hill|terrace|gardens|"
    "crescent|way|boulevard|blvd"
)
_DATE = r"\d{4}-\d{2}-\d{2}(?!\w)|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}(?!\w)"
_YEAR = r"(?:19|20)\d\d(?!\d)"
_MONEY = r"[€$£¥]|EUR|USD|GBP|euros?\b|dollars?\b|pounds?\b"
_ACCOUNT = r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?"
_FIRST: tuple[tuple[Sort, str], ...] = (
    ("link", r"https?://[^\s<>\"')\]]+|(?<![\w@.])www\.[^\s<>\"')\]]+"),
    ("e-mail", r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"),
    ("number", rf"(?<!\w){_ACCOUNT}(?!\w)"),
)
_FORMS: tuple[tuple[Sort, str], ...] = (
    ("phone", r"(?<![\w+.,-])(?:\+|\(?0)\d(?:[ ()/-]{0,2}\d){6,14}(?!\w)"),
    # A postcode of two words, a number with dashes, one with letters, one of four digits or more.
    ("number", r"(?<!\w)[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}(?!\w)"),
    ("number", rf"(?<![\w/-])(?!{_DATE})\d{{2,8}}(?:[-/]\d{{2,8}}){{1,4}}(?![\w/-])"),
    ("number", r"(?<![\w-])(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[^\W_][\w-]{3,40}(?![\w-])"),
    ("number", rf"(?<![\w.,€$£¥-])(?!{_YEAR})\d{{4,40}}(?!\w|[.,]\d|\s?(?:{_MONEY}))"),
)
_HOUSE = re.compile(
    rf"(?<![\w.,])(\d{{1,5}}[a-z]?)(?=,? (?:[A-Z][\w'’-]+ ){{1,3}}(?:{_STREETS})\b)"  # noqa: RUF001
    r"|(?:\w*(?:straße|strasse|str\.|gasse|allee|platz|weg|laan|straat)|(?:[Cc]alle|[Rr]ue|[Vv]ia|"
    r"[Rr]ua|[Aa]venida|[Pp]laza|[Pp]lace) (?:\w+ ){0,2}\w+),? (\d{1,5}[a-z]?)(?!\w)",
    re.IGNORECASE,
)
_STREET_NAMES = re.compile(
    rf"(?<!\w)\d{{1,5}}[a-z]?,? ((?:[A-Z][\w'’-]+ ){{1,3}})(?i:{_STREETS})\b"  # noqa: RUF001
    r"|(?<!\w)([A-ZÄÖÜ]\w+(?:straße|strasse|str\.|gasse|allee|platz|weg|laan|straat))(?!\w)"
    r"|(?<![\w.,])\d{4,5} ([A-ZÄÖÜ]\w+)"
)
_INTRODUCED = re.compile(
    r"(?<!\w)(?:(?i:my name is|name's|i am|i'm|this is|call me|ich heiße|mein name ist|me llamo|"
    r"mi nombre es|je m'appelle|mi chiamo|meu nome é|chamo-me|herrn?|frau|familie|señora?|madame|"
    r"monsieur|signora?|mrs?|ms|miss|dr|prof|dear|hi|hello|hallo|liebe[r]?)\.?)\s+"
    r"((?:[A-ZÄÖÜÀ-ÞА-ЯЁ][\w'’-]+[ ]?){1,3})"  # noqa: RUF001
)
_SIGNED = re.compile(r"\n[ \t]*((?:[A-ZÄÖÜÀ-Þ][\w'’-]+[ ]?){1,3})\s*\Z")  # noqa: RUF001
_BEGINS = re.compile(r"(?:^|[.!?:\n\"] ?)([A-ZÄÖÜÀ-Þ]\w{2,})")
_UNIT = re.compile(
    r"\d{1,4}(?:st|nd|rd|th|am|pm|ml|cl|kg|km|cm|mm|gb|mb|tb|px|min|hrs?|h|x|eur|kwh|mg|\w{0,2}°?c)"
    r"|\d{1,3}(?:-[a-z]+)+|[a-z]{4,}-?\d{1,2}",
    re.IGNORECASE,
)
_NO_NAMES = frozenset(
    re.findall(
        r"\w+",
        "monday tuesday wednesday thursday friday saturday sunday january february march april may"
        " june july august september october november december montag dienstag mittwoch donnerstag"
        " freitag samstag sonntag januar februar märz mai juni juli oktober dezember lunes martes"
        " miércoles jueves viernes sábado domingo lundi mardi mercredi jeudi vendredi samedi"
        " dimanche mr mrs ms dr miss herr frau sir madam christmas easter english german french"
        " spanish italian internet hello hi hey dear thanks yes no ok okay please sorry great good"
        " sure street st road rd avenue ave lane ln drive",
    )
)


@dataclass(frozen=True)
class Find:
    """Personal data in a text."""

    start: int
    end: int
    sort: Sort


def finds(text: str) -> list[Find]:
    """What has the form of personal data, in order; none overlap."""
    taken = bytearray(len(text))
    found: list[Find] = []
    for start, end, sort in _spans(text):
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            found.append(Find(start, end, sort))
    return sorted(found, key=lambda find: find.start)


def called(texts: Iterable[str]) -> set[str]:
    """The single words of names in `texts`: of people, places, streets and things."""
    words = {word for text in texts for name in _names(text) for word in name.split()}
    return {word for word in words if _is_name(word)}


def doubtful(texts: Sequence[str]) -> list[str]:
    """Words that stand at the beginning of sentences alone, with a capital: some may be names."""
    whole = "\n".join(texts)
    small = set(re.findall(r"(?<!\w)[^\W\d_A-Z]\w*", whole))
    first = dict.fromkeys(match[1] for match in _BEGINS.finditer(whole))
    return [word for word in first if _is_name(word) and word.lower() not in small]


def named_in(value: str) -> set[str]:
    """The words of `value`, which is a name or an address, that name somebody or some place."""
    words = re.findall(r"[^\W\d_][^\s,;.]*", value)
    return {word for word in words if not word.islower() and _is_name(word)}


def _spans(text: str) -> Iterator[tuple[int, int, Sort]]:
    for secret in secrets(text):
        digits = sum(sign.isdigit() for sign in secret)
        for match in re.finditer(re.escape(secret), text):
            yield (*match.span(), "card" if digits >= 12 else "number")
    kinds = [(_sort(kind.key), kind.pattern) for kind in CATALOGUE if kind.pattern]
    for sort, form in (*_FIRST, *kinds, *_FORMS):
        for match in re.finditer(form, text):
            if not (sort == "number" and _UNIT.fullmatch(match[0])):
                yield (*match.span(), sort)
    for match in _HOUSE.finditer(text):
        yield (*match.span(match.lastindex or 0), "number")


def _sort(kind: str) -> Sort:
    return {"email": "e-mail", "phone": "phone"}.get(kind, "number")  # type: ignore[return-value]


def _names(text: str) -> Iterator[str]:
    yield from (name for name, _ in found_names(text))
    for form in (_INTRODUCED, _SIGNED, _STREET_NAMES):
        yield from (match[match.lastindex or 0] for match in form.finditer(text))


def _is_name(word: str) -> bool:
    small = word.casefold()
    short_form = word.isascii() and word.isupper() and len(word) < 5
    letters = len(word) > 1 and word[1] != "-"
    return letters and not (short_form or small in _NO_NAMES or small in FUNCTION_WORDS)
