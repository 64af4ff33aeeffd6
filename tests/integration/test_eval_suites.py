"""The suites as commands: with the stand-in they pass, and a part that is broken is seen."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.model_server import standin
from app.model_server.chat import ChatRequest
from app.model_server.script import Answer, Script
from app.model_server.server import ModelServer
from app.model_server.steps import Step, text
from evals.cli import cli
from evals.suites.result import FOLDER
from state.refers_back import Decision

LIMITS = FOLDER / "standin.toml"

Ask = Callable[..., Any]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Runs a command whose model answers as it is told, against the stand-in's thresholds."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LONGHAUL_MODEL", "small")

    def run(*arguments: str, answer: Answer = standin.answer) -> Any:
        with ModelServer(Script(answer)) as model:
            monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
            return CliRunner().invoke(cli, [*arguments, "--thresholds", str(LIMITS)])

    return run


def written(path: str) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def about_nothing(request: ChatRequest) -> Step:
    """A summariser that drops names and all else."""
    if request.schema_name != "Changes":
        return standin.answer(request)
    note = {"kind": "happened", "text": "User talked of this and that.", "turns": [1]}
    return text(json.dumps({"add": [note], "reword": [], "close": []}))


def silent(request: ChatRequest) -> Step:
    """An extractor whose answers are no use."""
    return text("Sorry?") if request.schema_name == "Operations" else standin.answer(request)


def forward(*_: object, **__: object) -> Decision:
    """A gate that never looks back."""
    return Decision(False, "never")


def test_with_all_parts_at_work_all_is_reached(ask: Ask) -> None:
    done = ask("check", "--only", "gate,corrections,facts,summaries")
    assert done.exit_code == 0, done.output
    [*_, last] = done.output.splitlines()
    assert last == f"All of {LIMITS} is reached: gate, corrections, facts, summaries."
    assert "plumbing" not in done.output
    facts, summaries = (
        written("build/evals/check/facts.json"),
        written("build/evals/check/summaries.json"),
    )
    assert facts["model"] == summaries["model"] == "small"
    assert facts["figures"]["identifiers"] == summaries["figures"]["notes_founded"] == 1.0


@pytest.mark.parametrize(
    ("broken", "answer", "missed"),
    [
        ("evals.suites.gate.refers_back", standin.answer, "gate"),
        ("evals.suites.corrections.corrects", standin.answer, "corrections"),
        ("state.extraction.caught", standin.answer, "facts"),
        ("", silent, "facts"),
        ("", about_nothing, "summaries"),
    ],
)
def test_a_part_that_is_broken_fails_the_check(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, broken: str, answer: Answer, missed: str
) -> None:
    nothing = {"gate": forward, "corrections": lambda _: False, "facts": lambda *_: []}
    if broken:
        monkeypatch.setattr(broken, nothing[missed])
    done = ask("check", "--only", missed, answer=answer)
    assert done.exit_code == 1, done.output
    [*_, last] = done.output.splitlines()
    assert last == f"Below {LIMITS}: {missed}."
    assert f"{missed}: " in done.output


def test_conversations_that_are_not_remembered_fail_it_too(
    ask: Ask, services_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGHAUL_PINS_TOKENS", "0")
    held = ["--only", "run", "--names", "typo", "--data", str(services_data)]
    done = ask("check", *held, answer=about_nothing)
    assert done.exit_code == 1, done.output
    assert "told: 0." in done.output
    assert done.output.splitlines()[-1] == f"Below {LIMITS}: run."
    first = written("build/evals/check/run/run.json")["id"]
    capped = ask("check", *held, "--tokens", "1")
    assert capped.exit_code == 1, capped.output
    assert "the cap of 1 tokens is reached" in capped.output
    assert written("build/evals/check/run/run.json")["id"] != first


def test_a_step_or_a_file_that_is_not_there_is_no_miss(ask: Ask, tmp_path: Path) -> None:
    unknown = ask("check", "--only", "everything")
    assert unknown.exit_code == 2
    assert "'everything' is none of gate, corrections, facts" in unknown.output
    absent = CliRunner().invoke(cli, ["gate", "--thresholds", str(tmp_path / "none.toml")])
    assert absent.exit_code == 2
    assert "No such file" in absent.output


def test_the_model_may_judge_what_the_rule_does_not_see(ask: Ask) -> None:
    ruled = ask("corrections", "--json", "r.json")
    before = written("r.json")["figures"]
    yes = text('{"corrects": true}')
    judged = ask("corrections", "--judge", "--json", "r.json", answer=lambda _: yes)
    after = written("r.json")
    assert after["model"] == "small"
    assert before["recall"] < after["figures"]["recall"] == 1.0
    assert after["figures"]["precision"] < before["precision"]
    assert (ruled.exit_code, judged.exit_code) == (0, 1)
