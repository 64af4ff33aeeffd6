"""What the model saw, on the terminal."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evals.run.conversation import shipped
from evals.run.plan import Plan, begun
from evals.run.records import Other, Sent, append
from evals.run.show import cli
from evals.run.stretch import course
from tests.unit.evals.run.samples import asked, record

SENT = [
    Sent(role="system", content="Be kind.\n\n<facts>\n- order: LH77120394\n</facts>"),
    Sent(role="user", content="What is my order number?"),
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A folder with a run of `typo` up to its first question."""
    begun(tmp_path, Plan(conversations=("typo",), strategies=("last-n",)))
    [typo] = shipped(["typo"])
    probe = next(held for held in course(typo, seed=0).turns if held.probe)
    others = {"last-n": Other(reply="I cannot see it.", request_tokens=77)}
    question = asked("It is LH77120394.").model_copy(update={"request": SENT, "others": others})
    for turn in range(1, probe.number):
        append(tmp_path / "typo.jsonl", record(turn, {}))
    append(tmp_path / "typo.jsonl", record(probe.number, {}, asked=question))
    return tmp_path


def shown(run: Path, given: Sequence[str], name: str = "typo") -> Result:
    return CliRunner().invoke(cli, [name, *given, "--out", str(run)])


def test_ours_is_shown_as_it_was_sent(run: Path) -> None:
    done = shown(run, ["order"])
    assert done.exit_code == 0, done.output
    assert "turn 20, order, under longhaul: 100 tokens" in done.output
    assert "- order: LH77120394" in done.output
    assert "--- reply\nIt is LH77120394.\n--- answered" in done.output
    assert shown(run, ["lamp"]).output == ""


def test_all_strategies_are_shown_one_after_the_other(run: Path) -> None:
    done = shown(run, ["--strategy", "all"])
    first, second = done.output.split("under longhaul")
    assert "under last-n: 77 tokens" in first
    assert "<facts>" not in first
    assert "--- reply\nI cannot see it.\n--- forgotten" in first
    assert "<facts>" in second


def test_a_strategy_that_was_not_asked_under_is_refused(run: Path) -> None:
    done = shown(run, ["--strategy", "facts"])
    assert done.exit_code == 2
    assert "the run did not ask under 'facts', but under last-n, longhaul" in done.output


def test_a_conversation_that_was_not_held_is_refused(run: Path) -> None:
    done = shown(run, [], name="party")
    assert done.exit_code == 2
    assert "the run holds typo, and no 'party'" in done.output
