"""Two reports, probe by probe."""

import pytest

from evals.run.compare import told
from evals.run.pairs import Pair, PairsError, chance, left_out, pairs
from evals.run.plan import Plan
from evals.run.report import Report, report
from evals.run.run import Outcome
from tests.unit.evals.run.samples import asked, record, sample_course, turn_of

OURS = "longhaul"
RIGHT = {"address": "2 Oak Row", "ship": "Heron", "plan": "A feast.", "order": "LH00000001"}


def held(right: set[str], *, seed: int = 0, turns: int | None = None) -> Report:
    """A run that answered `right`, held for so many turns."""
    course = sample_course()
    records = []
    for turn in course.turns[:turns]:
        fact = turn.probe.fact if turn.probe else ""
        reply = RIGHT.get(fact, "I do not know.") if fact in right else "I do not know."
        records.append(record(turn.number, {}, asked=asked(reply) if turn.probe else None))
    plan = Plan(conversations=("sample",), seed=seed)
    return report(plan, [Outcome(course=course, records=records)])


def by_fact(before: Report, after: Report) -> dict[str, Pair]:
    found = pairs(([before], OURS), ([after], OURS))
    return {pair.asked: pair for pair in reversed(found)}


def test_each_probe_is_set_beside_itself() -> None:
    found = by_fact(held({"address", "ship"}), held({"address", "plan"}))
    assert (found["ship"].before, found["ship"].after) == ("answered", "forgotten")
    assert {fact for fact, pair in found.items() if pair.better} == {"plan"}
    assert {fact for fact, pair in found.items() if pair.worse} == {"ship"}
    assert found["address"].turn == turn_of("address")


def test_what_one_side_alone_was_asked_is_left_out() -> None:
    whole, part = held({"address"}), held({"address"}, turns=turn_of("ship"))
    assert len(pairs(([whole], OURS), ([part], OURS))) == 2
    assert left_out(([whole], OURS), ([part], OURS)) == 5
    with pytest.raises(PairsError, match="share no probe"):
        pairs(([whole], OURS), ([held(set(), seed=1)], OURS))


def test_several_seeds_are_more_probes_and_none_comes_twice() -> None:
    old = [held(set()), held(set(), seed=1)]
    new = [held({"ship"}, seed=1), held({"ship"})]
    assert sum(pair.better for pair in pairs((old, OURS), (new, OURS))) == 2
    with pytest.raises(PairsError, match="two reports of one side hold sample with seed 0"):
        pairs(([old[0], old[0]], OURS), (new, OURS))


def test_a_strategy_that_was_not_asked_under_is_refused() -> None:
    with pytest.raises(PairsError, match="'facts' is none of longhaul"):
        pairs(([held(set())], OURS), ([held(set())], "facts"))


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, 1.0), (3, 3, 1.0), (5, 0, 0.0625), (0, 6, 0.03125), (9, 1, 22 / 1024)],
)
def test_chance_is_that_of_a_fair_coin(better: int, worse: int, p: float) -> None:
    assert chance(better, worse) == chance(worse, better) == pytest.approx(p)


@pytest.mark.parametrize(
    ("better", "words"),
    [
        (0, "0 better, 0 worse, 12 alike: no difference (McNemar's exact test, p = 1.000)"),
        (5, "5 better, 0 worse, 7 alike: not more than noise (McNemar's exact test, p = 0.062)"),
        (6, "6 better, 0 worse, 6 alike: more than noise (McNemar's exact test, p = 0.031)"),
        (12, "12 better, 0 worse, 0 alike: more than noise (McNemar's exact test, p < 0.001)"),
    ],
)
def test_it_is_said_whether_it_is_more_than_noise(better: int, words: str) -> None:
    same = Pair("sample", 1, "ship", "forgotten", "forgotten")
    found = [Pair("sample", 1, "ship", "forgotten", "answered")] * better
    assert told([*found, *[same] * (12 - better)]) == words
