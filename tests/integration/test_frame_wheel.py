"""The wheel holds every package and data file, and imports with no key and no checkout."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.project import ROOT, packages

IMPORT_ALL = """
import importlib, pkgutil, sys
for package in sys.argv[2:]:
    found = importlib.import_module(package)
    assert found.__file__.startswith(sys.argv[1]), found.__file__
    for module in pkgutil.walk_packages(found.__path__, package + "."):
        if not module.name.endswith(".__main__"):
            importlib.import_module(module.name)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    _run("-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder), cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


def _run(*arguments: str, cwd: Path, **environment: str) -> None:
    plain = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=plain | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_holds_every_file_of_every_package(wheel: Path) -> None:
    here = {
        path.relative_to(ROOT).as_posix()
        for package in packages()
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert held == here
    assert any(name.endswith(".md") for name in held)


def test_it_carries_the_licence_and_the_commands(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        info = {name.partition(".dist-info/")[2]: name for name in archive.namelist()}
        commands = archive.read(info["entry_points.txt"]).decode()

    assert "licenses/LICENSE" in info
    assert {"longhaul = app.cli:main", "evals = evals.cli:main"} <= set(commands.splitlines())


def test_every_module_of_it_imports_with_no_key_and_no_checkout(
    wheel: Path, tmp_path: Path
) -> None:
    target = tmp_path / "site"
    _run(
        *("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(target)),
        str(wheel),
        cwd=tmp_path,
    )

    _run("-c", IMPORT_ALL, str(target), *sorted(packages()), cwd=tmp_path, PYTHONPATH=str(target))
