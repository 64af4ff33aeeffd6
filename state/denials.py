"""Yes, no and "forget that", by rule, in the languages that people write to a shop in."""

import re

from state.catalogue import Kind
from state.quoting import squeezed
from state.wording import plain

_NT = "n['’]t"  # noqa: RUF001
_YES = re.compile(
    r"\W*(?:(?:yes|yeah|yep|yup|right|correct|exactly|precisely|sure|indeed|ok|okay|"
    r"(?:that|it)(?:'|’)?s (?:it|right|correct|me)|ja|jawohl|genau|stimmt|richtig|sí|si|claro|"  # noqa: RUF001
    r"exacto|correcto|oui|exactement|voilà|exato|sim|sì|esatto|tak|evet|да|верно|نعم|أجل|صحيح|hai)"
    r"\b|はい|ええ|そうです|是|对|對|没错|네|예)",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\b(?:but|not|no|except|actually|aber|nicht|nein|sondern|pero|sino|mais|non|pas|mas|ma|но|не|"
    rf"لكن|لا)\b|{_NT}\b|ではな|じゃな|でも|不|但",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,.;:!?،。、；：！？]| [-–—] |"  # noqa: RUF001
    r"\b(?:but|and|sondern|aber|und|sino|pero|mais|et|mas|و|но|а)\b"  # noqa: RUF001
)
_DENIES = re.compile(
    r"(?:\b(?:not|no longer|never|cannot|nicht|kein\w*|nie|nunca|jamás|ne|pas|não|не|ليس|ليست|لست|"
    r"لم|لا)\b"
    rf"|\bno\b(?!\s+(?:it|its|i|i'm|my|the|we|our|that|this|name)\b)|{_NT}\b)"
    r"(?:\W+\w+){0,2}\W*$"
    r"|(?:不是|不叫|不在|没有|沒有)$"
)
_DENIES_IDENTIFIER = re.compile(
    rf"(?:\b(?:not|is{_NT}|was{_NT}|nicht|kein|keine|pas|não|не|ليس)|\bno es|\bno)"
    r"(?:\s+(?:the|order|parcel|number|die|der|nummer|bestellung|el|la|le|número|numéro)){0,2}\s*$"
)
_DENIED_AFTER = re.compile(r"\s*(?:では(?:な|あり)|じゃ(?:な|あり)|でなく|가 아니|이 아니|değil)")
_HARMLESS = re.compile(
    r"(?:\b(?:not|no longer|never|nicht|keine?|no soy|no tengo|ni|pas|не|ليس|لست)\b|"
    rf"{_NT}\b)(?:\s+\w+){{0,2}}\s+(?:al[el]+[rx]?[gj]\w*|intoleran\w*|unverträglich\w*)"
    r"|アレルギー(?:は|が)?(?:な|あり?ません)"
)
_TAKES_BACK = re.compile(
    r"\b(?:no|not|never|forget|forgotten|delete|remove|erase|cancel\w*|drop|wrong|mistaken?|ignore|"
    r"scrap|any ?more|instead|used to|old|nicht|kein\w*|vergiss|vergessen\w*|lösch\w*|streich\w*|"
    r"falsch|storn\w*|statt|olvid\w*|borr\w*|elimin\w*|ya|nunca|oubli\w*|supprim\w*|effac\w*|plus|"
    r"annul\w*|esque\w*|apag\w*|não|забуд\w*|удал\w*|не|انس\w*|احذف\w*|امسح\w*|لم|لا|ليس)\b"
    rf"|{_NT}\b|忘れ|削除|消して|取り消|キャンセル|ない|ません|忘|删|取消|不|别",
    re.IGNORECASE,
)

_SENTENCE = re.compile(r"[^.!?？؟。\n]+[.!?？؟。]?")  # noqa: RUF001
ASKS = ("?", "？", "؟")  # noqa: RUF001
"""How a question ends."""
_SELF = re.compile(
    r"\b(?:i|my|me|mine|we|our|us|ich|mein\w*|mir|mich|wir|uns\w*|yo|mi|mis|me|soy|tengo|vivo|nuestr\w*|"
    r"je|j|mon|ma|mes|moi|nous|notre|eu|meu|minha|io|mio|mia)\b"
)


def denied(kind: Kind, value: str, words: str) -> bool:
    """Whether `words` say that `value` is not so."""
    said, told = squeezed(plain(words)), squeezed(plain(value))
    if kind.forbids:
        return _HARMLESS.search(said) is not None
    at = said.rfind(told)
    if at < 0:
        return False
    clause = _CLAUSE.split(said[:at])[-1]
    denies = _DENIES_IDENTIFIER if kind.exact else _DENIES
    return bool(denies.search(clause) or _DENIED_AFTER.match(said[at + len(told) :]))


def affirms(words: str) -> bool:
    """Whether a person's `words` begin with a plain yes, and take nothing of it back."""
    return _YES.match(plain(words)) is not None and _BUT.search(words) is None


def takes_back(words: str) -> bool:
    """Whether `words` may end a fact: they hold one such as not, forget, wrong, any more."""
    return _TAKES_BACK.search(words) is not None


def only_asks(quote: str, words: str) -> bool:
    """Whether `quote` stands only in questions in which the asker says nothing of themselves."""
    wanted = squeezed(quote).strip(" .,!?")
    holding = [each for each in _SENTENCE.findall(squeezed(words)) if wanted in each]
    return bool(holding) and all(
        each.endswith(ASKS) and each.isascii() and not _SELF.search(each) for each in holding
    )
