"""`steiner equations`: the equations of motion of a robot as a text or a program."""

from __future__ import annotations

from typing import Annotated

import typer

from steiner.cli.common import RobotArgument, find
from steiner.errors import SteinerError, unknown

FORMATS = ("latex", "markdown", "html", "python", "c")


def equations(
    robot: RobotArgument,
    format: Annotated[str, typer.Option(metavar="|".join(FORMATS), help="What to write.")] = "markdown",
    derivation: Annotated[bool, typer.Option("--derivation", help="Step by step, by Lagrange.")] = False,
    newton_euler: Annotated[
        bool, typer.Option("--newton-euler", help="Step by step, by Newton and Euler instead.")
    ] = False,
    symbols: Annotated[
        bool, typer.Option("--symbols", help="Letters in place of the robot's numbers: l1, lc1, Izz1, …")
    ] = False,
) -> None:
    """The equations of motion of a robot: formulas of up to three joints, named sub-expressions of more.

    Example: `steiner equations rr --format latex --derivation`
    """
    if format not in FORMATS:
        raise SteinerError("--format: " + unknown("format", format, FORMATS))
    from steiner.formulas import equations_text

    steps = {"derivation": derivation or newton_euler, "method": "newton-euler" if newton_euler else "lagrange"}
    typer.echo(equations_text(find(robot), format, symbols=symbols, **steps), nl=False)
