"""Every tool is told of every package, and dependencies between packages point one way."""

import ast
from pathlib import Path

import pytest

from tests.project import ROOT, imported, packages, pyproject

MAY_IMPORT: dict[str, set[str]] = {
    "state": set(),
    "prompts": {"state"},
    "memory": {"state"},
    "nodes": {"state", "prompts", "memory"},
    "graph": {"state", "prompts", "memory", "nodes"},
    "app": {"state", "prompts", "memory", "nodes", "graph"},
    "evals": {"state", "prompts", "memory", "nodes", "graph", "app"},
}
DOES_IO = {
    "asyncio",
    "chromadb",
    "httpx",
    "langchain_openai",
    "openai",
    "psycopg",
    "psycopg_pool",
    "socket",
    "sqlite3",
    "subprocess",
}


def _files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def _offences(package: str, forbidden: set[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in _files(package)
        for name in sorted(imported(path.read_text(encoding="utf-8")))
        if name in forbidden
    ]


def test_imports_are_found_wherever_they_stand() -> None:
    source = "import app.cli as x, os\ndef f():\n    from graph.settings import Settings\n"

    assert imported(source) == {"app", "os", "graph"}


@pytest.mark.parametrize("package", sorted(packages()))
def test_dependencies_point_one_way(package: str) -> None:
    ours = set(MAY_IMPORT) | {"tests"}

    assert _offences(package, ours - MAY_IMPORT[package] - {package}) == []


@pytest.mark.parametrize("package", ["state", "prompts"])
def test_the_pure_packages_import_nothing_that_does_io(package: str) -> None:
    assert _offences(package, DOES_IO) == []


def test_the_wheel_holds_every_package() -> None:
    assert set(pyproject()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == packages()


def test_the_type_checker_reads_every_package_and_the_tests() -> None:
    assert set(pyproject()["tool"]["mypy"]["packages"]) == packages() | {"tests"}


@pytest.mark.parametrize("package", sorted(packages() | {"tests"}))
def test_every_package_says_what_it_is_and_nothing_else(package: str) -> None:
    tree = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))

    assert ast.get_docstring(tree)
    assert len(tree.body) == 1
