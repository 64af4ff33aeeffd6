"""The workflow, `.ci/run` and the README speak of the same commands."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.project import ROOT, pyproject

RUN = ROOT / ".ci" / "run"


def test_the_workflow_runs_what_ci_run_runs_on_every_python_and_the_evals_on_one() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")

    assert re.findall(r"^ +- run: (.*)$", workflow, re.MULTILINE) == [".ci/run", "make evals"]
    assert re.findall(r"^ +python: (.*)$", workflow, re.MULTILINE) == ['["3.11", "3.12", "3.13"]']
    assert pyproject()["project"]["requires-python"] == ">=3.11,<3.14"


def test_ci_checks_and_tests_by_the_commands_of_the_readme() -> None:
    commands = re.findall(r"^make [a-z-]+", RUN.read_text(encoding="utf-8"), re.MULTILINE)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert commands == ["make check", "make test"]
    assert all(command in readme for command in commands)


@pytest.mark.parametrize(
    ("closing", "succeeds"),
    [("=== 3 passed, 1 skipped in 0.12s ===", True), ("=== no tests ran in 0.01s ===", False)],
)
def test_ci_fails_when_no_test_passed(tmp_path: Path, closing: str, succeeds: bool) -> None:
    make = tmp_path / "make"
    required = '[ "$REQUIRE_BROWSER" = 1 ] || exit 1'
    make.write_text(f"#!/bin/sh\n{required}\necho '{closing}'\necho later\n", encoding="utf-8")
    browser = tmp_path / "chromium"
    browser.touch()
    for command in (make, browser):
        command.chmod(0o755)

    done = subprocess.run(
        [str(RUN)],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode == 0) is succeeds
    assert not succeeds or done.stdout.splitlines()[-1] == closing
