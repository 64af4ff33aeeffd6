"""What finds a value in a text, in whatever spelling it stands there."""

import re
import unicodedata
from collections.abc import Iterator

from state.wording import plain

CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
"""The scripts that put no spaces between words, as a range of a class of signs."""
STEM = 4
"""Letters of which a word has more that comes in several forms."""
ENDING = 3
"""Letters that another form of a word may have more, or less."""
_SIGN = rf"[^\W_{CJK}\u0621-\u064a]"
"""A sign beside which a word does not begin or end: Arabic joins its little words to others."""
_GAP = r"[\W_]"
_LONG = 5
"""Signs from which on a value may be written with spaces or stops between any two."""
_SHORTEST_QUOTE = 3
_WORD = re.compile(r"\w+")


def spelling(value: str, *, exact: bool, capital: bool = False) -> re.Pattern[str]:
    """What finds `value` in `plain` text: of any case, its parts joined or apart, not in a word.

    `capital`: only where it begins with a capital letter.
    """
    signs = list(_clusters(plain(value)))
    loose = sum(sign.isalnum() for sign, _ in signs) >= _LONG
    parts: list[str] = []
    for at, (sign, apart) in enumerate(signs):
        if at:
            before = signs[at - 1][0]
            digits = sign[0].isdigit() or before[0].isdigit()
            parts.append(f"{_GAP}{{0,4}}" if apart else "")
            if not apart and loose and (exact or digits):
                parts[-1] = f"{_GAP}{{0,2}}"
        parts.append(_any_form(sign) if at or not capital else f"(?-i:{re.escape(sign)})")
    body = "".join(parts).replace("ss", "(?:ss|ß|ẞ)")
    first, last = signs[0][0], signs[-1][0]
    begins = f"(?<!{_SIGN})" if not re.match(f"[{CJK}]", first) else ""
    begins = "(?<![0-9])" if first[0].isdigit() else begins
    if value.lstrip().startswith("+"):
        begins += f"(?:00{_GAP}{{0,2}})?"
    # Case is folded in the body alone: in a class of signs it takes milliseconds to compile.
    return re.compile(f"{begins}(?i:{body}){_end(value, last, exact=exact)}")


def _end(value: str, last: str, *, exact: bool) -> str:
    if last[0].isdigit():
        return "(?![0-9])"
    if re.match(f"[{CJK}]", last):
        return ""
    word = _WORD.findall(value)[-1]
    ending = f"{_SIGN}{{0,{ENDING}}}" if not exact and len(word) >= STEM else ""
    return f"{ending}(?!{_SIGN})"


def _clusters(text: str) -> Iterator[tuple[str, bool]]:
    """Each letter or digit of `text` with its accents, and whether something stood before it."""
    apart = False
    for cluster in re.findall(r".[\u0300-\u036f]*", unicodedata.normalize("NFC", text), re.DOTALL):
        if cluster[0].isalnum():
            yield cluster, apart
            apart = False
        else:
            apart = True


def _any_form(cluster: str) -> str:
    """A sign, composed or with its accents apart."""
    if cluster in "ßẞ":
        return "(?:ss|ß|ẞ)"
    forms = dict.fromkeys(unicodedata.normalize(form, cluster) for form in ("NFC", "NFD"))
    escaped = [re.escape(form) for form in forms]
    return escaped[0] if len(escaped) == 1 else f"(?:{'|'.join(escaped)})"


def verbatim(quote: str) -> re.Pattern[str] | None:
    """What finds `quote`, whatever space stands between its words; None when it says nothing."""
    if sum(sign.isalnum() for sign in quote) < _SHORTEST_QUOTE:
        return None
    return re.compile(r"\s+".join(re.escape(word) for word in plain(quote).split()), re.IGNORECASE)
