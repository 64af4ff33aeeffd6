"""Thresholds: what ships, what falls short, and a file that is wrong."""

import tomllib
from pathlib import Path

import pytest

from evals.facts.__main__ import result as facts_result
from evals.facts.cases import read_cases
from evals.suites import corrections, gate
from evals.suites.detection import read_material
from evals.suites.result import FOLDER, Result, ThresholdError, share, shipped, short
from evals.suites.summaries import Folded
from evals.suites.summaries import result as summaries_result
from evals.suites.summary_cases import read_cases as read_summaries
from graph.environment import read_settings
from state.summary import EMPTY

FOUND = Result(suite="odd", model="rules", figures={"kept": 0.5, "gone": 1.0}, faults=[])


def test_the_model_chooses_the_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shipped(read_settings(_env_file=None)).name == "standin.toml"
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert shipped(read_settings(_env_file=None)).name == "model.toml"


@pytest.mark.parametrize("name", ["standin.toml", "model.toml"])
def test_each_shipped_threshold_is_of_a_figure_that_its_suite_has(name: str) -> None:
    folded = [Folded(name, case) for name, case in read_summaries().items()]
    results = [
        gate.result(gate.score(read_material(gate.MATERIAL))),
        corrections.result(corrections.score(read_material(corrections.MATERIAL))),
        facts_result(read_cases(), {case.id: None for case in read_cases()}, "none"),
        summaries_result(folded, "none"),
    ]
    sections = tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))
    assert {each.suite for each in results} <= set(sections)
    for each in results:
        assert set(sections[each.suite]) <= set(each.figures)
    # What the product does by rule is held to it; a model that says nothing passes nothing else.
    kept = {each.suite: short(each, FOLDER / name) for each in results}
    assert kept["gate"] == kept["corrections"] == []
    assert any("facts: recall" in line for line in kept["facts"])
    assert any("summaries: facts_kept 0.000" in line for line in kept["summaries"])
    assert folded[0].summary == EMPTY


def test_what_falls_short_is_named_with_what_was_wanted(tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text("[odd]\nkept = 0.75\ngone = 1\n[other]\nkept = 1\n", encoding="utf-8")
    assert short(FOUND, file) == ["odd: kept 0.500, wanted 0.750"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[odd]\nlost = 0.1", "odd has no figure 'lost', but kept, gone"),
        ("[odd]\nkept = 75", "odd kept = 75 is no share"),
        ("[odd]\nkept = 'all'", "odd kept = 'all' is no share"),
        ("odd", "Expected '='"),
    ],
)
def test_a_file_that_is_wrong_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ThresholdError) as told:
        short(FOUND, file)
    assert str(file) in str(told.value)
    assert fault in str(told.value)


def test_all_of_nothing_is_there() -> None:
    assert (share(0, 0), share(1, 4)) == (1.0, 0.25)
