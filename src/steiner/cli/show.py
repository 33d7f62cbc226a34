"""`steiner show`: a robot, a link or a solid as a page to turn, zoom and move."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from steiner.cli.asked import changed, wishes
from steiner.cli.common import RobotArgument, pose_of, say
from steiner.errors import SteinerError

WATER = 1000.0  # kg/m³: shapes need some matter to be read, and these masses are not shown


def show(
    robot: RobotArgument,
    q: Annotated[str | None, typer.Option(metavar="Q1,Q2,…", help="The pose at first (rad, m).")] = None,
    units: Annotated[str, typer.Option(metavar="rad|deg", help="Unit of the angles in --q.")] = "rad",
    unit: Annotated[str | None, typer.Option(metavar="mm|cm|m|in", help="Of lengths, if the file has none.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="PAGE", help="Write the page; else the browser opens it.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the page if it exists.")] = False,
) -> None:
    """A page of HTML to turn, zoom and pick from: a robot that moves, the link of a YAML file, a mesh or a STEP file.

    A robot's page computes: move a joint and the torques, the centre of mass and the ellipsoids follow, with no network
    and no server. Links, meshes and STEP files stand still; of a STEP file without materials the shapes are shown.

    Example: `steiner show desk -o desk.html`, or `steiner show bracket.stl --unit mm`
    """
    from steiner.files import load
    from steiner.files.step import NoMatter, load_cad
    from steiner.model.robot import Robot
    from steiner.scene.show import show as shown

    if output is not None and output.exists() and not force:
        raise SteinerError(f"{output} exists; --force replaces it")
    try:
        found = load(robot, unit=unit, mimic=wishes().mimic or "free", via=wishes().via)
    except NoMatter as missing:
        page = shown(load_cad(robot, density=WATER), path=output, masses=False)
        say(f"shapes only, masses are not known: {missing}")
        return _told(page, output)
    if isinstance(found, Robot):
        arm = changed(found)
        page = shown(arm, path=output, q=None if q is None else pose_of(q, arm, units), meshes=True)
    elif q is not None:
        raise SteinerError(f"--q: {robot} holds no robot, and has no joints to move")
    else:
        page = shown(found, path=output)
    return _told(page, output)


def _told(page: Any, output: Path | None) -> None:
    say(f"{page.path} written" if output is not None else f"{page.path} opened in the browser")
