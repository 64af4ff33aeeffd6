"""A mistake in the settings or the options is one line and exit code 2."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import main, resume_command
from state.context import Context

Chat = Callable[[dict[str, str], list[str]], tuple[object, str, str]]


@pytest.fixture
def chat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Chat:
    """Runs `longhaul chat`: the exit code, and what was printed on either side."""

    def run(settings: dict[str, str], options: list[str]) -> tuple[object, str, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["longhaul", "chat", *options])
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("settings", "options", "said"),
    [
        (
            {"LONGHAUL_POOL_SIZE": "many"},
            [],
            "error: LONGHAUL_POOL_SIZE = 'many': Input should be a valid integer",
        ),
        ({"LONGHAUL_PERSONA": "pirate"}, [], "error: LONGHAUL_PERSONA = 'pirate': that is not one"),
        ({"LONGHAUL_DATABASE": "mysql://me:hunter2@host/db"}, [], "error: LONGHAUL_DATABASE"),
        ({"LONGHAUL_CONTAINER": "true"}, [], "error: LONGHAUL_DATABASE must be set"),
        ({}, ["--persona", "pirate"], "error: persona 'pirate' is not one of companion, support"),
        ({}, ["--model", "gpt-9"], "error: context field 'model' = 'gpt-9' is not one of stand-in"),
        ({}, ["--time-zone", "Mars"], "error: context field 'time_zone' = 'Mars'"),
        ({}, ["--user", "a\nb"], r"error: context field 'user' = 'a\nb' cannot be stored"),
        ({}, ["--thread", "a\nb"], r"error: thread name 'a\nb' cannot be kept"),
    ],
)
def test_a_mistake_is_one_line(
    chat: Chat, settings: dict[str, str], options: list[str], said: str
) -> None:
    code, out, err = chat(settings, options)

    assert (code, out) == (2, "")
    assert err.startswith(said)
    assert err.count("\n") == 1
    assert "hunter2" not in err


def test_the_command_to_resume_names_every_choice() -> None:
    plain = resume_command("chat-1", Context(), "")
    assert plain == "make chat THREAD=chat-1"
    context = Context(persona="companion", model="big one", user="o'neil", time_zone="Europe/Rome")
    asked = shlex.split(resume_command("t", context, "http://127.0.0.1:2024"))
    assert asked[:5] == ["make", "chat", "THREAD=t", "PERSONA=companion", "MODEL=big one"]
    [args] = asked[5:]
    assert shlex.split(args.removeprefix("ARGS=")) == [
        *("--user", "o'neil", "--time-zone", "Europe/Rome"),
        *("--server", "http://127.0.0.1:2024"),
    ]
