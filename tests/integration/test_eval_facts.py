"""The evaluation of facts as a command, asking the stand-in over HTTP."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.model_server import standin
from app.model_server.script import Script
from app.model_server.server import ModelServer
from evals.facts.__main__ import cli
from evals.facts.cases import read_cases
from evals.suites.result import FOLDER


def test_it_asks_for_every_exchange_and_scores_what_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tmp_path / "answers.json"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    with ModelServer(Script(standin.answer)) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
        limits = ["--thresholds", str(FOLDER / "standin.toml")]
        asked = CliRunner().invoke(cli, ["--model", "small", "--save", str(saved), *limits])
        assert asked.exit_code == 0, asked.output
        assert {request.chat.model for request in model.requests} == {"small"}
    assert set(json.loads(saved.read_text(encoding="utf-8"))) == {c.id for c in read_cases()}
    again = CliRunner().invoke(cli, ["--answers", str(saved)])
    # A model is held to more than the stand-in.
    assert again.exit_code == 1, again.output
    assert again.output.startswith(asked.output)
    assert f"{len(read_cases())} exchanges, 0 of them not answered" in again.output
    assert "with the net" in again.output
