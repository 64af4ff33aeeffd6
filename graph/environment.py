"""The settings of this process: the environment and `.env`, and a clear error for a bad value."""

import os
import re
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from pydantic import ValidationError
from pydantic_settings import DotEnvSettingsSource

from graph.settings import ENV_FILE, PREFIX, Settings

_PASSWORD = re.compile("//[^/@]*@")


class SettingsError(ValueError):
    """A setting cannot be used; the message names it and the value."""


def read_settings(**overrides: Any) -> Settings:
    """The settings of the environment. Raises SettingsError naming each bad one and its value."""
    _check_names(overrides.get("_env_file", ENV_FILE))
    try:
        return Settings(**overrides)
    except ValidationError as error:
        raise SettingsError("; ".join(_reason(each) for each in error.errors())) from None


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read at the first call."""
    return read_settings()


def _check_names(env_file: str | None) -> None:
    """Raises SettingsError for a name with our prefix that is no setting: it would do nothing."""
    given = {*os.environ, *DotEnvSettingsSource(Settings, env_file=env_file).env_vars}
    known = [setting_name(name) for name in Settings.model_fields]
    for name in sorted(name.upper() for name in given):
        if name.startswith(PREFIX) and name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.8)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise SettingsError(f"{name} is not a setting{meant}")


def setting_name(field: str) -> str:
    """The name in the environment of a field of Settings."""
    alias = Settings.model_fields[field].validation_alias
    return alias if isinstance(alias, str) else f"{PREFIX}{field.upper()}"


def _reason(error: Any) -> str:
    if not error["loc"]:
        return str(error["msg"]).removeprefix("Value error, ")
    field = str(error["loc"][0])
    name = field if field.isupper() else f"LONGHAUL_{field.upper()}"
    secret = "KEY" in name or name.endswith(("TOKEN", "SECRET"))
    value = "" if secret else f" = {_PASSWORD.sub('//', repr(error['input']))}"
    return f"{name}{value}: {str(error['msg']).removeprefix('Value error, ')}"
