"""`steiner compare`: two robots side by side, or one file in two programs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from steiner.cli.asked import Wishes, wishes
from steiner.cli.common import PIPE, FirstArgument, find, terminal_width
from steiner.errors import SteinerError
from steiner.text import names


def compare(
    first: FirstArgument,
    second: Annotated[str | None, typer.Argument(metavar="B", help="Another one.")] = None,
    against: Annotated[
        str | None, typer.Option(metavar="pinocchio|mujoco|drake", help="Let that program read A, and compare.")
    ] = None,
    poses: Annotated[int, typer.Option(help="How many poses to look at.")] = 100,
    package_dir: Annotated[list[Path] | None, typer.Option(help="Where package:// starts; may be repeated.")] = None,
    json: Annotated[bool, typer.Option("--json", help="For programs: all differences and effects.")] = False,
) -> None:
    """Which link's mass, centre, tensor or frame differs, and what that does to M, C and g over sampled poses.

    The exit code is 0 if nothing differs, and 1 if something does. Options of the robot are for both A and B.

    Example: `steiner compare arm.urdf mended.urdf`, or `steiner compare arm.urdf --against pinocchio`
    """
    from steiner.review.compare import compare as compared
    from steiner.review.compare import quietly

    pair: tuple[Any, Any] = (first, second)
    if wishes() != Wishes() or PIPE in pair:
        if pair == (PIPE, PIPE):
            raise SteinerError("- and -: one pipe holds one robot; expected a file for the other")
        if against is not None or second is None:
            meant = "pipes and options of the robot are for comparing A with B"
            raise SteinerError(f"--against reads a file as it is; {meant}")
        pair = quietly(find, first), quietly(find, second)
    found = compared(*pair, against=against, poses=poses, package_dirs=tuple(package_dir or ()))
    if json:
        typer.echo(names.json(dataclasses.asdict(found) | {"alike": found.alike}))
    else:
        typer.echo(found.text(terminal_width()))
    raise typer.Exit(int(not found.alike))
