"""Whom Postgres runs as when root starts it, since it refuses to run as root."""

import logging
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Identity:
    """A user and the user's group, by number."""

    user: int
    group: int


def unprivileged() -> Identity | None:
    """Return whom a server that root starts runs as; None if we are not root."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    return Identity(nobody.pw_uid, nobody.pw_gid)


def let_pass(folder: Path) -> None:
    """Let other users reach this folder: they may pass the folders above, not list them."""
    for path in reversed([folder.resolve(), *folder.resolve().parents]):
        _add(path, stat.S_IXOTH)


def let_read(installation: Path) -> None:
    """Let other users run the programs below this folder."""
    for path in [installation, *installation.rglob("*")]:
        executable = path.stat().st_mode & stat.S_IXUSR
        _add(path, stat.S_IROTH | (stat.S_IXOTH if executable else 0))


def _add(path: Path, rights: int) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & rights != rights:
        _log.info(
            "mode of %s: %o becomes %o, for a server that is not root", path, mode, mode | rights
        )
        path.chmod(mode | rights)
