"""What is written of a run, read again: also after a crash."""

import json
from pathlib import Path

import pytest

from evals.run.plan import Plan, PlanError, begun
from evals.run.records import RecordsError, append, read_records
from tests.unit.evals.run.samples import asked, record


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    written = [
        record(1, {"order": ["window", "request"]}),
        record(2, {}, asked=asked("It is\nhere.", log=[("stated", "x")])),
    ]
    for each in written:
        append(tmp_path / "one.jsonl", each)
    assert read_records(tmp_path / "one.jsonl") == written
    assert read_records(tmp_path / "none.jsonl") == []


def test_what_an_older_release_wrote_is_read(tmp_path: Path) -> None:
    newer = {"layers", "otherwise", "spent"}
    line = record(1, {"order": ["window"]}, asked=asked("Here."))
    told = line.model_dump_json(exclude={**dict.fromkeys(newer, True), "asked": {"first_token"}})
    (tmp_path / "one.jsonl").write_text(told + "\n", encoding="utf-8")
    assert not newer & json.loads(told).keys()
    assert read_records(tmp_path / "one.jsonl") == [line]


def test_a_line_that_a_crash_cut_is_dropped_and_the_next_stands_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    append(file, record(1, {}))
    with file.open("a", encoding="utf-8") as opened:
        opened.write('{"turn": 2, "ver')
    assert [each.turn for each in read_records(file)] == [1]
    append(file, record(2, {}))
    assert [each.turn for each in read_records(file)] == [1, 2]


def test_a_file_that_is_none_of_ours_is_named_with_the_line(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    append(file, record(1, {}))
    file.write_text(file.read_text(encoding="utf-8") + "{}\n", encoding="utf-8")
    with pytest.raises(RecordsError, match=r"one\.jsonl, line 2: Field required"):
        read_records(file)
    file.unlink()
    append(file, record(3, {}))
    with pytest.raises(RecordsError, match=r"line 1 is of turn 3"):
        read_records(file)


def test_a_folder_holds_one_run(tmp_path: Path) -> None:
    plan = Plan(conversations=("party",), seed=3)
    first = begun(tmp_path / "run", plan)
    assert begun(tmp_path / "run", plan) == first
    assert begun(tmp_path / "other", plan).id != first.id
    with pytest.raises(PlanError, match=r"another run \(seed, turns differ\)"):
        begun(tmp_path / "run", plan.model_copy(update={"seed": 4, "turns": 60}))
    (tmp_path / "run" / "run.json").write_text("{}", encoding="utf-8")
    with pytest.raises(PlanError, match=r"run\.json: Field required"):
        begun(tmp_path / "run", plan)
