"""Running a command line: a mistake in the settings or the input is one line, not a traceback."""

import sys
from io import TextIOWrapper

import typer

from graph.environment import SettingsError
from graph.rebuild import TranscriptGapError
from graph.retention import NotSupportedError
from graph.services import ServiceError
from graph.shared_database import DatabaseMissingError
from graph.storage.retry import DatabaseUnavailableError
from graph.storage.url import DatabaseUrlError
from memory.embeddings import EmbeddingError
from memory.scope import VectorError
from nodes.asking import ModelError
from state.errors import InputRefused

_MISTAKES = (
    SettingsError,
    ServiceError,
    DatabaseMissingError,
    DatabaseUnavailableError,
    DatabaseUrlError,
    EmbeddingError,
    InputRefused,
    ModelError,
    NotSupportedError,
    TranscriptGapError,
    VectorError,
)


def run_command(cli: typer.Typer) -> None:
    """Runs `cli` on the process's arguments; exit code 2 after a mistake.

    A byte that is no text is shown as such, for a pipe can hold anything.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        cli()
    except _MISTAKES as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
