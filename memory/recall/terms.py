"""The terms of a text, in any language: whole words, their parts, and runs of four letters.

Runs of letters find "paintings" for "painted" and forgive a typing error without knowing the
language. A script written without spaces is one long word to the pattern, so its signs are taken
one by one and by twos.
"""

import re
import unicodedata
from functools import lru_cache

from memory.recall.function_words import FUNCTION_WORDS

_WORD = re.compile(r"\w+(?:[-'’.@/]\w+)*")  # noqa: RUF001
_PART = re.compile(r"\w+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
_RUN = 4


def terms(text: str) -> list[str]:
    """Every term of `text`, in order, as often as it stands there."""
    return [term for word in words(text) for term in terms_of(word)]


def asked(question: str) -> list[str]:
    """The terms of `question` that can find something, each once, in order.

    Its function words are left out, unless it has no others.
    """
    said = list(dict.fromkeys(words(question)))
    telling = [word for word in said if word not in FUNCTION_WORDS] or said
    return list(dict.fromkeys(term for word in telling for term in terms_of(word)))


def words(text: str) -> list[str]:
    """The words of `text`, folded, identifiers whole."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=65536)
def terms_of(word: str) -> tuple[str, ...]:
    """The terms that a folded word makes."""
    parts = _PART.findall(word)
    whole = [f"={word}"] if len(parts) > 1 else []
    return (*whole, *(term for part in parts for term in _of_part(part)))


def inner_runs(word: str) -> list[str]:
    """The runs of letters of a folded word that are terms of each longer word with it inside."""
    parts = [part for part in _PART.findall(word) if not _UNSPACED.search(part)]
    return [part[at : at + _RUN] for part in parts for at in range(len(part) - _RUN + 1)]


def _of_part(part: str) -> list[str]:
    found: list[str] = []
    rest = 0
    for match in _UNSPACED.finditer(part):
        found += _of_spaced(part[rest : match.start()])
        signs = match.group()
        found += [*signs, *(signs[at : at + 2] for at in range(len(signs) - 1))]
        rest = match.end()
    return found + _of_spaced(part[rest:])


def _of_spaced(word: str) -> list[str]:
    if not word:
        return []
    edged = f"_{word}_"
    return [f"={word}", *(edged[at : at + _RUN] for at in range(max(1, len(edged) - _RUN + 1)))]
