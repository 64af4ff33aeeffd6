"""Vectors without a server, and what is made of a server's refusals."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import openai
import pytest
from langchain_core.embeddings import Embeddings

from memory.embeddings import Embedder, EmbeddingError


def status(code: int) -> openai.APIStatusError:
    response: Any = SimpleNamespace(status_code=code, headers={}, request=None)
    return openai.APIStatusError("sk-secret", response=response, body=None)


@dataclass
class Scripted(Embeddings):
    """Refuses the texts that it is told to."""

    bad: set[str] = field(default_factory=set)
    code: int = 400
    asked: list[list[str]] = field(default_factory=list)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(texts)
        if self.bad & set(texts) or "*" in self.bad:
            raise status(self.code)
        return [[3.0, 4.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


async def test_vectors_have_length_one() -> None:
    assert await Embedder(name="m", model=Scripted()).query("a") == [0.6, 0.8]


async def test_what_is_refused_alone_is_left_out_and_the_rest_is_made() -> None:
    embedder = Embedder(name="m", model=Scripted(bad={"c", "f"}))
    made = await embedder.each(list("abcdefg"))
    assert [vector is not None for vector in made] == [c not in "cf" for c in "abcdefg"]


async def test_a_server_that_refuses_everything_has_failed() -> None:
    scripted = Scripted(bad={"*"})
    with pytest.raises(EmbeddingError, match=r"^embedding model 'm' at e.example was refused"):
        await Embedder(name="m", model=scripted, server="e.example").each(["a", "b"])
    assert scripted.asked[-1] == ["hello"]


@pytest.mark.parametrize("code", [401, 404, 429, 500])
async def test_a_server_that_is_down_is_not_asked_for_each(code: int) -> None:
    scripted = Scripted(bad={"*"}, code=code)
    with pytest.raises(EmbeddingError, match=f"status {code}") as failed:
        await Embedder(name="m", model=scripted).each(["a", "b", "c"])
    assert len(scripted.asked) == 1
    assert "secret" not in str(failed.value)
