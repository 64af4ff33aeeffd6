"""Whatever is imported is declared: nothing is there only because another package asked for it."""

import ast
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project import ROOT, packages, pyproject

INSTALLED = packages_distributions()
EXTRAS = list(pyproject()["project"]["optional-dependencies"])


def _modules(package: str) -> Iterator[str]:
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _declared(*extras: str) -> set[str]:
    project = pyproject()["project"]
    lines = [*project["dependencies"]]
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return {canonicalize_name(Requirement(line).name) for line in lines}


def _undeclared(package: str, declared: set[str]) -> set[str]:
    own = packages() | {"tests"} | set(sys.stdlib_module_names)
    names = {module.partition(".")[0] for module in _modules(package)} - own
    return {name for name in names if declared.isdisjoint(_providers(name))}


def _providers(name: str) -> set[str]:
    return {canonicalize_name(distribution) for distribution in INSTALLED.get(name, [])}


@pytest.mark.parametrize("package", sorted(packages()))
def test_a_package_imports_only_declared_dependencies(package: str) -> None:
    peers = ["bench"] if package == "evals" else []

    assert _undeclared(package, _declared("offline", "server", "testing", *peers)) == set()


def test_the_tests_import_only_declared_dependencies() -> None:
    assert _undeclared("tests", _declared(*EXTRAS)) == set()
