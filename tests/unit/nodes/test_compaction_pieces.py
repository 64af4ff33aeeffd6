"""Texts in pieces for a summariser: whole, in order, none too long."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from nodes.compaction import pieces
from state.tokens import count_text

texts = st.dictionaries(
    st.integers(1, 20),
    st.builds(
        lambda unit, times: unit * times,
        st.sampled_from(["word ", "4471", "注文", "<user>a</user>\n", "😀", "x"]),
        st.sampled_from([1, 30, 400]),
    ),
    max_size=6,
).map(lambda found: dict(sorted(found.items())))


@settings(max_examples=60)
@given(texts, st.integers(20, 300))
def test_nothing_is_lost_moved_or_too_long(texts: dict[int, str], most: int) -> None:
    grouped = pieces(texts, most)
    parts = [part for piece in grouped for part in piece]
    turns = [turn for turn, _ in parts]
    assert turns == sorted(turns)
    whole = {turn: "".join(t for n, t in parts if n == turn) for turn in texts}
    assert whole == texts
    for piece in grouped:
        assert piece
        assert sum(count_text(text) for _, text in piece) <= most


@settings(max_examples=60)
@given(texts, st.integers(20, 300))
def test_no_request_is_made_that_the_one_before_had_room_for(
    texts: dict[int, str], most: int
) -> None:
    for before, after in pairwise(pieces(texts, most)):
        assert sum(count_text(text) for _, text in [*before, after[0]]) > most


def test_a_text_is_split_between_words() -> None:
    [[(_, one)], [(_, other)]] = pieces({1: "word " * 300}, 200)
    assert one.endswith("word")
    assert other.startswith(" word")
