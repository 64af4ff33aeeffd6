"""Settings: what the environment says, and what is wrong with it."""

from pathlib import Path

import pytest

from graph.environment import SettingsError, read_settings
from graph.settings import STAND_IN, Settings
from state.admission import Limits
from state.marks import Mark


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        set_by = alias if isinstance(alias, str) else f"LONGHAUL_{name.upper()}"
        monkeypatch.delenv(set_by, raising=False)


def test_a_misspelt_name_is_refused_and_the_right_one_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = refusal(monkeypatch, LONGHAUL_RETRY="3")
    assert told == "LONGHAUL_RETRY is not a setting; did you mean LONGHAUL_RETRIES?"
    monkeypatch.delenv("LONGHAUL_RETRY")
    (tmp_path / ".env").write_text("LONGHAUL_X=1\n", encoding="utf-8")
    assert refusal(monkeypatch) == "LONGHAUL_X is not a setting"


def refusal(monkeypatch: pytest.MonkeyPatch, **given: str) -> str:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        read_settings()
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("REQUEST_TIMEOUT", "0", "greater than 0"),
        ("REQUEST_TIMEOUT", "soon", "valid number"),
        ("TURN_TIMEOUT", "-1", "greater than 0"),
        ("RETRIES", "11", "less than or equal to 10"),
        ("RETRIES", "1.5", "valid integer"),
        ("REPLY_TOKENS", "0", "greater than or equal to 1"),
        ("TOOL_ROUNDS", "51", "less than or equal to 50"),
        ("MAX_MESSAGE_CHARS", "0", "greater than or equal to 1"),
        ("MAX_MESSAGES", "0", "greater than or equal to 1"),
        ("MAX_IMAGE_BYTES", "0", "greater than or equal to 1"),
        ("MAX_IMAGES", "-1", "greater than or equal to 0"),
        ("POOL_SIZE", "0", "greater than or equal to 1"),
        ("TRANSACTION_POOLER", "perhaps", "valid boolean"),
        ("CONTAINER", "perhaps", "valid boolean"),
        ("PERSONA", "pirate", "that is not one of companion, support"),
        ("TIME_ZONE", "Europe/Atlantis", "that is not a time zone such as Europe/Berlin"),
        ("TIME_ZONE", "../secrets", "that is not a time zone such as Europe/Berlin"),
        ("CHROMA_URL", "localhost:8000", "that does not begin with http:// or https://"),
    ],
)
def test_a_bad_value_is_told_with_its_setting(
    name: str, value: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = refusal(monkeypatch, **{f"LONGHAUL_{name}": value})
    assert text.startswith(f"LONGHAUL_{name} = {value!r}: ")
    assert why in text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"LONGHAUL_TURN_TIMEOUT": "5", "LONGHAUL_REQUEST_TIMEOUT": "7.5"},
            "LONGHAUL_TURN_TIMEOUT (5) is shorter than LONGHAUL_REQUEST_TIMEOUT (7.5)",
        ),
        (
            {"LONGHAUL_HIGH_MARK": "3000", "LONGHAUL_LOW_MARK": "3000"},
            (
                "LONGHAUL_HIGH_MARK, LOW_MARK, HARD_LIMIT: "
                "the low mark (3000) is not below the high mark (3000)"
            ),
        ),
        (
            {"LONGHAUL_HIGH_MARK": "lots"},
            "LONGHAUL_HIGH_MARK: 'lots' is not a size such as 6000, 40% or 16 turns",
        ),
        (
            {"LONGHAUL_REPLY_TOKENS": "7000"},
            "LONGHAUL_HARD_LIMIT (12000) leaves no room beside LONGHAUL_REPLY_TOKENS (7000)",
        ),
        (
            {"LONGHAUL_KEEP_TURNS": "5", "LONGHAUL_DATABASE": "sqlite:///a.db"},
            "LONGHAUL_KEEP_TURNS (5) is not supported on SQLite; use a Postgres",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_told_together(
    given: dict[str, str], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refusal(monkeypatch, **given) == text


def test_isolated_loops_of_the_server_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(monkeypatch, BG_JOB_ISOLATED_LOOPS="true").startswith("BG_JOB_ISOLATED_LOOPS")


def test_every_bad_value_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    text = refusal(monkeypatch, LONGHAUL_RETRIES="x", LONGHAUL_POOL_SIZE="y")
    assert "LONGHAUL_RETRIES = 'x'" in text
    assert "LONGHAUL_POOL_SIZE = 'y'" in text


def test_no_key_and_no_password_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-123456")
    text = refusal(monkeypatch, OPENAI_BASE_URL="ftp://me:hunter2@host/v1")
    assert text == "OPENAI_BASE_URL = 'ftp://host/v1': that does not begin with http:// or https://"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://host/v1")
    assert "sk-123456" not in repr(read_settings())


def test_a_key_of_the_wrong_kind_is_not_printed() -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(OPENAI_API_KEY=["sk-123456"])
    assert str(caught.value) == "OPENAI_API_KEY: Input should be a valid string"


def test_an_empty_value_means_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LONGHAUL_MODEL", "LONGHAUL_RETRIES", "LONGHAUL_MODELS", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "")
    assert read_settings() == Settings()


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "LONGHAUL_MODEL=from-file\nLONGHAUL_RETRIES=5\nOTHER=x\n"
    Path(".env").write_text(lines, encoding="utf-8")
    monkeypatch.setenv("LONGHAUL_RETRIES", "6")
    read = read_settings()
    assert (read.model, read.retries) == ("from-file", 6)


@pytest.mark.parametrize(
    ("given", "choices"),
    [
        ({}, (STAND_IN,)),
        ({"OPENAI_API_KEY": "k"}, ("gpt-4.1-mini",)),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:8090/v1"}, ("gpt-4.1-mini",)),
        (
            {"OPENAI_API_KEY": "k", "LONGHAUL_MODEL": "a", "LONGHAUL_MODELS": " b, a ,,c"},
            ("a", "b", "c"),
        ),
    ],
)
def test_the_models_that_a_run_may_name(
    given: dict[str, str], choices: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert read_settings().choices == choices


def test_what_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGHAUL_HIGH_MARK", "10%")
    monkeypatch.setenv("LONGHAUL_MODEL_WINDOW", "100000")
    read = read_settings()
    assert (read.marks.high, read.marks.hard) == (Mark(10_000), 12_000)
    assert read.limits == Limits(
        message_chars=200_000, messages=20, image_bytes=5_000_000, images=4
    )
