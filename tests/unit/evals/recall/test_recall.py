import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings

from evals.recall import locomo, longmemeval
from evals.recall.__main__ import measured, tables
from evals.recall.score import OVERALL
from memory.embeddings import Embedder

HARBOUR = "The boat in the harbour is called Wandering Star"


class Letters(Embeddings):
    """Counts letters."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[text.count(letter) + 0.1 for letter in "abcdefgh"] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


LETTERS = Embedder(name="letters", model=Letters())


def turn(speaker: str, name: str, text: str, **more: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": name, "text": text, **more}


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    told = {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [turn("Ann", "D2:1", HARBOUR), turn("Bo", "D2:2", "What a name!")],
        "session_1_date_time": "11:05 am on 1 May, 2023",
        "session_1": [
            turn("Bo", "D1:1", "Hello Ann"),
            turn("Ann", "D1:2", "Hello", blip_caption="a photo of a cake"),
            turn("Ann", "D1:3", "It was my birthday"),
            turn("Bo", "D1:4", "Many returns!"),
        ],
    }
    asked = [
        {"question": "What is the boat called?", "evidence": ["D2:1; D1:04"], "category": 1},
        {"question": "Which cake?", "evidence": ["D1:3"], "category": 5},
        {"question": "Nothing?", "evidence": ["D9:9", "D"], "category": 4},
    ]
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "one", "conversation": told, "qa": asked}]))
    return path


def test_locomo_is_cut_at_the_users_turns_and_at_sessions(sample: Path) -> None:
    (talk,) = locomo.read(sample)
    assert [(each.user, each.assistant) for each in talk.documents] == [
        ("", "Hello Ann"),
        ("Hello [a photo of a cake]\nIt was my birthday", "Many returns!"),
        (HARBOUR, "What a name!"),
    ]
    assert talk.documents[0].at.startswith("2023-05-01T11:05")
    keys = [each.key for each in talk.documents]
    assert [each.evidence for each in talk.questions] == [{keys[2], keys[1]}, {keys[1]}]
    assert [each.category for each in talk.questions] == ["multi-hop", "adversarial"]


def haystack(**more: Any) -> dict[str, Any]:
    marked = {"role": "user", "content": HARBOUR, "has_answer": True}
    return {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What is my boat called?",
        "haystack_session_ids": ["late", "early"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/02 (Tue) 10:00"],
        "haystack_sessions": [
            [marked, {"role": "assistant", "content": "Nice."}],
            [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}],
        ],
        "answer_session_ids": ["late"],
        **more,
    }


def test_a_haystack_is_put_in_order_of_time(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([haystack()]))
    (talk,) = longmemeval.read(tmp_path)
    assert [each.user for each in talk.documents] == ["Hello", HARBOUR]
    assert talk.questions[0].evidence == {talk.documents[1].key}


def test_without_marks_the_answers_sessions_count_and_without_both_nothing(tmp_path: Path) -> None:
    plain = [[{"role": "user", "content": "a"}], [{"role": "user", "content": "b"}]]
    unmarked = haystack(haystack_sessions=plain)
    unanswered = haystack(haystack_sessions=plain, answer_session_ids=[])
    (tmp_path / "a.json").write_text(json.dumps([unmarked, unanswered]))
    (talk,) = longmemeval.read(tmp_path)
    assert talk.questions[0].evidence == {talk.documents[1].key}


async def test_every_way_is_measured_and_the_adversarial_stay_apart(sample: Path) -> None:
    board = await measured(locomo.read(sample), LETTERS, apart=locomo.ADVERSARIAL)
    assert board.categories() == [OVERALL, "adversarial", "multi-hop"]
    figures = board.plain()
    assert set(figures[OVERALL]) == {"dense", "BM25", "RRF", "fused", "longhaul"}
    assert board.recalls[OVERALL, "fused", "@10"].questions == 1
    assert figures[OVERALL]["fused"]["@10"] == {"recall": 1.0, "any": 1.0, "all": 1.0}
    assert figures[OVERALL]["dense"]["640 tokens"]["recall"] == 1.0
    assert len(tables(board, "LoCoMo")) == 3


async def test_what_is_found_in_part_counts_in_part(sample: Path) -> None:
    board = await measured(locomo.read(sample), LETTERS)
    part = board.recalls[OVERALL, "longhaul", "@10"]
    assert part.any == 2
    assert 0.5 <= part.means()["recall"] <= 1.0
