"""What must hold: each check fails when its figure falls short."""

from dataclasses import replace

import pytest

from evals.bench.checks import checks
from evals.bench.figures import Figures, Spread
from tests.unit.evals.bench.samples import CALM, end, sample

THEIRS = {
    "all": sample("all", tokens=(80_000, 80_000)),
    "langchain-tuned": sample("langchain-tuned"),
}
LONG = sample("longhaul")
SLOW = replace(LONG, gap_due=CALM)


def _failing(ours: Figures, *, slow: Figures = SLOW, old: Figures = LONG) -> list[str]:
    made = checks({"longhaul": ours, **THEIRS}, {"longhaul": slow}, old, LONG)
    assert len(made) == 13
    return [each.what for each in made if not each.holds]


def test_all_hold() -> None:
    assert _failing(sample("longhaul")) == []


@pytest.mark.parametrize(
    ("ours", "what"),
    [
        (sample("longhaul", lost=0.01), "planted values lost"),
        (sample("longhaul", tokens=(20_000, 1000)), "input over sending everything"),
        (sample("longhaul", repeated=0.8), "prefix share"),
        (sample("longhaul", first=end(50.0), last=end(50.0)), "time of a turn"),
        (sample("longhaul", to_model_ms=14.0), "message in to model called"),
        (
            sample(
                "longhaul",
                warnings={"thread %s: the window is full; waiting for its summary": 1},
            ),
            "warnings",
        ),
    ],
)
def test_a_figure_that_falls_short_fails_its_check(ours: Figures, what: str) -> None:
    [failing] = _failing(ours)

    assert what in failing


def test_a_turn_that_waits_for_a_slow_summary_fails_its_check() -> None:
    waited = Spread(count=4, p50=2100.0, p95=2200.0, most=2300.0)

    [failing] = _failing(sample("longhaul"), slow=replace(LONG, gap_due=waited))

    assert failing.startswith("longest wait for a token")


def test_what_grows_fails_its_check() -> None:
    growing = sample("longhaul", last=end(23.0, tokens=5600.0))

    failing = _failing(sample("longhaul"), old=growing)

    assert [each.split(",")[0] for each in failing] == ["time", "tokens"]


def test_without_figures_there_are_no_checks() -> None:
    assert checks({}, {}, None, None) == []
    assert len(checks({"longhaul": sample("longhaul")}, {}, None, None)) == 3
