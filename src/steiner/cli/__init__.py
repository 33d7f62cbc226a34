"""The command line, put together: one file per command.  Bad input is one message and exit code 2.

A new command is one function in a file of its own and one line in `COMMANDS`.  Only the command that is asked for is
imported, and typer with it; the first page of help needs neither.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from steiner import __version__
from steiner.cli.page import fits, page
from steiner.doors import opened
from steiner.errors import ModelWarning, SteinerError

if TYPE_CHECKING:
    import typer

TITLE = "Robot-manipulator dynamics: from the drawing of the links to the torques of the motors."
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


def program(*names: str) -> typer.Typer:
    """These commands of the table as one program; with none said, all."""
    import typer

    from steiner.cli.asked import with_robot_options
    from steiner.cli.common import ROBOTS

    def told(wanted: bool) -> None:
        if wanted:
            typer.echo(f"steiner {__version__}")
            raise typer.Exit

    made = typer.Typer(
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        help=TITLE,
        epilog="Start with: **steiner gallery**",
    )

    @made.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", callback=told, is_eager=True, help="Show the version and exit."
        ),
    ) -> None:
        pass

    for name in names or COMMANDS:
        made.command(name)(with_robot_options(opened(COMMANDS[name]), ROBOTS))
    return made


def main() -> None:
    """Entry point: errors of the user are a sentence and exit code 2, never a traceback."""
    if sys.argv[1:] in (["--help"], ["-h"]) and fits():
        sys.stdout.write(page(TITLE, "Start with: steiner gallery", COMMANDS) + "\n\n")
        sys.exit()
    from steiner.cli.common import say

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
