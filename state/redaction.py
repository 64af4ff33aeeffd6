"""Taking a forgotten value out of text, in whatever spelling it stands there."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from typing_extensions import TypedDict

from state.catalogue import KINDS, Kind
from state.facts import Fact, same, twins
from state.quoting import telling_words
from state.spelling import CJK, ENDING, STEM, spelling, verbatim
from state.wording import folded, plain

MARK = "[forgotten]"
"""What stands where a forgotten value stood."""

_SHORTEST = 3
"""Signs of a value that is looked for outside of the exchanges which stated it."""
_SHORTEST_NUMBER = 4
"""The same of a bare number."""
_NAME = 5
"""Letters up to which a capitalised word is looked for as such: a name may be a word as well."""
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?؟])(?=\s)|(?<=[\n。！？])")  # noqa: RUF001


class Wanted(TypedDict):
    """A fact that is to be forgotten, and the words that stated it."""

    kind: str
    value: str
    turns: list[int]
    """The exchanges that stated it."""
    quotes: list[str]
    """The words that did."""


@dataclass(frozen=True)
class Redactor:
    """Hides one value: as `Wanted` says it, in any spelling.

    `near` is true of the words that stated it and of what was made of these: there also a part of
    the value, its paraphrase and the quote are hidden, and a value that is too short or too common
    to be looked for elsewhere.
    """

    wanted: Wanted

    def hidden(self, text: str, *, near: bool = False) -> str:
        """`text` with MARK for the value. The same of what it returns is that itself."""
        while (after := self._once(text, near=near)) != text:
            text = after
        return text

    def holds(self, text: str, *, near: bool = False) -> bool:
        """Whether something of `text` is to be hidden."""
        return self._once(text, near=near) != text

    def is_it(self, kind: str, value: str) -> bool:
        """Whether a fact of that kind and value is the one to forget, whoever spelled it."""
        if not value.strip():
            return False
        own = self._kind
        alike = kind == self.wanted["kind"] and own is not None
        if alike and own is not None and twins(own, value, self.wanted["value"]):
            return True
        return self._is_findable and same(value, self.wanted["value"])

    def is_near(self, *turns: int) -> bool:
        """Whether one of `turns` stated it."""
        return not set(turns).isdisjoint(self.wanted["turns"])

    @cached_property
    def _kind(self) -> Kind | None:
        return KINDS.get(self.wanted["kind"])

    @cached_property
    def _signs(self) -> list[str]:
        return [sign for sign in plain(self.wanted["value"]) if sign.isalnum()]

    @cached_property
    def _is_findable(self) -> bool:
        judged = self._kind is not None and bool(self._kind.choices)
        number = all(sign.isdigit() for sign in self._signs)
        few = len(self._signs) < (_SHORTEST_NUMBER if number else _SHORTEST)
        few = few and not re.search(f"[{CJK}]", self.wanted["value"])
        return bool(self._signs) and not judged and not few

    @cached_property
    def _anywhere(self) -> re.Pattern[str]:
        return spelling(self.wanted["value"], exact=self._exact)

    @cached_property
    def _elsewhere(self) -> re.Pattern[str]:
        value = self.wanted["value"].strip()
        as_name = value.isalpha() and value[0].isupper() and len(value) <= _NAME
        return spelling(value, exact=self._exact, capital=True) if as_name else self._anywhere

    @property
    def _exact(self) -> bool:
        return self._kind is not None and self._kind.exact

    @cached_property
    def _words(self) -> list[str]:
        return [] if self._exact else telling_words(self.wanted["value"])

    @cached_property
    def _quotes(self) -> list[re.Pattern[str]]:
        """The quotes that do not hold the value as it is, so that they are hidden whole."""
        apart = [q for q in self.wanted["quotes"] if not self._signs or not self._finds(q)]
        return [words for quote in apart if (words := verbatim(quote)) is not None]

    def _finds(self, text: str) -> bool:
        return self._anywhere.search(plain(text)) is not None

    def _once(self, text: str, *, near: bool) -> str:
        if not self._signs or not (near or self._is_findable):
            return text
        parts = text.split(MARK)
        return MARK.join(self._part(part, near=near) for part in parts)

    def _part(self, text: str, *, near: bool) -> str:
        read = plain(text)
        spans = [m.span() for m in (self._anywhere if near else self._elsewhere).finditer(read)]
        for quote in self._quotes if near else ():
            spans += [m.span() for m in quote.finditer(read)]
        spans += self._said_otherwise(read, near=near)
        return _without(text, spans)

    def _said_otherwise(self, text: str, *, near: bool) -> Iterator[tuple[int, int]]:
        """The words of the value where a sentence holds all of them, or near it half of them."""
        enough = -(-len(self._words) // 2) if near else len(self._words)
        if not self._words or (len(self._words) == 1 and not near):
            return
        words = folded(text)  # most texts hold none of them, and are not taken to pieces
        if sum(_beginning(word) in words for word in self._words) < enough:
            return
        start = 0
        for sentence in _SENTENCE.split(text):
            found: dict[str, list[tuple[int, int]]] = {}
            for match in _WORD.finditer(sentence):
                for word in self._words:
                    if _is_form(folded(match[0]), word):
                        span = (start + match.start(), start + match.end())
                        found.setdefault(word, []).append(span)
            if len(found) >= enough:
                yield from (span for spans in found.values() for span in spans)
            start += len(sentence)


def wanted_of(fact: Fact, stated: Iterable[Fact] = ()) -> Wanted:
    """What is to be forgotten with `fact` in a conversation of which `stated` are all the facts."""
    wanted = Wanted(kind=fact["kind"], value=fact["value"], turns=[], quotes=[])
    known = Redactor(wanted)
    here = [f for f in stated if f["turn"] and known.is_it(f["kind"], f["value"])]
    quotes = [each["quote"] for each in here if each["quote"].strip()]
    return {
        **wanted,
        "turns": sorted({each["turn"] for each in here}),
        "quotes": list(dict.fromkeys(quotes)),
    }


def _is_form(word: str, of: str) -> bool:
    """Whether `word` is `of` in some form, such as allergic and allergy."""
    if word == of:
        return True
    return (
        len(word) <= len(of) + ENDING and _beginning(of) != of and word.startswith(_beginning(of))
    )


def _beginning(word: str) -> str:
    """What every form of a word begins with."""
    inflected = len(word) > STEM and word.isalpha()
    return word[: max(STEM, len(word) - ENDING)] if inflected else word


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """`text` with one MARK for each of `spans`, or for several that touch."""
    joined: list[list[int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and not text[joined[-1][1] : start].strip(" "):
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    pieces, last = [], 0
    for start, end in joined:
        pieces += [text[last:start], MARK]
        last = end
    return "".join([*pieces, text[last:]])
