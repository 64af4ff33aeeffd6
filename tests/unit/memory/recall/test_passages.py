from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memory.recall.documents import Document
from memory.recall.fusion import Scored
from memory.recall.passages import CUT, FRAME, chosen, excerpt
from memory.recall.ranking import DEFAULT
from memory.recall.terms import asked
from state.tokens import count_text
from tests.unit.memory.recall.said import document

FILLER = "There is a lot to say about the weather in the hills, and much of it is dull. "


def scored(said: Document, score: float = 1.0) -> Scored:
    return Scored(document=said, score=score, lexical=0, dense=0, neighbour=0, evidence=1)


def test_passages_come_in_order_of_turn() -> None:
    found = [scored(document(turn, f"about {turn}")) for turn in (9, 2, 5)]
    assert [each["turn"] for each in chosen(found, "about")] == [2, 5, 9]


def test_the_budget_holds_the_best() -> None:
    found = [scored(document(turn, FILLER), 1 / turn) for turn in range(1, 50)]
    ranking = replace(DEFAULT, budget=300)
    passages = chosen(found, "weather", ranking)
    assert [each["turn"] for each in passages] == list(range(1, len(passages) + 1))
    assert 2 < len(passages) < 10


def test_a_long_reply_is_excerpted_around_the_match() -> None:
    said = document(1, "Name it", FILLER * 40 + "The ship is the Wandering Star. " + FILLER * 40)
    (passage,) = chosen([scored(said)], "What was the ship called?")
    assert "The ship is the Wandering Star." in passage["assistant"]
    assert passage["assistant"].startswith(CUT)
    assert passage["assistant"].endswith(CUT)
    assert passage["cut"]
    assert passage["user"] == "Name it"
    assert count_text(passage["assistant"]) <= DEFAULT.excerpt


def test_what_is_short_is_whole() -> None:
    (passage,) = chosen([scored(document(1, "Hello", "Hello to you."))], "hello")
    assert (passage["user"], passage["assistant"]) == ("Hello", "Hello to you.")
    assert not passage["cut"]


def test_nothing_found_shows_nothing() -> None:
    assert chosen([], "ship") == []
    assert chosen([scored(document(1, "ship"))], "ship", replace(DEFAULT, budget=10)) == []


@given(st.text(max_size=3000), st.integers(5, 200))
def test_an_excerpt_keeps_its_limit(text: str, limit: int) -> None:
    shown = excerpt(text, frozenset(asked("ship")), limit)
    assert shown == text or count_text(shown) <= limit


@given(st.lists(st.text(max_size=2000), max_size=12), st.integers(0, 1500))
def test_passages_keep_their_budget(texts: list[str], budget: int) -> None:
    found = [scored(document(turn, text, text[::-1])) for turn, text in enumerate(texts)]
    passages = chosen(found, "what was it", replace(DEFAULT, budget=budget))
    used = sum(FRAME + count_text(p["user"]) + count_text(p["assistant"]) for p in passages)
    assert used <= budget
