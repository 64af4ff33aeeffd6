"""The checkout under test: where it lies and what its project file says."""

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
"""The checkout's top folder."""


_IMPORT = re.compile(r"^[ \t]*(?:from (\w[\w.]*) import\b|import (\w[\w., ]*))", re.MULTILINE)


def imported(source: str) -> set[str]:
    """The top-level name of every module that the source imports, at any depth.

    By line: to parse all files takes longer than all other tests of the frame.
    """
    lines = _IMPORT.findall(source)
    modules = [
        *(one for one, _ in lines if one),
        *(n for _, many in lines for n in many.split(",")),
    ]
    return {module.split()[0].partition(".")[0] for module in modules if module.strip()}


def pyproject() -> dict[str, Any]:
    """The parsed `pyproject.toml`."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def packages() -> set[str]:
    """The names of the top-level packages that ship, as the folders say."""
    return {found.parent.name for found in ROOT.glob("*/__init__.py")} - {"tests"}
