"""Whatever is imported is declared: nothing is there only because another package asked for it."""

import sys
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project import ROOT, imported, packages, pyproject

INSTALLED = packages_distributions()
EXTRAS = list(pyproject()["project"]["optional-dependencies"])


def _declared(*extras: str) -> set[str]:
    project = pyproject()["project"]
    lines = [*project["dependencies"]]
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    return {canonicalize_name(Requirement(line).name) for line in lines}


def _undeclared(package: str, declared: set[str]) -> set[str]:
    own = packages() | {"tests"} | set(sys.stdlib_module_names)
    files = (ROOT / package).rglob("*.py")
    names = {name for path in files for name in imported(path.read_text(encoding="utf-8"))}
    return {name for name in names - own if declared.isdisjoint(_providers(name))}


def _providers(name: str) -> set[str]:
    return {canonicalize_name(distribution) for distribution in INSTALLED.get(name, [])}


@pytest.mark.parametrize("package", sorted(packages()))
def test_a_package_imports_only_declared_dependencies(package: str) -> None:
    peers = ["bench"] if package == "evals" else []

    assert _undeclared(package, _declared("offline", "server", "testing", *peers)) == set()


def test_the_tests_import_only_declared_dependencies() -> None:
    assert _undeclared("tests", _declared(*EXTRAS)) == set()
