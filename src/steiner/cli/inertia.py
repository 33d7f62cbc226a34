"""`steiner inertia`: the mass budget of a link described in a file."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated, Any

import typer

from steiner.cli.common import terminal_width


def inertia(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A YAML file of parts, or of a link.")],
    unit: Annotated[str | None, typer.Option(metavar="mm|m|in|…", help="Unit of bare lengths in FILE.")] = None,
    density: Annotated[float | None, typer.Option(metavar="KG/M3", help="For parts that state none.")] = None,
    material: Annotated[str | None, typer.Option(metavar="NAME", help="For parts that state none.")] = None,
    mass: Annotated[float | None, typer.Option(metavar="KG", help="What the whole weighs: the scale wins.")] = None,
    about: Annotated[str, typer.Option(metavar="link|own|parent|frame", help="Reference point of tensors.")] = "link",
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Mass, share, centre and inertia tensor of every part of a link, and of the whole.

    Example: `steiner inertia examples/decks_link.yaml --about own`
    """
    from steiner.files.link_yaml import load_assembly

    link = load_assembly(file, unit=unit, density=density, material=material, mass=mass)
    typer.echo(budget_json(link, about) if json else budget_text(link, about))


def budget_text(link: Any, about: str) -> str:
    """The budget, the tensor of the whole, and findings about overlaps, for people."""
    from steiner.text.names import terminal
    from steiner.text.tables import settled, shown

    table, findings = link.budget(about).text(terminal_width()), link.check()
    rows = ["  ".join(shown(x).rjust(12) for x in row) for row in settled(link.mass_properties.inertia)]
    tensor = "\n".join(["", f"inertia of {terminal(link.name)} about its centre of mass, kg m²:", *rows])
    return "\n".join([table, tensor, *(["", *map(str, findings)] if findings else [])])


def budget_json(link: Any, about: str) -> str:
    """The budget and findings about overlaps, for programs."""
    from steiner.text import names

    table = json_text.loads(link.budget(about).json())
    listed = [{"code": f.code, "parts": f.parts, "depth_m": f.depth, "text": f.text} for f in link.check()]
    return names.json(table | {"findings": listed})
