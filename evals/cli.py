"""The `evals` command: all evaluations that know the answers, each imported when it is named."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typing_extensions import override

from app.command import run_command

MODULES: Mapping[str, str] = {
    "check": "evals.check",
    "run": "evals.run.__main__",
    "show": "evals.run.show",
    "compare": "evals.run.compare",
    "from-thread": "evals.traffic.__main__",
    "judge": "evals.second.judge",
    "upload": "evals.second.upload",
    "facts": "evals.facts.__main__",
    "summaries": "evals.suites.summaries",
    "gate": "evals.suites.gate",
    "corrections": "evals.suites.corrections",
    "recall": "evals.recall.__main__",
}
"""By command: the module whose `cli` it is, which also runs by itself with `python -m`."""


class _Lazy(TyperGroup):
    @override
    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(MODULES)

    @override
    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        if cmd_name not in MODULES:
            return None
        command = typer.main.get_command(import_module(MODULES[cmd_name]).cli)
        command.name = cmd_name
        return command


cli = typer.Typer(
    cls=_Lazy, no_args_is_help=True, add_completion=False, help="evals: do the answers hold?"
)


@cli.callback()
def _group() -> None:
    """Makes a group of it."""


def main() -> None:
    """Runs the command."""
    run_command(cli)
