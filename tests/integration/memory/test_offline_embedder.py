"""The embedder that works without a network, loaded as it ships."""

import logging
import math
import subprocess
import sys

import pytest

from graph.settings import Settings
from memory.embeddings import OFFLINE, offline
from tests.project import ROOT


def dot(one: list[float], other: list[float]) -> float:
    return sum(x * y for x, y in zip(one, other, strict=True))


async def test_the_offline_embedder_finds_what_is_meant() -> None:
    embedder = offline()
    texts = ["My dog is called Rex.", "The invoice is due in May.", "", " \n", "x" * 100_000]
    dog, invoice, empty, blank, long = await embedder.documents(texts)
    asked = await embedder.query("What is the name of the puppy?")

    assert embedder.name == OFFLINE == Settings.model_fields["embedding_model"].default
    assert {len(v) for v in (dog, invoice, empty, blank, long, asked)} == {256}
    assert [math.hypot(*v) for v in (dog, long, asked)] == pytest.approx([1, 1, 1])
    assert not any(empty)
    assert not any(blank)
    assert dot(asked, dog) > dot(asked, invoice) + 0.1


def test_loading_the_offline_embedder_leaves_the_logging_alone() -> None:
    before = (logging.root.level, list(logging.root.handlers))
    code = (
        "import logging; from memory.embeddings import offline;"
        "offline().model.embed_query('a'); print(logging.root.level, logging.root.handlers)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "30 []\n"
    assert before == (logging.root.level, list(logging.root.handlers))
