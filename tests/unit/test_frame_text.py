"""Nothing in the repository names a package host or a path of one machine."""

import re
import shutil
import subprocess

import pytest

from tests.project import ROOT

HOSTS = [
    ("pypi", "org"),
    ("python" + "hosted", "org"),
    ("npmjs", "org"),
    ("npmjs", "com"),
    ("anaconda", "org"),
    ("debian", "org"),
]
FOLDERS = ["home", "opt", "root", "work", "tmp/w"]
FOREIGN = re.compile(
    "|".join(rf"\b{re.escape('.'.join(host))}\b" for host in HOSTS)
    + "".join(rf"|(?<![\w.~-])/{folder}/\w" for folder in FOLDERS)
)
SIGNS = [*(".".join(host) for host in HOSTS), *(f"/{folder}/" for folder in FOLDERS)]
"""One of them is in all that the pattern finds, and is looked for in a fraction of the time."""


def _tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_the_pattern_finds_hosts_and_machine_paths() -> None:
    host, folder = ".".join(HOSTS[0]), "/" + FOLDERS[0]

    assert FOREIGN.search(f"https://{host}/simple")
    assert FOREIGN.search(f'"{folder}/someone/longhaul"')
    assert not FOREIGN.search("./app" + folder + "/out, https://example.org" + folder + "/in")


@pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None,
    reason="only git lists the files of a checkout",
)
def test_no_tracked_file_names_a_package_host_or_a_machine_path() -> None:
    texts = {n: (ROOT / n).read_text(encoding="utf-8", errors="replace") for n in _tracked()}
    offences = [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts.items()
        if any(sign in text for sign in SIGNS)
        for number, line in enumerate(text.splitlines(), 1)
        if FOREIGN.search(line)
    ]

    assert offences == []
