import base64
import struct
from math import isclose
from typing import Any

import pytest

from app.model_server.chat import BadRequestError
from app.model_server.embeddings import embed, response


def dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_is_deterministic_and_of_length_one() -> None:
    vector = embed("Where is the parcel?")
    assert vector == embed("Where is the parcel?")
    assert isclose(dot(vector, vector), 1.0)


@pytest.mark.parametrize("text", ["?!", "\N{DOG FACE}", "a b", "x" * 5000])
def test_every_text_has_a_vector(text: str) -> None:
    vector = embed(text, 3)
    assert isclose(dot(vector, vector), 1.0)


def test_texts_that_share_words_are_closer() -> None:
    question = embed("what is the name of the dog")
    assert dot(question, embed("the dog has a name")) > dot(question, embed("rain in York"))


def test_base64_holds_the_same_numbers() -> None:
    given = {"model": "e", "input": "a dog", "dimensions": 8}
    plain = response(given)["data"][0]["embedding"]
    encoded = response({**given, "encoding_format": "base64"})["data"][0]["embedding"]
    assert list(struct.unpack("<8f", base64.b64decode(encoded))) == pytest.approx(plain)


def test_takes_one_many_and_tokens() -> None:
    def count(given: object) -> int:
        return len(response({"model": "e", "input": given})["data"])

    assert [count("a"), count(["a", "b"]), count([1, 2]), count([[1, 2], [3]])] == [1, 2, 1, 2]


@pytest.mark.parametrize(
    "body",
    [
        {"input": "a"},
        {"model": "e"},
        {"model": "e", "input": ""},
        {"model": "e", "input": []},
        {"model": "e", "input": ["a", ""]},
        {"model": "e", "input": [{"text": "a"}]},
    ],
)
def test_refuses_what_the_api_refuses(body: dict[str, Any]) -> None:
    with pytest.raises(BadRequestError):
        response(body)
