"""Tokens that sign in, and all the forged ones that do not."""

import base64
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
)

from graph.environment import SettingsError, read_settings
from graph.tokens import TokenRefused, signed, verifier

SECRET = "a secret of thirty-two bytes, or a few more"
NOW = datetime.now(UTC)
LATER = NOW + timedelta(hours=1)
CLAIMS: dict[str, Any] = {"sub": "ann", "exp": LATER}


def pem(key: Any) -> str:
    public = key.public_key()
    return str(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode())


def checked(token: str, **settings: Any) -> str:
    found = verifier(read_settings(_env_file=None, **settings))
    assert found is not None
    return found.user(token)


def unsigned(**claims: Any) -> str:
    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims)}."


def test_without_settings_nobody_signs_in() -> None:
    assert verifier(read_settings(_env_file=None)) is None


def test_a_token_of_ours_signs_in() -> None:
    settings = read_settings(
        _env_file=None, auth_secret=SECRET, auth_audience="shop", auth_issuer="us"
    )
    token = signed(settings, "ann", now=NOW, hours=1)
    assert checked(token, auth_secret=SECRET, auth_audience="shop", auth_issuer="us") == "ann"


@pytest.mark.parametrize(
    ("token", "why"),
    [
        ("", "Not enough segments"),
        ("a.b.c", "Invalid"),
        (unsigned(sub="ann", exp=int(LATER.timestamp())), "alg"),
        (jwt.encode(CLAIMS, "another secret of thirty-two bytes", "HS256"), "Signature"),
        (jwt.encode(CLAIMS, SECRET * 2, "HS512"), "alg"),
        (jwt.encode({**CLAIMS, "exp": NOW - timedelta(minutes=1)}, SECRET, "HS256"), "expired"),
        (jwt.encode({**CLAIMS, "nbf": LATER}, SECRET, "HS256"), "not yet valid"),
        (jwt.encode({"sub": "ann"}, SECRET, "HS256"), '"exp"'),
        (jwt.encode({"exp": LATER}, SECRET, "HS256"), '"sub"'),
        (jwt.encode({"exp": LATER, "sub": ""}, SECRET, "HS256"), "no user's id"),
        (jwt.encode({"exp": LATER, "sub": "a\x00b"}, SECRET, "HS256"), "no user's id"),
    ],
    ids=[
        "empty",
        "no token",
        "unsigned",
        "another secret",
        "another algorithm",
        "expired",
        "not yet valid",
        "no expiry",
        "no user",
        "an empty user",
        "a user with NUL",
    ],
)
def test_a_forged_token_signs_nobody_in(token: str, why: str) -> None:
    with pytest.raises(TokenRefused, match=why):
        checked(token, auth_secret=SECRET)


@pytest.mark.parametrize("claim", [{}, {"aud": "other"}, {"aud": "shop", "iss": "them"}])
def test_a_token_for_somebody_elses_service_signs_nobody_in(claim: dict[str, str]) -> None:
    token = jwt.encode({**CLAIMS, **claim}, SECRET, "HS256")
    with pytest.raises(TokenRefused):
        checked(token, auth_secret=SECRET, auth_audience="shop", auth_issuer="us")


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [
        (rsa.generate_private_key(65537, 2048), "RS256"),
        (ec.generate_private_key(ec.SECP256R1()), "ES256"),
        (ec.generate_private_key(ec.SECP384R1()), "ES384"),
        (ed25519.Ed25519PrivateKey.generate(), "EdDSA"),
    ],
)
def test_a_public_key_checks_by_its_own_algorithm(key: Any, algorithm: str, tmp_path: Path) -> None:
    token = jwt.encode(CLAIMS, key, algorithm)
    file = tmp_path / "key.pem"
    file.write_text(pem(key), encoding="utf-8")
    for given in (pem(key), pem(key).replace("\n", "\\n"), str(file)):
        assert checked(token, auth_public_key=given) == "ann"
    # The public key as if it were a shared secret, which everybody knows:
    forged = _hs256(pem(key))
    with pytest.raises(TokenRefused, match="alg"):
        checked(forged, auth_public_key=pem(key))


def _hs256(secret: str) -> str:
    from jwt.algorithms import HMACAlgorithm  # noqa: PLC0415

    head = jwt.encode(CLAIMS, "x" * 32, "HS256").rpartition(".")[0]
    sign = HMACAlgorithm(HMACAlgorithm.SHA256).sign(head.encode(), secret.encode())
    return f"{head}.{base64.urlsafe_b64encode(sign).rstrip(b'=').decode()}"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"auth_secret": "short"}, "LONGHAUL_AUTH_SECRET: 5 bytes are too few"),
        ({"auth_secret": SECRET, "auth_public_key": "x"}, "set one of them"),
        ({"auth_issuer": "us"}, "do nothing without"),
        ({"auth_public_key": "no.pem"}, "LONGHAUL_AUTH_PUBLIC_KEY: no public key"),
        (
            {"auth_public_key": "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"},
            "LONGHAUL_AUTH_PUBLIC_KEY: no public key",
        ),
        ({"auth_public_key": pem(x25519.X25519PrivateKey.generate())}, "is not one of RSA"),
        (
            {"auth_public_key": pem(ec.generate_private_key(ec.SECP256K1()))},
            "is not one of RSA",
        ),
    ],
)
def test_settings_that_cannot_check_a_token_fail_at_once(
    settings: dict[str, str], said: str
) -> None:
    with pytest.raises(SettingsError, match=said) as refused:
        verifier(read_settings(_env_file=None, **settings))
    assert "short" not in str(refused.value)


def test_without_a_shared_secret_nothing_is_signed() -> None:
    with pytest.raises(SettingsError, match="LONGHAUL_AUTH_SECRET is not set"):
        signed(read_settings(_env_file=None), "ann", now=NOW, hours=1)
