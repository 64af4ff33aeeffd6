"""Replacing personal data: the same by the same everywhere, and by what has the same form."""

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping
from itertools import product
from random import Random

from evals.traffic.personal import Find, Sort, finds
from memory.recall.function_words import FUNCTION_WORDS

_SYLLABLES: Mapping[str, tuple[str, ...]] = {
    "LATIN": tuple(map("".join, product("bdfgklmnprstvz", "aeiou"))),
    "CYRILLIC": tuple(map("".join, product("бвдклмнрт", "аеиу"))),
    "GREEK": tuple(map("".join, product("βδκλμνρτ", "αειο"))),
    "ARABIC": tuple("بتدرسشفكلمنوي"),
    "HEBREW": tuple("בגדהזכלמנרש"),
    "DEVANAGARI": tuple(map("".join, product("कगजतदनपमरल", ("", "ा", "ी", "ो")))),
    "HANGUL": tuple("가나다라마바사아자하민서윤지호"),
    "HIRAGANA": tuple("あいかきさしたなのはまみやゆりれ"),
    "KATAKANA": tuple("アイカキサシタナノハマミヤユリレ"),
    "CJK": tuple("和泉佐林原明洋文理恵子松竹高平"),
}
_SHORTEST_TAIL = 4
"""Digits from which on the end of a number stands for it, as in "ending in 4471"."""
_LETTERS = "abcdefghjkmnpqrstuvwxyz"
_DRAWS = 200


class Disguise:
    """Replaces what `personal` finds, and the given names, in one text after another.

    What it draws comes from `random`: with a seed that nobody knows, nobody finds the way back.
    """

    def __init__(self, random: Random, *, names: Iterable[str], keep: Iterable[str] = ()) -> None:
        self._random = random
        self._kept = {word.lower() for word in keep}
        self._signs: dict[str, str] = {}
        """By what the letters and digits of a find are replaced, without what is between them."""
        self._names: dict[str, str] = {}
        self._said: dict[str, str] = {}
        """What was replaced, as it was said, by what."""
        words = {name.lower() for name in names if name} - self._kept
        for word in sorted(words):
            self._names[word] = self._name_like(word)
        self._form = re.compile("|".join(map(_bounded, sorted(words, key=len, reverse=True))))

    @property
    def replaced(self) -> dict[str, str]:
        """What was replaced so far, as it was said, and by what."""
        return dict(self._said)

    def __call__(self, text: str) -> str:
        """`text` with all of it replaced."""
        parts: list[str] = []
        at = 0
        for find in finds(text):
            value = text[find.start : find.end]
            if value.lower() in self._kept:
                continue
            parts += [self._without_names(text[at : find.start]), self._swapped(find, value)]
            at = find.end
        return "".join([*parts, self._without_names(text[at:])])

    def rest(self, text: str) -> str:
        """`text` without what was replaced in others: such as a number that is an amount in one."""
        known = (said for said in self._said if len(said) >= _SHORTEST_TAIL and not _is_word(said))
        form = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
        found = re.compile(rf"(?<!\w)(?:{form})(?!\w)") if form else None
        return found.sub(lambda match: self._said[match[0]], text) if found else text

    def _without_names(self, text: str) -> str:
        return self._form.sub(self._renamed, text) if self._names else text

    def _renamed(self, match: re.Match[str]) -> str:
        said = match[0]
        if _is_word(said):
            return said
        new = self._names[said.lower()]
        new = new.upper() if said.isupper() and len(said) > 1 else new
        return self._note(said, new if said.islower() or said.isupper() else _titled(new))

    def _swapped(self, find: Find, value: str) -> str:
        match find.sort:
            case "link":
                new = f"https://example.org/{self._drawn(value, letters=True)}"
            case "e-mail":
                local, _, domain = value.rpartition("@")
                new = f"{self._local(local)}@{self._domain(domain)}"
            case sort:
                new = _filled(value, self._drawn(value, sort=sort, letters=_is_mixed(value)))
        return self._note(value, new)

    def _note(self, said: str, new: str) -> str:
        self._said[said] = new
        return new

    def _local(self, local: str) -> str:
        """The part before the @: names as they are replaced elsewhere, and else other letters."""
        words = re.split(r"([^a-zA-Z0-9]+)", local)
        return "".join(
            self._names.get(word.lower()) or _filled(word, self._drawn(word, letters=True))
            for word in words
        )

    def _domain(self, domain: str) -> str:
        return self._signs.setdefault(f"@{domain.casefold()}", f"example{len(self._signs)}.org")

    def _drawn(self, value: str, *, sort: Sort = "number", letters: bool) -> str:
        """The letters and digits that take the place of those of `value`."""
        plain = _plain(value)
        if (known := self._signs.get(plain)) is not None:
            return known
        new = self._like_another(plain) or self._fresh(plain, letters=letters, card=sort == "card")
        self._signs[plain] = new
        return new

    def _fresh(self, plain: str, *, letters: bool, card: bool) -> str:
        zeros = len(plain) - len(plain.lstrip("0"))

        def draw() -> str:
            rest = (self._sign(sign, letters=letters) for sign in plain[zeros:])
            new = "0" * zeros + "".join(rest)
            return _checked(plain[0] + new[1:]) if card else new

        return self._new(draw, {plain, *self._signs, *self._signs.values()})

    def _like_another(self, plain: str) -> str:
        """The replacement of the end of a number, or of one that differs by a slip; else none."""
        for other, new in self._signs.items():
            if len(plain) >= _SHORTEST_TAIL and plain.isdigit() and other.endswith(plain):
                return new[-len(plain) :]
            if len(other) != len(plain) or len(plain) < _SHORTEST_TAIL:
                continue
            places = [i for i, (a, b) in enumerate(zip(plain, other, strict=True)) if a != b]
            if len(places) <= 2 and all(plain[i].isdigit() for i in places):
                return self._slipped(new, plain, other, places)
        return ""

    def _slipped(self, new: str, plain: str, other: str, places: list[int]) -> str:
        """`new` with as many digits changed, or swapped, as `plain` differs from `other`."""
        signs = list(new)
        first, last = places[0], places[-1]
        swapped = plain[first] == other[last] and plain[last] == other[first]
        if swapped and signs[first] != signs[last]:
            signs[first], signs[last] = signs[last], signs[first]
            return "".join(signs)
        for place in places:
            signs[place] = self._random.choice([d for d in "0123456789" if d != signs[place]])
        return "".join(signs)

    def _sign(self, sign: str, *, letters: bool) -> str:
        if sign.isdigit():
            return self._random.choice("0123456789" if sign == "0" else "123456789")
        return self._random.choice(_LETTERS) if letters else sign

    def _name_like(self, word: str) -> str:
        """A word that is no name of the conversation, about as long and in the same script."""
        script = unicodedata.name(word[0], "LATIN").split()[0]
        pool = _SYLLABLES.get(script, _SYLLABLES["LATIN"])
        count = max(1, round(len(word) / len(pool[0])))

        def draw() -> str:
            return "".join(self._random.choice(pool) for _ in range(max(count, 2)))

        return self._new(draw, {word, *self._names, *self._names.values()})

    @staticmethod
    def _new(draw: Callable[[], str], taken: Container[str]) -> str:
        """What is drawn and not taken; in the end anything, where too little is left."""
        for _ in range(_DRAWS):
            if (new := draw()) not in taken:
                return new
        return draw()


def _is_word(said: str) -> bool:
    """Whether it is one of the words that all sentences are made of, as it stands there."""
    return said.islower() and said in FUNCTION_WORDS


def _bounded(word: str) -> str:
    """A pattern for a whole word, in any case; of a script without capitals also inside words."""
    if word == word.upper():
        return re.escape(word)
    return rf"(?i:(?<!\w){re.escape(word)}(?!\w))"


def _plain(value: str) -> str:
    return "".join(sign for sign in value if sign.isalnum()).casefold()


def _is_mixed(value: str) -> bool:
    """Whether letters count as much as digits; those before a long number only name its kind."""
    return sum(sign.isdigit() for sign in value) < _SHORTEST_TAIL


def _filled(shape: str, signs: str) -> str:
    """`signs` in the places of the letters and digits of `shape`, in its case."""
    left = iter(signs)
    return "".join(
        (next(left).upper() if sign.isupper() else next(left)) if sign.isalnum() else sign
        for sign in shape
    )


def _titled(word: str) -> str:
    return word[:1].upper() + word[1:]


def _checked(number: str) -> str:
    """`number` with its last digit such that it passes for a card's."""
    for last in "0123456789":
        digits = [int(sign) for sign in number[:-1] + last][::-1]
        doubled = (d * 2 - 9 if d > 4 else d * 2 for d in digits[1::2])
        if (sum(digits[::2]) + sum(doubled)) % 10 == 0:
            return number[:-1] + last
    return number
