"""Two reports, probe by probe."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.run.compare import cli, told
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


def test_the_command_shows_what_moved_and_ends_well(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    old, new = tmp_path / "old" / "report.json", tmp_path / "new.json"
    old.write_text(held({"address", "ship"}).model_dump_json(), encoding="utf-8")
    newer = held({"address", "plan"})
    plan = newer.plan.model_copy(update={"model": "other"})
    new.write_text(newer.model_copy(update={"plan": plan}).model_dump_json(), encoding="utf-8")
    done = CliRunner().invoke(cli, [str(tmp_path / "old"), str(new)])
    assert done.exit_code == 0, done.output
    rows = [line.split() for line in done.output.splitlines()]
    assert [[row[1], row[7]] for row in rows if "sample" in row] == [
        ["better", "plan"],
        ["worse", "ship"],
    ]
    assert "model: stand-in -> other" in done.output
    assert "1 better, 1 worse, 5 alike: no difference" in done.output
    same = CliRunner().invoke(cli, [str(old), str(old)])
    assert "Each probe has the same verdict." in same.output


def test_the_command_names_what_it_cannot_read(tmp_path: Path) -> None:
    odd = tmp_path / "odd.json"
    odd.write_text("{}", encoding="utf-8")
    for path, told_so in ((tmp_path, "report.json: No such file"), (odd, "is no report of this")):
        done = CliRunner().invoke(cli, [str(path), str(path)])
        assert done.exit_code == 2
        assert told_so in done.output
