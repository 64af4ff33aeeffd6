"""`.env.example` names every setting, with its default, and nothing else."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic.fields import FieldInfo

from graph.settings import Settings
from tests.project import ROOT

EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
LINE = re.compile(r"^# ?([A-Z][A-Z0-9_]*)=(.*)$", re.MULTILINE)


def _name(field: str, info: FieldInfo) -> str:
    alias = info.validation_alias
    return alias if isinstance(alias, str) else f"LONGHAUL_{field}".upper()


def _written(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case tuple() | list():
            return ",".join(map(str, value))
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _expected() -> dict[str, str]:
    return {
        _name(field, info): _written(info.get_default(call_default_factory=True))
        for field, info in Settings.model_fields.items()
    }


def test_the_example_names_every_setting_with_its_default() -> None:
    assert dict(LINE.findall(EXAMPLE)) == _expected()


def test_the_example_names_each_setting_once_and_sets_none() -> None:
    names = [name for name, _ in LINE.findall(EXAMPLE)]

    assert len(names) == len(set(names))
    assert [line for line in EXAMPLE.splitlines() if line and not line.startswith("#")] == []


def test_the_example_taken_as_it_stands_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in _expected():
        monkeypatch.delenv(name, raising=False)
    filled = tmp_path / ".env"
    filled.write_text(
        "\n".join(f"{name}={value}" for name, value in LINE.findall(EXAMPLE)), encoding="utf-8"
    )

    assert Settings(_env_file=filled) == Settings(_env_file=None)


def test_every_setting_says_what_it_is() -> None:
    assert [name for name, info in Settings.model_fields.items() if not info.description] == []
