from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.fusion import Dense, best_legs, fused, min_max, search
from memory.recall.ranking import DEFAULT
from tests.unit.memory.recall.said import SMALL_TALK, index

TALK = index(*SMALL_TALK, "We named the ship Wandering Star", *SMALL_TALK)


def test_words_alone_find_it_while_the_vectors_are_away() -> None:
    found = search(TALK, "What was the ship called?", {})
    assert found[0].document.turn == 7
    assert found[0].dense == 0
    assert found[0].score == found[0].lexical == 1


def test_meaning_finds_what_no_word_does() -> None:
    dense: Dense = {("2-k", "user"): 0.9, ("4-k", "exchange"): 0.1}
    found = search(TALK, "relatives making music", dense)
    assert found[0].document.turn == 2
    assert found[0].dense == 1


def test_nothing_found_is_an_answer() -> None:
    assert search(TALK, "xylophone quartz", {}) == []
    assert search(TALK, "xylophone quartz", {("2-k", "user"): 0.2}) == []
    assert search(index(), "ship", {}) == []


def test_what_is_under_the_floor_is_dropped_and_not_padded() -> None:
    found = search(TALK, "What was the ship called?", {})
    assert 1 <= len(found) < len(TALK.documents)
    assert all(each.evidence >= DEFAULT.floor for each in found)


def test_neighbours_of_a_match_are_lifted_and_say_so() -> None:
    near: Dense = {("7-k", "user"): 0.9, ("1-k", "user"): 0.4}
    words, share = TALK.scores("ship")
    every = replace(DEFAULT, floor=0.0, nothing=0.0)
    by_turn = {each.document.turn: each for each in fused(TALK, words, share, near, ranking=every)}
    assert by_turn[8].neighbour > by_turn[12].neighbour == 0
    assert by_turn[8].dense > by_turn[12].dense


def test_the_better_leg_counts_and_a_missing_one_is_lowest() -> None:
    dense: Dense = {("1-k", "user"): 0.5, ("1-k", "exchange"): 0.7, ("3-k", "user"): 0.4}
    assert best_legs(index("x", "x", "x"), dense).tolist() == [
        np.float32(each) for each in (0.7, 0.4, 0.4)
    ]


def test_a_vector_of_an_erased_or_unfolded_row_is_no_matter() -> None:
    found = search(TALK, "ship", {("99-gone", "user"): 0.99, ("7-k", "user"): 0.5})
    assert found[0].document.turn == 7


@given(st.lists(st.floats(-1, 1, width=32), max_size=20))
def test_min_max_spans_nought_to_one(values: list[float]) -> None:
    scaled = min_max(np.array(values, np.float32))
    assert scaled.size == len(values)
    if len(set(values)) > 1:
        assert (scaled.min(), scaled.max()) == (0, 1)
    else:
        assert not scaled.any()


@given(
    st.dictionaries(
        st.tuples(st.sampled_from([f"{n}-k" for n in range(1, 14)]), st.sampled_from(["user"])),
        st.floats(-1, 1),
    ),
    st.sampled_from(["ship", "wandering choir", "soup late shoes", "nonsense", ""]),
)
def test_parts_stay_in_bounds_and_the_best_comes_first(dense: Dense, question: str) -> None:
    found = search(TALK, question, dense)
    assert [each.score for each in found] == sorted((e.score for e in found), reverse=True)
    for each in found:
        parts = (each.score, each.lexical, each.dense, each.neighbour, each.evidence)
        assert all(0 <= part <= 1.0001 for part in parts)
