"""The checkout under test: where it lies and what its project file says."""

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
"""The checkout's top folder."""


def pyproject() -> dict[str, Any]:
    """The parsed `pyproject.toml`."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def packages() -> set[str]:
    """The names of the top-level packages that ship, as the folders say."""
    return {found.parent.name for found in ROOT.glob("*/__init__.py")} - {"tests"}
