"""Card numbers and passwords: recognised, and never kept."""

import re

from state.wording import plain

_CARD = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
_WORD = (
    r"(?:pass ?words?|pass ?codes?|passwort|kennwort|mot de passe|contraseñas?|clave|senha|"
    r"pin(?: code)?|cvv|cvc|パスワード|暗証番号|密码|كلمة المرور|пароль)"
)
_TOLD = re.compile(
    _WORD + r"(?:\s+(?:is|ist|es|est|é|was|=)|\s*[:\uff1a=は是])\s*(\S+)", re.IGNORECASE
)


def secrets(text: str) -> list[str]:
    """The card numbers (by their check digit) and the told passwords in `text`, as written."""
    read = plain(text)
    cards = [text[m.start() : m.end()] for m in _CARD.finditer(read) if _is_card(m.group())]
    return cards + [text[m.start(1) : m.end(1)] for m in _TOLD.finditer(read)]


def holds_secret(value: str, words: str) -> bool:
    """Whether `value`, taken from `words`, holds one of their secrets, or a card number."""
    return any(secret in value or value in secret for secret in secrets(words)) or any(
        _is_card(match) for match in _CARD.findall(plain(value))
    )


def _is_card(text: str) -> bool:
    digits = [int(c) for c in text if c.isdigit()][::-1]
    doubled = (d * 2 - 9 if d > 4 else d * 2 for d in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
