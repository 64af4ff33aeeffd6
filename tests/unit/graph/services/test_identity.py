"""What is opened to a server that root starts."""

import stat
from pathlib import Path

from graph.services.identity import let_pass, let_read


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_others_may_pass_the_folders_and_not_list_them(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    for path in (inner, inner.parent):
        path.chmod(0o700)
    let_pass(inner)
    assert [mode(inner), mode(inner.parent)] == [0o701, 0o701]


def test_others_may_run_an_installation(tmp_path: Path) -> None:
    program, data = tmp_path / "bin" / "program", tmp_path / "share"
    program.parent.mkdir(mode=0o700)
    program.touch(0o700)
    data.touch(0o600)
    let_read(tmp_path)
    assert [mode(program.parent), mode(program), mode(data)] == [0o705, 0o705, 0o604]
