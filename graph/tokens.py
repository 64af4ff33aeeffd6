"""The tokens that users of the server sign in with: JWT, by a shared secret or a public key."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from graph.environment import SettingsError, settings
from graph.settings import Settings
from state.text import storable_id

_CURVES = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}
_LEEWAY = 10
"""Seconds by which two clocks may differ."""


class TokenRefused(ValueError):
    """A token that signs nobody in; the text says why, and holds no part of it."""


@dataclass(frozen=True, kw_only=True)
class Verifier:
    """Checks tokens. The algorithm is the key's, never the token's own choice."""

    key: Any
    algorithm: str
    audience: str | None
    issuer: str | None

    def user(self, token: str) -> str:
        """Whom `token` signs in: its `sub`. Raises TokenRefused."""
        try:
            claims = jwt.decode(
                token,
                self.key,
                algorithms=[self.algorithm],
                audience=self.audience,
                issuer=self.issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "sub"], "verify_aud": self.audience is not None},
            )
        except jwt.InvalidTokenError as error:
            raise TokenRefused(f"the token was refused: {error}") from None
        if not isinstance(claims["sub"], str) or not storable_id(claims["sub"]):
            raise TokenRefused("the token was refused: its subject is no user's id")
        return claims["sub"]


def verifier(settings: Settings) -> Verifier | None:
    """What checks the tokens of the server's users; None when nobody signs in.

    Reads the file of a public key. Raises SettingsError for one that cannot be used.
    """
    checks = {"audience": settings.auth_audience, "issuer": settings.auth_issuer}
    if settings.auth_secret is not None:
        secret = settings.auth_secret.get_secret_value()
        return Verifier(key=secret, algorithm="HS256", **checks)
    if settings.auth_public_key is None:
        return None
    key = _public_key(settings.auth_public_key)
    return Verifier(key=key, algorithm=_algorithm(key), **checks)


@lru_cache(maxsize=1)
def served_verifier() -> Verifier | None:
    """What checks the tokens of this process's server, made at the first call: at its start.

    Raises SettingsError.
    """
    return verifier(settings())


def signed(settings: Settings, user: str, *, now: datetime, hours: float) -> str:
    """A token that signs `user` in for some hours. Raises SettingsError without a shared secret."""
    if settings.auth_secret is None:
        raise SettingsError("LONGHAUL_AUTH_SECRET is not set: there is nothing to sign with")
    claims: dict[str, Any] = {"sub": user, "iat": now, "exp": now + timedelta(hours=hours)}
    if settings.auth_audience:
        claims["aud"] = settings.auth_audience
    if settings.auth_issuer:
        claims["iss"] = settings.auth_issuer
    return jwt.encode(claims, settings.auth_secret.get_secret_value(), algorithm="HS256")


def _public_key(given: str) -> Any:
    try:
        pem = given if "-----BEGIN" in given else Path(given).read_text(encoding="utf-8")
        return load_pem_public_key(pem.replace("\\n", "\n").encode())
    except (OSError, ValueError, UnsupportedAlgorithm) as error:
        raise SettingsError(f"LONGHAUL_AUTH_PUBLIC_KEY: no public key in PEM: {error}") from None


def _algorithm(key: Any) -> str:
    match key:
        case rsa.RSAPublicKey():
            return "RS256"
        case ed25519.Ed25519PublicKey():
            return "EdDSA"
        case ec.EllipticCurvePublicKey() if key.curve.name in _CURVES:
            return _CURVES[key.curve.name]
    raise SettingsError(
        f"LONGHAUL_AUTH_PUBLIC_KEY: a {type(key).__name__} is not one of RSA, P-256, P-384, "
        "P-521 and Ed25519"
    )
