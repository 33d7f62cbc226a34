"""`steiner fix`: one thing in a robot file mended, as a new file."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from steiner.cli.common import say, terminal_width
from steiner.text import names


def fix(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A URDF, SDF or MJCF file; it stays as it is.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="NEW", help="The file to write.")],
    link: Annotated[str | None, typer.Option(metavar="NAME", help="The link to mend.")] = None,
    mass: Annotated[float | None, typer.Option(metavar="KG", help="Fill its geometry with this mass.")] = None,
    density: Annotated[float | None, typer.Option(metavar="KG/M3", help="Fill its geometry with this density.")] = None,
    material: Annotated[str | None, typer.Option(metavar="NAME", help="Fill its geometry with this material.")] = None,
    nearest_physical: Annotated[
        bool, typer.Option("--nearest-physical", help="The nearest tensor that a body can have.")
    ] = False,
    swap: Annotated[
        str | None, typer.Option(metavar="ixx,izz|signs", help="Exchange numbers of the tensor, or turn product signs.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="kg*mm^2|g|mm|…", help="What tensor, mass or centre are really in.")
    ] = None,
    about_centre: Annotated[
        bool, typer.Option("--about-centre", help="The tensor was about the link's origin; move it to the centre.")
    ] = False,
    package_dir: Annotated[list[Path] | None, typer.Option(help="Where package:// starts; may be repeated.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace NEW if it exists.")] = False,
    json: Annotated[bool, typer.Option("--json", help="For programs: changes, diff and effect.")] = False,
) -> None:
    """Mend one link's inertia in a robot file: a new file, the lines that differ, and what that does to M and g.

    Nothing but the named numbers changes; comments, order and blanks stay.

    Example: `steiner fix arm.urdf -o mended.urdf --link upper --nearest-physical`
    """
    from steiner.review.fix import fix as mended

    done = mended(
        file, output, link=link, mass=mass, density=density, material=material, nearest_physical=nearest_physical,
        swap=swap, unit=unit, about_centre=about_centre, force=force,
        package_dirs=tuple(package_dir or ()),
    )  # fmt: skip
    if json:
        record = {"file": str(done.path), "changes": list(done.changes), "diff": done.diff}
        typer.echo(names.json(record | {"effect": dataclasses.asdict(done.effect)}))
        return
    for line in (*done.changes, "", *done.diff.splitlines(), ""):
        typer.echo(names.terminal(line))
    typer.echo(done.effect.text(terminal_width()))
    say(f"written to {done.path}")
