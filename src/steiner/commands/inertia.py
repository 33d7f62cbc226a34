"""`steiner inertia`: the mass budget of a link described in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steiner.io.native import inertia_text


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
    text = inertia_text(file, as_json=json, about=about, unit=unit, density=density, material=material, mass=mass)
    typer.echo(text)
