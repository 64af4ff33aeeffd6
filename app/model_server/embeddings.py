"""Vectors that depend on nothing but the text: texts that share words lie close together."""

import base64
import re
import struct
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from math import sqrt
from typing import Any

from app.model_server.chat import BadRequestError

DIMENSIONS = 256


def embed(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Hash each word to one signed place, and scale the sum to length 1."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()) or [text]:
        digest = int.from_bytes(blake2b(word.encode(), digest_size=8).digest())
        vector[(digest >> 1) % dimensions] += 1.0 if digest & 1 else -1.0
    length = sqrt(sum(value * value for value in vector))
    if length == 0.0:
        vector[0] = length = 1.0
    return [value / length for value in vector]


def response(body: Mapping[str, Any]) -> dict[str, Any]:
    """Answer `POST /v1/embeddings`; `BadRequestError` for an input that the API refuses."""
    if not isinstance(body.get("model"), str):
        raise BadRequestError("'model' must be a string")
    texts = _texts(body.get("input"))
    dimensions = body.get("dimensions") or DIMENSIONS
    vectors = [embed(text, dimensions) for text in texts]
    as_base64 = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": i, "embedding": _base64(vector) if as_base64 else vector}
        for i, vector in enumerate(vectors)
    ]
    tokens = sum(len(text) for text in texts) // 4 + 1
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def _texts(given: object) -> list[str]:
    """Texts or arrays of token numbers, one or many; tokens count as words."""
    if isinstance(given, str) or _is_tokens(given):
        given = [given]
    if not isinstance(given, list) or not given:
        raise BadRequestError("'input' must be a string or a non-empty array")
    return [_text(each) for each in given]


def _text(given: object) -> str:
    if isinstance(given, str) and given:
        return given
    if isinstance(given, list) and _is_tokens(given):
        return " ".join(str(token) for token in given)
    raise BadRequestError(f"'input' holds {given!r}, which is no text")


def _is_tokens(given: object) -> bool:
    return isinstance(given, list) and bool(given) and all(isinstance(each, int) for each in given)


def _base64(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
