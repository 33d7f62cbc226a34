"""`steiner gallery`: the robots that come with steiner."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from steiner.text import names


def gallery(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One of them, in detail.")] = None,
    json: Annotated[bool, typer.Option("--json", help="For programs: name, title, joints, mass, source.")] = False,
) -> None:
    """The robots that come with steiner; each name is a ROBOT for the other commands.

    Example: `steiner gallery puma560`
    """
    from rich.console import Console
    from rich.table import Table

    from steiner.robots import GALLERY

    console = Console(highlight=False)
    rows = [described(each) for each in ([name] if name else GALLERY)]
    if json:
        typer.echo(names.json(rows))
    elif name:
        for key, value in rows[0].items():
            text = ", ".join(value) if isinstance(value, list) else f"{value:.6g}" if key == "mass_kg" else value
            console.print(f"{key:9} {text}", markup=False, soft_wrap=True)
    else:
        table = Table("name", "joints", "mass kg", "what", box=None, padding=(0, 2, 0, 0))
        for row in rows:
            table.add_row(row["name"], str(len(row["joints"])), f"{row['mass_kg']:.2f}", row["title"])
        console.print(table)


def described(name: str) -> dict[str, Any]:
    """What there is to say about a robot of the gallery."""
    from steiner.robots import GALLERY, build

    arm = build(name)
    title, source, _ = GALLERY[name]
    return {"name": name, "title": title, "joints": list(arm.joint_names), "mass_kg": arm.total_mass, "source": source}
