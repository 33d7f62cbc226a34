"""`steiner payload`: how much a robot can carry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steiner.cli.common import RobotArgument, find, motion_of, numbers_of, pose_of, say, terminal_width
from steiner.errors import SteinerError


def payload(
    robot: RobotArgument,
    link: Annotated[str | None, typer.Option(metavar="NAME", help="The link that carries; the last, if none.")] = None,
    com: Annotated[str, typer.Option(metavar="X,Y,Z", help="Centre of the payload in that link, m.")] = "0,0,0",
    q: Annotated[str | None, typer.Option(metavar="Q1,Q2,…", help="At this pose, at rest (rad, m).")] = None,
    trajectory: Annotated[Path | None, typer.Option(metavar="CSV", help="Along this motion.")] = None,
    workspace: Annotated[int | None, typer.Option(metavar="N", help="At N poses within the joints' ranges.")] = None,
    effort: Annotated[str | None, typer.Option(metavar="E1,E2,…", help="Limits to take instead (N m, N).")] = None,
    margin: Annotated[float, typer.Option(metavar="X", help="Effort limits are divided by it.")] = 1.0,
    units: Annotated[str, typer.Option(metavar="rad|deg", help="Unit of the angles in the CSV and in --q.")] = "rad",
    seed: Annotated[int, typer.Option(metavar="N", help="Of the poses that are drawn.")] = 0,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="A map of it: .svg, .png or .pdf.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the picture if it exists.")] = False,
    json: Annotated[bool, typer.Option("--json", help="For programs: all digits, SI units.")] = False,
) -> None:
    """The largest payload that the joints' effort limits allow, and the joint that limits it.

    A point mass in the last link (or --link, --com): at a pose, along a motion with its accelerations (a CSV file as
    `steiner torques` takes it, with a column t), or, if nothing is said, over the workspace: at 5000 poses within the
    joints' ranges. The least of all is told, with the joint, the pose and the place; --picture draws
    the least payload for every place that was reached.

    Example: `steiner payload ur5 --workspace 20000 --picture map.svg`, or `steiner payload panda --q 0,0.5,0,-1,0,2,0`
    """
    from steiner.analysis.capacity import WORKSPACE, capacity

    if sum(given is not None for given in (q, trajectory, workspace)) > 1:
        raise SteinerError("--q, --trajectory and --workspace exclude one another; give one of them")
    arm = find(robot)
    where = WORKSPACE
    if q is not None:
        where = pose_of(q, arm, units)
    elif trajectory is not None:
        where = motion_of(trajectory, arm, units)
    found = capacity(
        arm, where, link=link, com=numbers_of("--com", com), margin=margin, seed=seed,
        effort=None if effort is None else numbers_of("--effort", effort),
        samples=5000 if workspace is None else workspace,
    )  # fmt: skip
    if picture is not None:
        from steiner.scene.maps import save

        save(found, picture, force=force)
    typer.echo(found.json() if json else found.table().text(terminal_width()))
    if picture is not None:
        say(f"{picture} written")
