import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.documents import Speakers
from memory.recall.lexical import Lexical
from state.wording import folded, holds
from tests.unit.memory.recall.said import SMALL_TALK, document, index

SAID = ["ship", "dog", "red", "moon", "ab-1234", "painted", "小白"]
WORDS = st.lists(st.sampled_from(SAID), max_size=5)


def best(lexical: Lexical, question: str) -> int:
    return lexical.documents[int(np.argmax(lexical.scores(question)[0]))].turn


def test_the_exchange_that_says_it_is_found() -> None:
    lexical = index(*SMALL_TALK, "We named the ship Wandering Star", *SMALL_TALK)
    assert best(lexical, "What was the ship called?") == 7
    assert best(lexical, "wandring star") == 7


def test_the_reply_is_found_as_well() -> None:
    lexical = Lexical()
    lexical.grow([document(1, "And then?", "Then take AB-1234."), document(2, "Good", "Yes.")])
    assert best(lexical, "what was ab-1234") == 1


@given(
    st.lists(st.text("ab1é小-. ", max_size=12), max_size=4),
    st.text("ab1é小-.", min_size=1, max_size=8),
)
def test_what_a_text_holds_is_never_ruled_out(texts: list[str], value: str) -> None:
    lexical = index(*texts)
    if any(holds(folded(text), folded(value)) for text in texts):
        assert lexical.may_hold(folded(value))


def test_what_no_text_can_hold_is_ruled_out() -> None:
    lexical = index(*SMALL_TALK, "order LH20481137 for Bramblewood")
    assert lexical.may_hold("lh20481137")
    assert lexical.may_hold("bramb")
    assert not lexical.may_hold("lh20481138")
    assert not lexical.may_hold("oswin")


def test_a_neighbour_is_found_a_little_and_less_over_a_pause() -> None:
    lexical = Lexical()
    days = ["2026-03-01T10:00", "2026-03-01T10:05", "2026-03-02T10:00", "2026-03-02T10:01"]
    said = ["It is late", "The ship is red", "Good morning", "It rains"]
    lexical.grow([document(n, w, at=a) for n, (w, a) in enumerate(zip(said, days, strict=True))])
    before, found, after, _ = lexical.scores("ship")[0]
    assert found > before > after > 0


def test_a_long_reply_weighs_less_word_for_word() -> None:
    lexical = Lexical()
    long_reply = " ".join(f"word{n}" for n in range(300))
    far = [document(n, each) for n, each in enumerate(SMALL_TALK, 2)]
    lexical.grow(
        [document(1, "Hm", f"The harbour. {long_reply}"), *far, document(9, "The harbour", "Yes.")]
    )
    scores = lexical.scores("harbour")[0]
    assert scores[-1] > scores[0] > 0


def test_the_share_is_of_what_was_asked() -> None:
    lexical = index(*SMALL_TALK, "We named the ship Wandering Star")
    whole = lexical.scores("ship wandering star")[1].max()
    part = lexical.scores("ship elephant trombone")[1].max()
    assert 0 < part < whole <= 1
    assert lexical.scores("xylophone")[1].max() == 0


def test_speakers_and_dates_are_words_too() -> None:
    lexical = Lexical(speakers=Speakers(user="Melanie", assistant="Caroline"))
    lexical.grow(
        [document(1, "Hello", at="2026-03-01T10:00"), document(2, "Hello", at="2026-07-09T10:00")]
    )
    assert best(lexical, "in July") == 2
    assert lexical.scores("Melanie")[0].min() > 0


def test_nothing_is_found_in_nothing() -> None:
    assert [part.size for part in Lexical().scores("ship")] == [0, 0]
    assert index("").scores("ship")[0].tolist() == [0]
    assert not index("ship").scores("?!")[0].any()


@given(st.lists(WORDS, max_size=8), st.integers(0, 8), WORDS)
def test_growing_ends_where_building_at_once_does(
    said: list[list[str]], cut: int, question: list[str]
) -> None:
    documents = [document(n, " ".join(words)) for n, words in enumerate(said)]
    grown, built = Lexical(), Lexical()
    grown.grow(documents[:cut])
    grown.scores(" ".join(question))
    grown.grow(documents[cut:])
    built.grow(documents)
    for one, other in zip(
        grown.scores(" ".join(question)), built.scores(" ".join(question)), strict=True
    ):
        assert one.tolist() == other.tolist()
        assert np.isfinite(one).all()
