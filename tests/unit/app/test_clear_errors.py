"""What is of no use is said in one line that names it, before anything is opened."""

from pathlib import Path

import httpx
import pytest
from langgraph_sdk.errors import AuthenticationError, NotFoundError
from typer.testing import CliRunner

from app.cli import cli
from app.lines import ServerLine
from graph.database import open_database
from graph.environment import SettingsError
from graph.services import ServiceError, hold_service
from graph.storage.retry import DatabaseUnavailableError
from state.context import Context
from state.errors import InputRefused

LONG = "x" * 300


def test_a_data_folder_that_cannot_be(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with (
        pytest.raises(ServiceError, match=f"LONGHAUL_DATA = '{file}' .* Not a directory"),
        hold_service("postgres", file),
    ):
        pass


async def test_a_sqlite_file_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DatabaseUnavailableError, match="LONGHAUL_DATABASE=sqlite:///"):
        async with open_database(f"sqlite:///{tmp_path}/file/x.db"):
            pass


def test_a_user_whose_id_no_door_would_take() -> None:
    talk = CliRunner().invoke(cli, ["chat", "--user", LONG])
    assert isinstance(talk.exception, InputRefused)
    assert "context field 'user'" in str(talk.exception)
    for command in (["show"], ["export"], ["set", "note", "x"], ["forget", "--yes"]):
        done = CliRunner().invoke(cli, ["memory", *command, "--user", LONG])
        assert done.exit_code == 2
        assert "--user" in done.output


def test_settings_are_checked_before_a_server_reads_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert CliRunner().invoke(cli, ["check"]).exit_code == 0
    monkeypatch.setenv("LONGHAUL_AUTH_PUBLIC_KEY", str(tmp_path / "nope.pem"))
    wrong = CliRunner().invoke(cli, ["check"])
    assert isinstance(wrong.exception, SettingsError)
    assert "LONGHAUL_AUTH_PUBLIC_KEY" in str(wrong.exception)


def test_what_went_wrong_with_a_server_names_what_to_change() -> None:
    line = ServerLine(url="http://there", name="t", context=Context())
    request = httpx.Request("POST", "http://there")
    refused = httpx.Response(401, request=request)
    lost = httpx.Response(404, request=request)
    assert "--server 'http://there'" in line.told(httpx.ConnectError("no"))
    assert "LONGHAUL_TOKEN" in line.told(AuthenticationError("bad", response=refused, body=None))
    assert "http://there has lost" in line.told(NotFoundError("gone", response=lost, body=None))
    assert line.told(ValueError("else")) == "else"
