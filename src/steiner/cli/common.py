"""What commands share: the ROBOT argument and its robot, messages, progress."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from steiner.cli.asked import changed, wishes
from steiner.errors import SteinerError
from steiner.text.names import terminal

if TYPE_CHECKING:
    from rich.progress import Progress

LARGE = 2_000_000  # bytes of input from which on a progress bar is worth its line

RobotArgument = Annotated[
    str, typer.Argument(metavar="ROBOT", help="A robot file (URDF, SDF, YAML, …), or a name of the gallery.")
]


def find(robot: str) -> Any:
    """The robot of a file, or of the gallery."""
    from steiner.files import load
    from steiner.model.robot import Robot

    found = load(robot, mimic=wishes().mimic or "free")
    if not isinstance(found, Robot):
        raise SteinerError(f"{robot} holds no robot but a link; expected a robot")
    return changed(found)


def errors() -> Console:
    """Where messages go; made when needed, so that redirection is seen."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def say(message: str) -> None:
    """One line on stderr; names in it come from strangers."""
    errors().print(terminal(message), markup=False)


def progress(what: str, size: int) -> Progress:
    """A progress bar on a terminal, for input that takes a while."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = errors()
    bar = Progress(
        TextColumn(what), BarColumn(), TimeRemainingColumn(), console=console, transient=True,
        disable=size < LARGE or not console.is_terminal,
    )  # fmt: skip
    bar.add_task("", total=size)
    return bar


def terminal_width() -> int | None:
    """Columns of the terminal that reads what is printed; None if a file or a program does."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else None
