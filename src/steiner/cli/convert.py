"""`steiner convert`: a robot or a link from one format to another."""

from __future__ import annotations

from typing import Annotated

import typer

from steiner.cli.asked import changed, wishes
from steiner.cli.common import PIPE, RobotArgument, piped, say
from steiner.errors import SteinerError


def convert(
    source: RobotArgument,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The file to write; its ending says the format.")],
    source_format: Annotated[
        str | None, typer.Option("--from", metavar="FORMAT", help="Format of ROBOT, where its ending does not say it.")
    ] = None,
    target_format: Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="Format of TARGET.")] = None,
    unit: Annotated[str | None, typer.Option(metavar="mm|m|in|…", help="Unit of bare lengths in ROBOT.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace TARGET if it exists.")] = False,
) -> None:
    """A robot (or a link) in another format; what the new one cannot hold is said, line by line.

    `-` is standard input or output, and needs --from or --to: urdf, sdf, robot_yaml, link_yaml and the others of the
    page "Robot files". Joints that follow others stay so, and angles stay as they are written.

    Example: `steiner convert ur5 ceiling.sdf --gravity 0,0,9.81`, `steiner convert - - --from urdf --to sdf < arm.urdf`
    """
    from steiner.files.load import faithful, rendered, stored
    from steiner.model.robot import Robot

    for option, name, given in (("--from", source, source_format), ("--to", target, target_format)):
        if name == PIPE and given is None:
            raise SteinerError(f"- has no ending that says its format; give {option}, such as {option} urdf")
    data = piped() if source == PIPE else None
    name = "<stdin>" if source == PIPE else source
    asked = wishes()
    model = faithful(name, source_format, data=data, unit=unit, mimic=asked.mimic or "coupled", via=asked.via)
    if isinstance(model, Robot):
        model = changed(model)
    if target == PIPE:
        found = rendered(model, target_format, where="<stdout>: ")
        losses = found.losses
        typer.echo(found.text, nl=False)
    else:
        losses = stored(model, target, format=target_format, force=force)
        say(f"{target} written")
    for loss in losses:
        say(f"lost: {loss}")
