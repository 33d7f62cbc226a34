"""The command line, put together: one file per command.  Bad input is one message and exit code 2.

A new command is one function in a file of its own and one line in `COMMANDS`.  Only the command that is asked for is
imported; for `--help` all are, so they import rooms of steiner where they use them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer

from steiner import __version__
from steiner.cli.asked import with_robot_options
from steiner.cli.common import ROBOTS, say
from steiner.doors import opened
from steiner.errors import ModelWarning, SteinerError

COMMANDS: dict[str, str | Callable[..., Any]] = {
    "report": "cli.report:report",
    "inertia": "cli.inertia:inertia",
    "torques": "cli.torques:torques",
    "simulate": "cli.simulate:simulate",
    "payload": "cli.payload:payload",
    "size": "cli.size:size",
    "equations": "cli.equations:equations",
    "export": "cli.export:export",
    "check": "cli.check:check",
    "convert": "cli.convert:convert",
    "fix": "cli.fix:fix",
    "compare": "cli.compare:compare",
    "show": "cli.show:show",
    "bench": "cli.bench:bench",
    "gallery": "cli.gallery:gallery",
}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"steiner {__version__}")
        raise typer.Exit


def program(*names: str) -> typer.Typer:
    """These commands of the table as one program; with none said, all."""
    made = typer.Typer(
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        help="Robot-manipulator dynamics: from the drawing of the links to the torques of the motors.",
        epilog="Start with: **steiner gallery**",
    )

    @made.callback()
    def options(
        version: Annotated[
            bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
        ] = False,
    ) -> None:
        pass

    for name in names or COMMANDS:
        made.command(name)(with_robot_options(opened(COMMANDS[name]), ROBOTS))
    return made


def main() -> None:
    """Entry point: errors of the user are a sentence and exit code 2, never a traceback."""

    def said(message: Any, category: Any, *rest: Any) -> None:
        say(f"warning: {message}" if issubclass(category, ModelWarning) else f"warning: {category.__name__}: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        warnings.showwarning = said
        try:
            program(*(word for word in sys.argv[1:2] if word in COMMANDS))()
        except SteinerError as error:
            say(f"error: {error}")
            sys.exit(2)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else "output: "
            say(f"error: {where}{error.strerror or error}")
            sys.exit(2)
