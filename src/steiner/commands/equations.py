"""`steiner equations`: the equations of motion of a robot as a text or a program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steiner.errors import SteinerError, unknown
from steiner.io import load
from steiner.robots import gallery

FORMATS = ("latex", "markdown", "html", "python", "c")


def equations(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help="A robot file, or a name of the gallery.")],
    format: Annotated[str, typer.Option(metavar="|".join(FORMATS), help="What to write.")] = "markdown",
    derivation: Annotated[
        bool, typer.Option("--derivation", help="Step by step, by Lagrange (≤ 3 joints).")
    ] = False,
    symbols: Annotated[bool, typer.Option("--symbols", help="Names in place of the robot's numbers.")] = False,
) -> None:
    """The equations of motion of a robot: formulas of up to three joints, named sub-expressions of more.

    Example: `steiner equations rr --format latex --derivation`
    """
    if format not in FORMATS:
        raise SteinerError("--format: " + unknown("format", format, FORMATS))
    from steiner.formulas import equations_text
    from steiner.formulas.examples import with_symbols

    known = robot in gallery() and not Path(robot).exists()
    arm = load(f"gallery:{robot}" if known else robot)
    typer.echo(equations_text(with_symbols(arm) if symbols else arm, format, derivation), nl=False)
