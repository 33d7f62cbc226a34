"""The command line, put together: one file per command.  Bad input is one message and exit code 2.

A new command is one function in a file of its own and one line in `COMMANDS`.  Only the command that is run, or asked
for its own help, is imported; the first page of help reads what it says of the others.
"""

from __future__ import annotations

import inspect
import io
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from steiner import __version__
from steiner.doors import opened
from steiner.errors import ModelWarning, SteinerError

TITLE = "Robot-manipulator dynamics: from the drawing of the links to the torques of the motors."
SETTINGS = {"help_option_names": ["-h", "--help"]}
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


def program() -> typer.Typer:
    """All commands of the table as one program."""
    made = typer.Typer(
        cls=Commands,
        context_settings=SETTINGS,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        help=TITLE,
        epilog="Start with: steiner gallery",
    )

    @made.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", callback=told, is_eager=True, help="Show the version and exit."
        ),
    ) -> None:
        pass

    return made


def told(wanted: bool) -> None:
    """The version, if it is wanted."""
    if wanted:
        typer.echo(f"steiner {__version__}")
        raise typer.Exit


class Commands(TyperGroup):
    """The commands of the table, and the page that lists them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, row in COMMANDS.items():
            self.add_command(Listed(name, row))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The first page, by rich: typer's own page also loads what rich has for Markdown and for tracebacks."""
        from rich.console import Console

        options = [row for option in self.get_params(ctx) if (row := option.get_help_record(ctx))]
        commands = [(name, self.commands[name].get_short_help_str()) for name in self.list_commands(ctx)]
        console = Console(markup=False, emoji=False, highlight=False)
        console.print(self.get_usage(ctx), style="bold")
        console.print(f"\n{self.help}\n")
        console.print(panel("Options", options), panel("Commands", commands))
        console.print(self.epilog)


class Listed(TyperCommand):
    """A command of the table, which is imported when words are given to it."""

    def __init__(self, name: str, row: str | Callable[..., Any]) -> None:
        super().__init__(name)
        self.row = row

    def get_short_help_str(self, limit: int = 0) -> str:
        """The first paragraph of its help; from its source, where to import it would bring numpy along."""
        if isinstance(self.row, str):
            room, _, function = self.row.partition(":")
            file = Path(__file__).parents[1].joinpath(*room.split(".")).with_suffix(".py")
            text = file.read_text(encoding="utf-8").partition(f"\ndef {function}(")[2].split('"""')[1]
        else:
            text = self.row.__doc__ or ""
        return " ".join(inspect.cleandoc(text).partition("\n\n")[0].split())

    def make_context(self, *words: Any, **how: Any) -> Any:
        """Where the words go: to the command itself."""
        from steiner.cli.asked import with_robot_options
        from steiner.cli.common import ROBOTS

        alone = typer.Typer(add_completion=False, context_settings=SETTINGS, rich_markup_mode="markdown")
        alone.command(self.name)(with_robot_options(opened(self.row), ROBOTS))
        return typer.main.get_command(alone).make_context(*words, **how)


def panel(title: str, rows: Iterable[tuple[str, str]]) -> Any:
    """A frame around names and what they are."""
    from rich.panel import Panel
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold cyan", no_wrap=True)
    for row in rows:
        grid.add_row(*row)
    return Panel(grid, title=title, title_align="left", border_style="dim")


def main() -> None:
    """Entry point: errors of the user are a sentence and exit code 2, never a traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # τ where a pipe is not in Unicode, as often on Windows
    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        warnings.showwarning = warned
        try:
            program()()
        except SteinerError as error:
            refused(f"{error}")
        except OSError as error:
            refused(f"{error.filename or 'output'}: {error.strerror or error}")


def warned(message: Any, category: Any, *rest: Any) -> None:
    """A warning as a line; one that is not ours says whose."""
    from steiner.cli.common import say

    say(f"warning: {message}" if issubclass(category, ModelWarning) else f"warning: {category.__name__}: {message}")


def refused(why: str) -> NoReturn:
    """The end, with a sentence."""
    from steiner.cli.common import say

    say(f"error: {why}")
    sys.exit(2)
