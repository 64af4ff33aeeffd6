"""A conversation laid out, and stretched."""

from datetime import timedelta
from itertools import pairwise
from statistics import median

import pytest

from evals.run.conversation import ConversationError, shipped
from evals.run.stretch import course, places_of
from tests.unit.evals.run.samples import sample, sample_course


def test_unstretched_the_written_turns_stand_at_their_numbers() -> None:
    laid = sample_course()
    assert [held.number for held in laid.turns] == list(range(1, 16))
    assert laid.turns[3].user.startswith("I moved to 2 Oak Row!")
    assert laid.turns[7].probe is not None
    assert laid.turns[7].reply is None
    assert all(laid.turns[n - 1].reply for n in (3, 5, 6, 7))


@pytest.mark.parametrize("turns", [60, 160])
def test_stretched_it_has_as_many_turns_and_all_that_was_written_in_order(turns: int) -> None:
    for conversation in shipped(["party", "typo"]):
        laid = course(conversation, seed=3, turns=turns)
        assert len(laid.turns) == turns
        written = [turn.user for turn in conversation.turns]
        there = [held.user for held in laid.turns if held.user in written]
        assert there == written
        assert laid.turns[-1].probe is not None


@pytest.mark.parametrize("turns", [600, 5000])
def test_each_shipped_conversation_has_a_plan_for_months(turns: int) -> None:
    for conversation in shipped():
        places = places_of(conversation, 0, turns)
        assert (places[0], places[-1]) == (1, turns)
        assert all(before < after for before, after in pairwise(places))
        gaps = [after - before for before, after in pairwise(places)]
        pairs = zip(gaps, conversation.turns[1:], strict=True)
        assert {gap for gap, turn in pairs if turn.follows} <= {1}
        # Nothing bunches: no silence takes half of the conversation.
        assert max(gaps) < turns / 2


def test_what_follows_stays_right_behind() -> None:
    [typo] = shipped(["typo"])
    laid = course(typo, seed=5, turns=160)
    assert laid.turns[1].user == typo.turns[1].user


def test_the_same_seed_gives_the_same_turns_and_another_gives_others() -> None:
    one, same, other = (course(sample(), seed=seed, turns=80).turns for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_time_goes_on_and_hours_pass_where_they_are_written() -> None:
    [companion] = shipped(["companion"])
    laid = course(companion, seed=0)
    steps = [after.at - before.at for before, after in pairwise(laid.turns)]
    assert all(step > timedelta(0) for step in steps)
    assert steps[5] == timedelta(hours=23)
    assert laid.turns[-1].at - laid.turns[0].at > timedelta(days=14)


def test_filler_is_varied_as_long_as_real_messages_and_says_nothing_that_is_planted() -> None:
    [parcel] = shipped(["parcel"])
    laid = course(parcel, seed=0, turns=300)
    written = {turn.user for turn in parcel.turns}
    filler = [held for held in laid.turns if held.user not in written]
    words = [len(held.user.split()) for held in filler]
    assert 10 < median(words) < 40
    assert max(words) > 200
    assert len({held.user for held in filler}) > 0.9 * len(filler)
    planted = [says for turn in parcel.turns for says in turn.says if says.value]
    said = "\n".join(f"{held.user}\n{held.reply}" for held in filler)
    assert [says.value for says in planted if says.stands_in(said)] == []


def test_it_is_never_cut() -> None:
    with pytest.raises(ConversationError, match="sample has 15 turns: it cannot be cut to 9"):
        course(sample(), seed=0, turns=9)


def test_what_stands_after_each_turn() -> None:
    laid = sample_course()
    before, first, second, gone = (laid.standing("address", turn) for turn in (0, 3, 13, 14))
    assert before.current is None
    assert first.current is not None
    assert (first.current.value, first.since, first.earlier) == ("1 Elm Row", 1, ())
    assert second.current is not None
    assert (second.current.value, second.since) == ("2 Oak Row", 4)
    assert [value.value for value in second.earlier] == ["1 Elm Row"]
    assert gone.current is None
    assert [value.value for value in gone.earlier] == ["1 Elm Row", "2 Oak Row"]


def test_a_value_that_comes_back_is_none_of_those_that_went() -> None:
    [party] = shipped(["party"])
    budget = course(party, seed=0).standing("budget", 40)
    assert budget.current is not None
    assert budget.current.value == "600"
    assert [value.value for value in budget.earlier] == ["850"]
