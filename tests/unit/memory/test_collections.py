"""Which collection is searched."""

from typing import Any, cast

import pytest

from memory.collections import Kept, chosen, collection_name
from memory.scope import ModelChangedError

HELD = cast("Any", None)


def kept(model: str = "m", size: int = 3, *, whole: bool = True, made: int = 1) -> Kept:
    return Kept(HELD, model, size, whole, made)


def test_without_any_there_is_none() -> None:
    assert chosen([], "m", 3) is None


def test_the_newest_whole_one_of_the_model_is_searched() -> None:
    found = [kept(made=2), kept(made=3), kept(made=4, whole=False), kept("other", made=9)]
    assert chosen(found, "m", 3) == found[1]
    assert chosen(found, "m", None) == found[1]


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (kept("old"), "those of 'old' with 3 dimensions, and the embedding model is 'm' with 3"),
        (kept(size=4), "those of 'm' with 4 dimensions, and the embedding model is 'm' with 3"),
        (kept(whole=False), "run `longhaul reindex`"),
    ],
)
def test_others_alone_are_refused_with_what_to_do(found: Kept, text: str) -> None:
    with pytest.raises(ModelChangedError) as refused:
        chosen([found], "m", 3)
    assert text in str(refused.value)


@pytest.mark.parametrize("model", ["", "a/b:c d", "é" * 500])
def test_any_models_name_makes_a_name_that_chroma_takes(model: str) -> None:
    name = collection_name("longhaul", model, 3072, 12)
    assert name.isascii()
    assert 3 <= len(name) <= 63
    assert name.replace("-", "").isalnum()
    assert name != collection_name("longhaul", model, 3071, 12)
