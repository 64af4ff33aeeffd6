"""Card numbers and passwords: recognised, and never kept."""

import re

from state.wording import plain

HIDDEN = "[secret]"

_CARD = re.compile(r"(?<![\d+-])[2-6]\d{3}(?:[\s.–-]?\d){9,15}(?!\d)")  # noqa: RUF001
_LATIN = (
    r"\b(?:pass ?words?|pass ?codes?|passwort|kennwort|mot de passe|contraseñas?|clave|senha|"
    r"wachtwoord|hasło|şifrem?|pin(?: code)?|cvv|cvc|пароль)"
    r"(?:\s+(?:for|of|to|zu|für|von|de|del|pour|para|per)(?:\s+\w+){1,3}?)?"
    r"(?:\s+(?:is|are|was|ist|lautet|es|est|é|è|to|is:)\s+|\s*[:=–-]\s*|\s+(?=\d{3,8}\b))"  # noqa: RUF001
)
_OTHERS = (
    r"(?:パスワード|暗証番号|密码|密碼|비밀번호|كلمة (?:المرور|السر)|الرقم السري)"
    r"\s*(?:[:：=は是는]|هي|هو)?\s*"  # noqa: RUF001
)
_TOLD = re.compile(rf"(?:{_LATIN}|{_OTHERS})([\"'“„«「]?)([!-~]+|\S+)", re.IGNORECASE)
_NO_PASSWORD = frozenset(
    re.findall(
        r"\w+",
        "a an the my your not no wrong incorrect invalid expired gone lost needed required too so"
        " very forgotten blocked reset falsch nicht weg abgelaufen ungültig que la el un una mal"
        " incorrecta perdue",
    )
)
"""What follows "my password is" without being it."""
_EDGES = " .,;:!?\"'“”„«»「」()[]"


def secrets(text: str) -> list[str]:
    """The card numbers (by their check digit) and the told passwords in `text`, as written."""
    read = plain(text)
    cards = [text[m.start() : m.end()] for m in _CARD.finditer(read) if _is_card(m.group())]
    told = (text[m.start(2) : m.end(2)].strip(_EDGES) for m in _TOLD.finditer(read))
    return cards + [word for word in told if word and word.casefold() not in _NO_PASSWORD]


def holds_secret(value: str, words: str) -> bool:
    """Whether `value`, taken from `words`, holds one of their secrets or a part, or a card."""
    known = secrets(words)
    pieces = {piece.strip(_EDGES) for piece in value.split()} | {value.strip(_EDGES)}
    return any(
        secret in pieces or (len(secret) > 5 and secret in value) or _is_part(value, secret)
        for secret in known
    ) or bool(secrets(value))


def without_secrets(text: str, words: str) -> str:
    """`text`, taken from `words`, with their secrets hidden."""
    for secret in sorted({*secrets(words), *secrets(text)}, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def _is_part(value: str, secret: str) -> bool:
    """Whether `value` is a piece of a secret with a number in it, such as a card's last digits."""
    return len(value) > 3 and value in secret and any(c.isdigit() for c in value)


def _is_card(text: str) -> bool:
    digits = [int(c) for c in text if c.isdigit()][::-1]
    doubled = (d * 2 - 9 if d > 4 else d * 2 for d in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
