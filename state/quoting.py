"""Whether words were said, and whether they hold a value."""

import re

from state.catalogue import Kind
from state.wording import folded, spelled

_SPACE = re.compile(r"\s+")
_MARKS = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_WORD = re.compile(r"\w+")
_CJK_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_CJK = re.compile(f"[{_CJK_SIGNS}]")
_NO_IDENTIFIER = f"{_CJK_SIGNS}\u0621-\u064a"
"""Letters that stand beside an identifier without a space, and never in one."""
_APART = re.compile(f"[{_NO_IDENTIFIER}]")
_SIGN = rf"[^\W_{_NO_IDENTIFIER}]"
_BEGINS = re.compile(rf"(?<!\+)(?<![^\W_][-./+])(?<!{_SIGN})")
_ENDS = re.compile(rf"(?!{_SIGN})(?![-/+]{_SIGN})")
"""Where an identifier may begin and end; apart from it, for _SIGN takes milliseconds to compile."""
_LITTLE = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be been by can do does for from get has have he her his i in is it"
        " its like likes me more my of on only or our please prefer prefers she so than that the"
        " their them they this to us user wants was we will with would you your der die das den dem"
        " ein eine einen und oder ich mein meine mich mir ist zu zum zur im am an auf mit bei von"
        " gegen el la los las un una y o de del en mi me soy es que por para con le les et ou du"
        " des je mon ma est à au aux pour avec",
    )
)
"""Words that an extractor may add or leave out."""
_ANY_FORM = 4
"""Letters that two forms of a word share at least, such as allergy and allergic."""


def squeezed(text: str) -> str:
    """`text` with white space and case folded, and nothing else."""
    return _SPACE.sub(" ", _MARKS.sub("", text).strip()).casefold()


def stands_in(quote: str, words: str) -> bool:
    """Whether `quote` was said in `words`: white space and case folded, nothing else."""
    wanted = squeezed(quote)
    return bool(_WORD.search(wanted)) and wanted in squeezed(words)


def holds_exactly(identifier: str, text: str) -> bool:
    """Whether `text` holds `identifier`, sign for sign, and no longer one that it is a part of."""
    signs = _MARKS.sub("", identifier).split()
    wanted = r"\s+".join(re.escape(each) for each in signs)
    words = _MARKS.sub("", text)
    return bool(signs) and any(
        _BEGINS.match(words, found.start(1)) and _ENDS.match(words, found.end(1))
        for found in re.finditer(f"(?=({wanted}))", words)
    )


def apart(text: str) -> str:
    """`text`, sign for sign, with a space for each letter that is of no identifier."""
    return _APART.sub(" ", text)


def states(kind: Kind, value: str, quote: str) -> bool:
    """Whether `quote` holds all of `value`: an identifier sign for sign, words in any form."""
    if kind.exact:
        return holds_exactly(value, quote)
    if stands_in(value, quote):
        return True
    said = folded(quote)
    words = set(_WORD.findall(said))
    about = set(_WORD.findall(folded(f"{kind.key.replace('_', ' ')} {kind.says}")))
    telling = telling_words(value)
    numbers = spelled(said)
    found = [_is_said(word, words | about, said) or word in numbers for word in telling]
    return all(found) and any(_is_said(word, words, said) or word in numbers for word in telling)


def telling_words(value: str) -> list[str]:
    """The words of `value`, folded, without the little ones that anybody may add or leave out."""
    return [word for word in _WORD.findall(folded(value)) if word not in _LITTLE]


def _is_said(word: str, words: set[str], said: str) -> bool:
    if word in words:
        return True
    if _CJK.search(word):
        return all(sign in said for sign in word)
    if len(word) <= _ANY_FORM or not word.isalpha():
        return False
    stem = word[: max(_ANY_FORM, len(word) - 3)]
    return any(each.startswith(stem) for each in words)
