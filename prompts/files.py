"""The prompt files, read once a process and rendered at each call."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from state.errors import InputRefused

_ROOT = files("prompts")


@cache
def personas() -> tuple[str, ...]:
    """Names of the personas, sorted. Reads the folder: not on an event loop."""
    entries = _ROOT.joinpath("personas").iterdir()
    return tuple(sorted(e.name.removesuffix(".md") for e in entries if e.name.endswith(".md")))


@cache
def system_prompt(persona: str) -> str:
    """The persona, whole, and the standing rules. Reads files: not on an event loop.

    Raises InputRefused for a persona that is not in the list.
    """
    if persona not in personas():
        raise InputRefused(f"persona {persona!r} is not one of {', '.join(personas())}")
    return f"{_read(f'personas/{persona}.md')}\n\n{_read('rules.md')}"


@cache
def prompt(name: str) -> str:
    """The prompt file `name`, whole. Reads a file: not on an event loop, at its first call."""
    return _read(name)


@cache
def question(action: str) -> str:
    """The template of the question before `action`; one for any when it has none of its own."""
    own = f"questions/{action}.txt"
    return _read(own if _ROOT.joinpath(own).is_file() else "questions/any.txt")


@cache
def prompts_digest() -> str:
    """Eight hexadecimal digits that change with any prompt file. Reads files: as `prompt` does."""
    hashed = hashlib.sha256()
    for name, text in sorted(_every(_ROOT, "")):
        hashed.update(f"{name}\0{text}\0".encode())
    return hashed.hexdigest()[:8]


def _every(folder: Traversable, path: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _every(entry, f"{path}{entry.name}/")
        elif entry.name.endswith((".md", ".txt")):
            yield f"{path}{entry.name}", entry.read_text(encoding="utf-8")


def _read(path: str) -> str:
    return _ROOT.joinpath(path).read_text(encoding="utf-8").strip()
