"""Serve the stand-in: `python -m app.model_server --port 0 --ready-file PATH`."""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from app.model_server import standin
from app.model_server.server import ModelServer


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT; 1 if the strict server met an invalid request, else 0."""
    options = _options(arguments)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    server = ModelServer(
        standin.with_delay(options.word_delay),
        strict=options.strict,
        models=[standin.NAME],
        port=options.port,
        keep=0,
    )
    server.start()
    _announce(server.base_url, options.ready_file)
    stop.wait()
    server.stop()
    sys.stderr.writelines(f"{problem}\n" for problem in server.problems)
    return 1 if options.strict and server.problems else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m app.model_server", description="Serve the stand-in model on loopback."
    )
    parser.add_argument("--port", type=int, default=0, help="0 for any that is free")
    parser.add_argument("--ready-file", type=Path, help="written with the base URL once it listens")
    parser.add_argument("--word-delay", type=float, default=0.0, help="seconds before each word")
    parser.add_argument(
        "--strict", action="store_true", help="refuse what a strict provider refuses"
    )
    return parser.parse_args(arguments)


def _announce(base_url: str, ready_file: Path | None) -> None:
    if ready_file is not None:
        partial = ready_file.with_name(ready_file.name + ".partial")
        partial.write_text(base_url + "\n")
        partial.replace(ready_file)
    sys.stdout.write(base_url + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
