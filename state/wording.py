"""Names, numbers and identifiers in what was said, in any script."""

import re
import unicodedata

_DIGIT = re.compile(r"(?![0-9])\d")
_FULL_WIDTH = {
    code: code - 0xFEE0
    for code in range(0xFF01, 0xFF5F)
    if chr(code - 0xFEE0).isalnum() or chr(code - 0xFEE0) in "+-.:@_"
}
_VALUE = re.compile(
    r"(?<![a-z0-9.+-])[a-z0-9.+-][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}"
    r"|(?<![a-z0-9])[a-z]*\d(?:[a-z0-9.,:/_-]*[a-z0-9])?"
)
_UNIT = re.compile(r"(?<=\d)[a-z]{1,3}$")
_NAME = re.compile(
    r"(?<![.!?:;\n(\"'“„«»-])(?<=[^\s.!?:;]\s)(?!I['’])([A-ZÄÖÜÀ-ÞА-ЯЁ][\w'’-]+)"  # noqa: RUF001
)
_POSSESSIVE = re.compile(r"['’]s?$")  # noqa: RUF001
_WORD = re.compile(r"\w+")
_NO_NAMES = frozenset({"user", "assistant", "customer", "bot", "agent", "ok", "eur", "usd", "gbp"})
_GERMAN = frozenset(
    [
        "aber",
        "auch",
        "auf",
        "bei",
        "bitte",
        "das",
        "dass",
        "dem",
        "den",
        "der",
        "die",
        "ein",
        "eine",
        "einen",
        "für",
        "habe",
        "hat",
        "ich",
        "ihr",
        "ist",
        "kein",
        "keine",
        "mein",
        "meine",
        "mich",
        "mir",
        "mit",
        "nicht",
        "noch",
        "oder",
        "schon",
        "sich",
        "sie",
        "sind",
        "und",
        "uns",
        "von",
        "wann",
        "wenn",
        "wird",
        "wir",
        "wurde",
        "zum",
        "zur",
    ]
)
_GERMAN_SHARE = 0.08
_SAMPLE = 4000
_STEM = 5
_SPELLED = {
    word: str(number)
    for number, words in enumerate(
        (
            "one ein eine einen un une uno una",
            "two zwei deux dos due",
            "three drei trois tres tre",
            "four vier quatre cuatro quattro",
            "five fünf cinq cinco cinque",
            "six sechs seis sei",
            "seven sieben sept siete sette",
            "eight acht huit ocho otto",
            "nine neun neuf nueve nove",
            "ten zehn dix diez dieci",
        ),
        1,
    )
    for word in words.split()
}


def plain(text: str) -> str:
    """`text`, sign for sign, with the digits of every script and full-width letters in ASCII."""
    if text.isascii():
        return text
    return _DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text.translate(_FULL_WIDTH))


def folded(text: str) -> str:
    """`text` as two texts are compared: plain, and without regard to case."""
    return plain(text).casefold()


def values(text: str) -> set[str]:
    """The numbers and identifiers in `text`, folded; numbers without their unit ("5pm", "3rd")."""
    return {_UNIT.sub("", match.strip(".,:/_-")) for match in _VALUE.findall(folded(text))}


def found_names(text: str) -> list[tuple[str, int]]:
    """Words that are capitalised although no sentence begins with them, and where they stand.

    None where all nouns are (German), or everything is.
    """
    if text.isupper() or is_german(text):
        return []
    found = ((_POSSESSIVE.sub("", match[1]), match.start(1)) for match in _NAME.finditer(text))
    return [
        (name, start)
        for name, start in found
        if name.casefold() not in _NO_NAMES and not re.search(r"\d", name)
    ]


def names(text: str) -> set[str]:
    """The names in `text`, folded."""
    return {folded(name) for name, _ in found_names(text)}


def is_german(text: str) -> bool:
    """Whether `text` reads as German, by the little words at its beginning."""
    words = [word.casefold() for word in _WORD.findall(text[:_SAMPLE])]
    return sum(word in _GERMAN for word in words) > _GERMAN_SHARE * len(words)


def stem(name: str) -> str:
    """The beginning of a folded `name` that stays when it is inflected."""
    return name[: min(_STEM, max(3, len(name) - 1))]


def holds(source: str, claim: str) -> bool:
    """Whether folded `claim` stands in folded `source` by itself: no part of a longer number.

    It may begin a longer word, not end one: "anna" stands in "annas", not in "joanna".
    """
    if claim not in source:
        return False
    before = next((f"(?<!{kind})" for kind in ("[0-9]", "[a-z]") if re.match(kind, claim)), "")
    after = "(?![0-9])" if claim[-1].isdecimal() else ""
    return re.search(before + re.escape(claim) + after, source) is not None


def spelled(source: str) -> set[str]:
    """The small numbers that folded `source` writes as words, as digits."""
    return {_SPELLED[word] for word in _WORD.findall(source) if word in _SPELLED}
