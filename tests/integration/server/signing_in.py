"""Users of a server that asks for tokens: theirs, and those that somebody forged."""

from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

from graph.environment import read_settings
from graph.tokens import signed

SECRET = "a secret of thirty-two bytes, or a few more"
SIGN_IN = {"LONGHAUL_AUTH_SECRET": SECRET}


def token(user: str) -> str:
    """A token that signs `user` in."""
    settings = read_settings(_env_file=None, auth_secret=SECRET)
    return signed(settings, user, now=datetime.now(UTC), hours=1)


def as_user(user: str) -> dict[str, str]:
    """The header with which `user` signs in."""
    return bearer(token(user))


def bearer(value: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {value}"}


def forged(user: str) -> dict[str, dict[str, str]]:
    """By what is wrong with them: headers that sign nobody in, though they name `user`."""
    now = datetime.now(UTC)
    claims: dict[str, Any] = {"sub": user, "exp": now + timedelta(hours=1)}
    late = {**claims, "exp": now - timedelta(minutes=1)}
    endless = {"sub": user}
    right = token(user)
    head, body, _ = right.split(".")
    return {
        "none": {},
        "no algorithm": bearer(jwt.encode(claims, "", "none")),
        "another key": bearer(jwt.encode(claims, SECRET[::-1], "HS256")),
        "another algorithm": bearer(jwt.encode(claims, SECRET * 2, "HS512")),
        "expired": bearer(jwt.encode(late, SECRET, "HS256")),
        "endless": bearer(jwt.encode(endless, SECRET, "HS256")),
        "unsigned": bearer(f"{head}.{body}."),
        "no bearer": {"Authorization": right},
        "Studio": {"x-auth-scheme": "langsmith"},
        "Studio's user": {"x-auth-scheme": "langsmith", "x-user-id": user, "x-api-key": right},
    }
