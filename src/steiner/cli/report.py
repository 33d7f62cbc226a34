"""`steiner report`: all about a robot on one page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from steiner.cli.common import RobotArgument, find, say
from steiner.errors import SteinerError


def report(
    robot: RobotArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The page to write.")] = Path(
        "report.html"
    ),
    trajectory: Annotated[Path | None, typer.Option(metavar="CSV", help="The motion to look at.")] = None,
    units: Annotated[str, typer.Option(metavar="rad|deg", help="Unit of the angles in the CSV.")] = "rad",
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
) -> None:
    """All about a robot on one page of HTML: 3-D, masses, equations, torques, motors, motion, and how far to trust it.

    The page stands alone: one file, which any browser opens without a network; it prints. The motion is a CSV file as
    `steiner torques` takes it, with a column t; without one the arm goes there and back within its limits. Torques are
    split by source, link and part; the joint that limits and the largest payload are told; numbers are checked by
    independent routes, and by Pinocchio and MuJoCo where these are installed.

    Example: `steiner report panda --payload 1.5 -o report.html`, or `steiner report arm.yaml --trajectory motion.csv`
    """
    from steiner.reports.report import report as written

    if any(os.path.realpath(output) == os.path.realpath(x) for x in (robot, trajectory) if x is not None):
        raise SteinerError(f"{output} is read and would be overwritten; choose another name for the output")
    arm = find(robot)
    path = written(arm, output, trajectory=trajectory, units=units, force=force)
    say(f"{path} written: {path.stat().st_size / 1e6:.2f} MB, open it in a browser")
