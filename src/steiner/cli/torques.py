"""`steiner torques`: joint torques along a motion."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from steiner.cli.common import RobotArgument, find, progress, say
from steiner.errors import SteinerError


def torques(
    robot: RobotArgument,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A CSV file of the motion.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="OUT", help="The CSV file to write.")],
    units: Annotated[str, typer.Option(metavar="rad|deg", help="Unit of the angles in DATA.")] = "rad",
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave out rows that cannot be read.")] = False,
) -> None:
    """Joint torques along a motion: τ = M q̈ + C q̇ + g + friction, one row per sample.

    The first line of DATA names the columns: NAME.q, NAME.qd, NAME.qdd for the position, velocity and
    acceleration of joint NAME (or q1, qd1, qdd1, … in the robot's order), and t if there is a time. OUT has
    t and NAME.tau, in N m for turning joints and N for sliding ones.

    Example: `steiner torques rr motion.csv -o torques.csv`
    """
    from steiner.files.motion import MotionFile, write_efforts
    from steiner.text.written import replacing

    if units not in ("rad", "deg"):
        raise SteinerError(f"--units {units}: expected rad or deg")
    if os.path.realpath(output) in (os.path.realpath(data), os.path.realpath(robot)):
        raise SteinerError(f"{output} is read and would be overwritten; choose another name for the output")
    arm = find(robot)
    motion = MotionFile(data, arm, degrees=units == "deg", skip_bad=skip_bad)
    count = 0
    with replacing(output, force=force) as file, progress("torques", motion.size) as bar:
        for block in motion:
            efforts = arm.inverse_dynamics(block.q, block.qd, block.qdd)
            write_efforts(file, motion, block, efforts, header=count == 0)
            count += len(efforts)
            bar.update(bar.task_ids[0], completed=block.position)
        if count == 0:
            raise SteinerError(f"{data}: no row of numbers{f'; {motion.skipped[0]}' if motion.skipped else ''}")
    for message in motion.skipped[:5]:
        say(f"warning: skipped {message}")
    if len(motion.skipped) > 5:
        say(f"warning: skipped {len(motion.skipped)} rows in all")
    say(f"{count} rows of torques of {arm.n} joints written to {output}")
