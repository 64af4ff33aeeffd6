"""The lock file and the project file agree, and the lock names no place to fetch from."""

import re
from collections import defaultdict

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project import ROOT, pyproject

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)", re.MULTILINE)


def _direct() -> list[Requirement]:
    project = pyproject()
    extras = project["project"]["optional-dependencies"].values()
    lines = sum(extras, [*project["build-system"]["requires"], *project["project"]["dependencies"]])
    return [Requirement(line) for line in lines]


def _locked() -> dict[str, list[str]]:
    versions: dict[str, list[str]] = defaultdict(list)
    for pin in PIN.finditer(LOCK):
        versions[canonicalize_name(pin["name"])].append(pin["version"])
    return versions


@pytest.mark.parametrize("requirement", _direct(), ids=str)
def test_every_direct_dependency_is_locked_within_its_bounds(requirement: Requirement) -> None:
    versions = _locked()[canonicalize_name(requirement.name)]

    assert versions, f"{requirement.name} is not in the lock: make lock"
    assert all(version in requirement.specifier for version in versions)


@pytest.mark.parametrize("requirement", _direct(), ids=str)
def test_every_direct_dependency_is_bounded_below_and_above(requirement: Requirement) -> None:
    assert {each.operator for each in requirement.specifier} == {">=", "<"}


def test_every_locked_version_has_a_hash() -> None:
    entries = re.split(r"^(?=[A-Za-z0-9])", LOCK, flags=re.MULTILINE)[1:]

    assert len(entries) == len(PIN.findall(LOCK))
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_names_no_place_to_fetch_from() -> None:
    assert re.findall(r"\S*(?:://|file:|--index|--extra-index|--find-links)\S*", LOCK) == []
