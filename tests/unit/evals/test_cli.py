"""One command for all evaluations: what it lists, and how it tells a mistake."""

import ast
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals import cli as command
from evals.cli import MODULES, cli, main


def test_every_evaluation_is_listed_with_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = CliRunner().invoke(cli, ["--help"])
    assert shown.exit_code == 0, shown.output
    listed = re.findall(r"^│ ([\w-]+) +\w.*", shown.output, re.MULTILINE)
    assert listed == list(MODULES)


def test_naming_one_imports_no_other() -> None:
    path = Path(command.__file__)
    imported = {
        name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (name := node.module)
    }
    assert not {name for name in imported if name.startswith("evals")}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nothing"], "No such command 'nothing'"),
        (["facts"], "error: LONGHAUL_POOL_SIZE = 'many'"),
    ],
)
def test_a_mistake_is_no_traceback(
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LONGHAUL_POOL_SIZE", "many")
    monkeypatch.setattr(sys, "argv", ["evals", *options])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert said in capsys.readouterr().err
