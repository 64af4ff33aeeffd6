"""The make targets: what help lists, and that a value reaches the program as it was typed."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.project import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
# Of the `make test ARGS=...` that these tests may be run by.
OUTER = {"MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "ARGS", "THREAD", "PERSONA", "MODEL"}


def _make(*arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in OUTER},
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture
def environment(tmp_path: Path) -> list[str]:
    """A finished set-up whose `longhaul` prints its arguments and its input, a line each."""
    program = tmp_path / "longhaul"
    program.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    installed = tmp_path / "installed"
    installed.write_text(str(ROOT), encoding="utf-8")
    return [f"BIN={tmp_path}", f"INSTALLED={installed}"]


def test_help_is_the_default_and_lists_every_target() -> None:
    targets = re.findall(r"^([a-z][a-z-]*):(?!=)", MAKEFILE, re.MULTILINE)
    listed = re.findall(r"^  make ([a-z-]+) +\S", _make(), re.MULTILINE)

    assert sorted(listed) == sorted(targets)
    assert {"chat", "test", "dev", "check", "help"} <= set(listed)


def test_every_target_is_declared_phony() -> None:
    targets = re.findall(r"^([a-z][a-z-]*):(?!=)", MAKEFILE, re.MULTILINE)

    assert re.findall(r"^\.PHONY: ([a-z-]+)$", MAKEFILE, re.MULTILINE) == targets


def test_chat_without_values_passes_none_and_hands_on_its_input(environment: list[str]) -> None:
    assert _make("chat", *environment, stdin="hello\n/quit\n") == "chat\nhello\n/quit\n"


@pytest.mark.parametrize(
    "value",
    [
        "order-7",
        "it's",
        '"two words"',
        "$HOME",
        "$(shell id)",
        "`id`; id",
        "a#b",
        "-x",
        "\\",
        "früh",
    ],
)
def test_a_value_reaches_the_program_as_it_was_typed(environment: list[str], value: str) -> None:
    printed = _make("chat", *environment, f"THREAD={value}", f"PERSONA={value}", f"MODEL={value}")

    assert printed.splitlines() == [
        "chat",
        *f"--thread\n{value}\n--model\n{value}".split("\n"),
        "--persona",
        value,
    ]
