"""What the stand-in reads in the user's words: "My ... is ..." and "What is my ...?"."""

import re
from collections.abc import Sequence

_END = r"(?=,|;|\n|[.!?](?:\s|$)| and (?:i|my|we|it|the)\b| but |\s*$)"
_STATEMENT = re.compile(
    r"\b(?:my|our) (?P<thing>[\w' -]+?)(?:(?<=name)'s| is| are| was)(?: called| named)? "
    rf"(?P<value>\S.*?){_END}",
    re.IGNORECASE,
)
_NAME = re.compile(
    rf"\b(?:i am called|i'm called|call me) (?P<value>(?-i:[^\W\da-z_])[\w' -]*?){_END}",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:\b(?:what|who|where|when|which)(?:'s| is| are| was| were)|\b(?:know|remember))"
    r" (?:the name of )?(?:my|our) "
    r"(?P<thing>[\w' -]+?)(?: called| named)?(?: again)?\s*(?:[?!.]|$)",
    re.IGNORECASE,
)
_ALLERGY = re.compile(r"\bwhat am i allergic to\b", re.IGNORECASE)
_SAME = {
    "e-mail": "email",
    "e-mail address": "email",
    "email address": "email",
    "mail": "email",
    "mail address": "email",
    "phone number": "phone",
    "allergies": "allergy",
}
"""Things that go by several names."""


def asked_for(words: str) -> str | None:
    """Find the thing that "What is my ...?" asks for, in lower case; None if nothing is asked."""
    plain = _plain(words)
    if _ALLERGY.search(plain):
        return "allergy"
    found = _QUESTION.search(plain)
    return found["thing"].lower() if found else None


def stated(words: str) -> dict[str, str]:
    """Find what "my ... is ..." states, by the thing's key; the later of two values wins."""
    plain = _plain(words)
    if asked_for(plain) is not None:
        return {}
    found = [("name", match["value"]) for match in _NAME.finditer(plain)]
    return dict(found) | {
        key(found["thing"]): found["value"] for found in _STATEMENT.finditer(plain)
    }


def statements(words: str) -> list[str]:
    """The words that state something in the form "my ... is ..."."""
    plain = _plain(words)
    return [] if asked_for(plain) else [match[0] for match in _STATEMENT.finditer(plain)]


def value_of(thing: str, said: Sequence[str]) -> str | None:
    """Find the newest value of a thing in the user's messages (oldest first), if any."""
    for words in reversed(said):
        value = stated(words).get(key(thing)) or _number_after(thing, words)
        if value is not None:
            return value
    return None


def key(thing: str) -> str:
    """One key for "dog", "Dog" and "dog's name", and for what goes by several names."""
    plain = re.sub(r"'s name$", "", thing.lower())
    return _SAME.get(plain, plain)


def _number_after(thing: str, words: str) -> str | None:
    """Find the number in "order 4471" when the order number is asked for."""
    if not thing.endswith(" number"):
        return None
    head = re.escape(thing.removesuffix(" number"))
    found = re.search(rf"\b{head}(?: number)?\W+([a-z]*\d[\w-]*)", words, re.IGNORECASE)
    return found[1] if found else None


def _plain(words: str) -> str:
    return words.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
