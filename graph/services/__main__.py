"""Start a service's supervisor: `python -m graph.services postgres FOLDER`.

Returns once the service answers, and leaves its supervisor behind; fails if that did not succeed.
"""

import argparse
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from graph.file_lock import try_lock
from graph.services.folder import ServiceFolder
from graph.services.kinds import ServiceName, make_service
from graph.services.supervisor import Supervisor

_POLL_SECONDS = 0.1
_READY = b"ready"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 once a supervisor, ours or another's, says that the service answers."""
    parser = argparse.ArgumentParser(prog="python -m graph.services", description=__doc__)
    parser.add_argument("name", choices=get_args(ServiceName))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--grace", type=float, default=5.0, help="seconds without a client")
    options = parser.parse_args(arguments)
    folder = ServiceFolder(options.folder.resolve())
    folder.create()
    while (lock := try_lock(folder.supervisor_lock)) is None:
        if folder.ready_url() is not None:
            return 0
        time.sleep(_POLL_SECONDS)
    folder.clear_ready()
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        os.close(read_end)
        _detach(folder)
        _supervise(options.name, folder, options.grace, write_end)
        return 0
    os.close(write_end)
    lock.close()
    return 0 if os.read(read_end, len(_READY)) == _READY else 1


def _detach(folder: ServiceFolder) -> None:
    """Leave the caller's session, and write to the log from here on."""
    os.setsid()
    with folder.open_log() as log, Path(os.devnull).open("rb") as nothing:
        for descriptor, file in ((0, nothing), (1, log), (2, log)):
            os.dup2(file.fileno(), descriptor)
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s supervisor %(process)d: %(message)s"
    )


def _supervise(name: ServiceName, folder: ServiceFolder, grace: float, write_end: int) -> None:
    ready_to = [write_end]

    def report() -> None:
        while ready_to:
            descriptor = ready_to.pop()
            os.write(descriptor, _READY)
            os.close(descriptor)

    supervisor = Supervisor(make_service(name, folder.path), folder, grace=grace, on_ready=report)
    try:
        supervisor.run()
    except RuntimeError as error:
        # The client quotes the end of the log, where the service's own words should still stand.
        logging.error("giving up: %s", error)  # noqa: LOG015, TRY400


if __name__ == "__main__":
    sys.exit(main())
