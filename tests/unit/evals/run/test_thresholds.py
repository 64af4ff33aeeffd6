"""What falls short of a file of thresholds."""

from pathlib import Path

import pytest

from evals.run.plan import Plan, PlanError
from evals.run.report import Report, report
from evals.run.run import Outcome
from evals.run.thresholds import Thresholds, missed, read_thresholds
from evals.suites.result import FOLDER
from tests.unit.evals.run.samples import asked, record, sample_course, turn_of


def held(reply: str, *, stopped: str = "") -> Report:
    """A run up to the first probe, which was told nothing and got `reply`."""
    turn = turn_of("address")
    records = [record(n, {}) for n in range(1, turn)]
    records.append(record(turn, {"address": ["archive"]}, through=4, asked=asked(reply)))
    outcome = Outcome(course=sample_course(), records=records, stopped=stopped)
    return report(Plan(conversations=("sample",), model="m"), [outcome])


def test_what_falls_short_is_said() -> None:
    wanted = Thresholds(answered=0.5, told=0.5, most_stale=0.0, most_invented=0.0)
    assert missed(held("You live in 1 Elm Row.", stopped="the cap is reached"), wanted) == [
        "answered: 0.00, wanted 0.50",
        "told: 0.00, wanted 0.50",
        "stale: 1.00, at most 0.00",
        "sample: 8 of 15 turns",
    ]
    assert missed(held("In 2 Oak Row."), Thresholds(answered=1.0)) == []


def test_the_shipped_files_are_sound_and_ask_for_something() -> None:
    for name in ("standin.toml", "model.toml"):
        assert read_thresholds(FOLDER / name).told > 0.5


def test_a_file_that_is_wrong_is_named(tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    for text, fault in (
        ("[run]\nanswerd = 1\n", "answerd: Extra inputs"),
        ("answered = 1\n", r"there is no table \[run\]"),
        ("[run", "Expected"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(PlanError, match=rf"limits\.toml: {fault}"):
            read_thresholds(file)
    with pytest.raises(PlanError, match="No such file"):
        read_thresholds(tmp_path / "none.toml")


def test_the_report_names_the_part_and_keeps_the_strip() -> None:
    found = held("You live in 1 Elm Row.")
    [result] = found.conversations
    assert (found.verdicts, found.blames) == ({"stale value": 1}, {"extractor": 1})
    assert result.places["address"] == [(1, ""), (8, "---a-")]
    assert found.note == ""


def test_what_was_taken_back_is_not_counted_as_untold() -> None:
    records = [record(n, {}) for n in range(1, 15)]
    records.append(record(15, {}, through=12, asked=asked("I do not know where you live.")))
    outcome = Outcome(course=sample_course(), records=records)
    found = report(Plan(conversations=("sample",), model="stand-in"), [outcome])
    [probe] = found.conversations[0].probes
    assert (probe.verdict, probe.told) == ("answered", None)
    assert missed(found, Thresholds(answered=1.0)) == []
    assert found.note.startswith("The stand-in is a few rules")
