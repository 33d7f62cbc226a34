"""`steiner size`: what a motion asks of the motors, and which of a catalogue do it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steiner.cli.common import RobotArgument, find, motion_of, say, terminal_width


def size(
    robot: RobotArgument,
    motion: Annotated[Path, typer.Argument(metavar="MOTION", help="A CSV file of the motion, with a column t.")],
    catalogue: Annotated[Path | None, typer.Option(metavar="CSV", help="Motors to choose from.")] = None,
    margin: Annotated[float, typer.Option(metavar="X", help="A motor should do X times what is asked.")] = 1.3,
    pause: Annotated[float, typer.Option(metavar="S", help="Seconds of standing still after the motion.")] = 0.0,
    masses: Annotated[bool, typer.Option("--masses", help="Motors weigh on the links before their joints.")] = False,
    by: Annotated[
        str, typer.Option(metavar="source|link|element|part|payload", help="How the peak torques are split.")
    ] = "source",
    units: Annotated[str, typer.Option(metavar="rad|deg", help="Unit of the angles in MOTION.")] = "rad",
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Torque over speed of every joint: .svg, .png, .pdf.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the picture if it exists.")] = False,
    json: Annotated[bool, typer.Option("--json", help="For programs: all digits, SI units.")] = False,
) -> None:
    """Peak and RMS torque, speed, power and energy of every joint along a motion, its limits, and motors that do it.

    MOTION is a CSV file as `steiner torques` takes it, with a column t. A catalogue is a CSV file with the columns
    name, rated_torque, peak_torque, rated_speed, max_speed, rotor_inertia, ratios, efficiency and mass, in SI or with a
    unit: `peak_torque [mNm]`, `max_speed [rpm]`; gear ratios stand in one cell: 50 100 160. Every joint gets the
    lightest motor and gear whose peak torque, rated torque and speed are --margin times what is asked.

    Example: `steiner size ur5 motion.csv --catalogue motors.csv --picture cloud.svg`
    """
    from steiner.analysis.sizing import sizing

    arm = find(robot)
    found = sizing(arm, motion_of(motion, arm, units), catalogue, margin=margin, pause=pause, masses=masses)
    tables = [found.table(), found.shares_table(by), *([found.motors_table()] if found.choices else [])]
    if picture is not None:
        from steiner.scene.maps import save

        save(found, picture, force=force)
    typer.echo(found.json() if json else "\n\n".join(table.text(terminal_width()) for table in tables))
    if picture is not None:
        say(f"{picture} written")
