"""What names a release: it changes with any prompt, and with nothing else."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from prompts import files
from tests.project import ROOT

WORDS = [path for path in (ROOT / "prompts").rglob("*") if path.suffix in {".md", ".txt"}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the prompts, that this test may write to."""
    copied = tmp_path / "prompts"
    shutil.copytree(ROOT / "prompts", copied)
    monkeypatch.setattr(files, "_ROOT", copied)
    files.prompts_digest.cache_clear()
    yield copied
    files.prompts_digest.cache_clear()


def digest() -> str:
    files.prompts_digest.cache_clear()
    return files.prompts_digest()


@pytest.mark.parametrize("path", WORDS, ids=lambda path: path.name)
def test_every_prompt_file_counts(path: Path, folder: Path) -> None:
    before = digest()
    with (folder / path.relative_to(ROOT / "prompts")).open("a", encoding="utf-8") as file:
        file.write(".")

    assert re.fullmatch("[0-9a-f]{8}", before)
    assert digest() != before


def test_code_does_not_count_and_a_name_does(folder: Path) -> None:
    before = digest()
    (folder / "more.py").write_text("", encoding="utf-8")
    assert digest() == before

    (folder / "rules.md").rename(folder / "others.md")
    assert digest() != before
