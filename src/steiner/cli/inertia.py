"""`steiner inertia`: the mass budget of a link described in a file, or of meshes and CAD files."""

from __future__ import annotations

import json as json_text
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

from steiner.cli.common import say, terminal_width

AT_ORIGIN = ("joint", "frame")  # reference points of a whole link that are the origin of its frame


def inertia(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A link (YAML, STEP), a robot, a mesh, a folder.")],
    link: Annotated[str | None, typer.Option(metavar="NAME", help="Which link, if FILE holds a robot.")] = None,
    unit: Annotated[str | None, typer.Option(metavar="mm|m|in|…", help="Unit of bare lengths in FILE.")] = None,
    density: Annotated[float | None, typer.Option(metavar="KG/M3", help="For parts that state none.")] = None,
    material: Annotated[str | None, typer.Option(metavar="NAME", help="For parts that state none.")] = None,
    mass: Annotated[float | None, typer.Option(metavar="KG", help="What the whole weighs: the scale wins.")] = None,
    about: Annotated[
        str, typer.Option(metavar="link|own|parent|frame|joint", help="Reference point of tensors.")
    ] = "link",
    json: Annotated[bool, typer.Option("--json", help="For programs: all digits, SI units.")] = False,
    urdf: Annotated[bool, typer.Option("--urdf", help="The `<inertial>` element of the whole, to paste.")] = False,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .svg, .png, .pdf or .html.")] = None,
    derivation: Annotated[
        Path | None, typer.Option(metavar="FILE", help="How the numbers come about: .html, .md or .tex.")
    ] = None,
    materials: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of CAD parts: .csv or .yaml of part (or #colour), material.")
    ] = None,
    policy: Annotated[
        str, typer.Option(metavar="exact|repair|hull|box", help="What is allowed if a mesh is not sound.")
    ] = "exact",
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Mass, share, centre and inertia tensor of every part of a link, and of the whole; or of a folder of solids.

    A robot is a table of its links; `--link` opens one of them.
    A mesh needs `--unit`, unless its file says it, and one of `--density`, `--material`, `--mass`.
    `--about joint` takes all tensors about the origin of the link's frame, where its joint is. Of a folder, `--json`
    lists under "parts" one row for each mesh and CAD file, and `--urdf` writes a `<link>` for each.

    Example: `steiner inertia examples/decks_link.yaml --about own --picture link.svg`, or `steiner inertia
    examples/desk_arm.yaml --link fore`
    """
    from steiner.files.matter import Matter
    from steiner.files.reading import CAD_ENDINGS, MESH_ENDINGS

    def solid(part: Path) -> tuple[Any, Any]:
        if part.suffix.lower() in CAD_ENDINGS:
            return cad_link(part, materials, density, material, mass), None
        from steiner.cli.meshes import mesh_link

        return mesh_link(part, unit, policy, Matter(density, material, mass))

    fitting(file, locals())
    if file.is_dir():
        folder(file, solid, json, urdf)
        return
    mesh = None
    if file.suffix.lower() in (*CAD_ENDINGS, *MESH_ENDINGS):
        drawn, mesh = solid(file)
    else:
        drawn = drawing(file, link, unit=unit, density=density, material=material, mass=mass)
    if hasattr(drawn, "links"):
        robot(drawn, about, json, picture, urdf=urdf, derivation=derivation, force=force)
        return
    printed(drawn, about, mesh, json=json, urdf=urdf)
    written(drawn, picture, derivation, force)


def printed(link: Any, about: str, mesh: Any, *, json: bool, urdf: bool) -> None:
    """A link as it was asked for."""
    from steiner.cli.meshes import urdf_text

    if urdf:
        typer.echo(urdf_text(link.mass_properties), nl=False)
    else:
        typer.echo(budget_json(link, about, mesh) if json else budget_text(link, about, terminal_width(), mesh))


def fitting(file: Path, given: Mapping[str, Any]) -> None:
    """What would be left aside in silence is told instead."""
    from steiner.errors import SteinerError
    from steiner.files.reading import CAD_ENDINGS, MESH_ENDINGS

    ending = file.suffix.lower()
    folder, cad, mesh = file.is_dir(), ending in CAD_ENDINGS, ending in MESH_ENDINGS
    for option, misfit, why in (
        ("json", given["urdf"], "--urdf is text of another kind; one of them at a time"),
        ("link", folder or cad or mesh, "a robot has links, a mesh or a CAD file has none"),
        ("materials", not folder and not cad, "it is for CAD files"),
        ("policy", not folder and not mesh, "it is for meshes"),
        ("unit", cad, "a STEP file says its own"),
        ("picture", folder, "name one file of the folder"),
        ("derivation", folder or cad or mesh, "surfaces are integrated by sums, not by formulas"),
        ("about", folder, "name one file of the folder"),
    ):
        if misfit and given[option] not in (None, False, "exact", "link"):
            raise SteinerError(f"--{option} does not fit here: {why}")


def drawing(file: Path, link: str | None, *, unit: str | None, mass: float | None, **matter: Any) -> Any:
    """What a file draws: a link, a robot, or the link of a robot that is named, as it is drawn or its body."""
    from steiner.errors import SteinerError
    from steiner.files import load
    from steiner.files.link_yaml import load_assembly
    from steiner.model.robot import Robot

    if link is None:
        stated = mass is not None or any(value is not None for value in matter.values())
        return load_assembly(file, unit=unit, mass=mass, **matter) if stated else load(file, unit=unit)
    robot = load(file, unit=unit)
    if not isinstance(robot, Robot):
        raise SteinerError(f"{file}: holds no robot; leave out --link")
    if stated := [f"--{name}" for name, value in matter.items() if value is not None]:
        raise SteinerError(f"{file}: {stated[0]} is for parts that state none; the links of a robot do")
    drawn = as_drawn(robot.link(link))
    return drawn if mass is None else drawn.weighed(mass)


def as_drawn(link: Any) -> Any:
    """The parts of a robot's link, or its body alone."""
    from steiner.assembly.tree import Assembly

    return link.made_of if link.made_of is not None else Assembly(link.name, [], body=link.body)


def robot(model: Any, about: str, json: bool, picture: Path | None, *, force: bool, **of_a_link: Any) -> None:
    """Every link of a robot as a row, in its own frame."""
    from steiner.errors import SteinerError
    from steiner.text import names

    if asked := [name for name, value in of_a_link.items() if value]:
        raise SteinerError(f"--{asked[0]} is for one link; name it (--link): {', '.join(model.link_names)}")
    table = links_budget(model, about)
    if json:
        typer.echo(names.json({"name": model.name, "about": about, "links": table.records()}))
    else:
        point = "the origin of that frame" if about in AT_ORIGIN else "its centre of mass"
        shown = table.readable
        rows = [[*row[:5], row[6]] for row in shown.rows]  # links have no one material
        caption = f"{model.name}: each link in its own frame, its tensor about {point}"
        head = ["link", *shown.head[1:5], shown.head[6]]
        listed = replace(shown, head=head, rows=rows, caption=caption, align="lrrrrl")
        typer.echo(listed.text(terminal_width()))
        typer.echo(f"\n{names.terminal(model.name)}: {float(model.total_mass):.6g} kg")
    written(model, picture, None, force)


def links_budget(model: Any, about: str) -> Any:
    """The first row of each link's budget, and its share of the robot."""
    import numpy as np

    from steiner.assembly.table import Budget
    from steiner.inertia import MassProperties

    rows = [as_drawn(link).budget(about).rows[0] for link in model.links]
    whole = float(model.total_mass)
    shares = [row.mass / whole if whole else 0.0 for row in rows]
    listed = tuple(replace(row, share=share) for row, share in zip(rows, shares, strict=True))
    moments = np.max([row.inertia.diagonal() for row in rows], axis=0)
    largest = MassProperties.trusted(max(row.mass for row in rows), np.zeros(3), np.diag(moments))  # chooses the units
    return Budget(model.name, about, listed, largest)


def cad_link(
    file: Path, materials: Path | None, density: float | None, material: str | None, mass: float | None
) -> Any:
    """The assembly of a STEP file, weighed if a mass is given."""
    from steiner.files.step import load_cad

    known = 1000.0 if mass is not None and density is None and material is None else density
    link = load_cad(file, materials=materials, material=material, density=known)
    return link if mass is None else link.weighed(mass)


def folder(path: Path, solid: Callable[[Path], tuple[Any, Any]], json: bool, urdf: bool) -> None:
    """The meshes and CAD files of a folder as a table, or as links of a URDF; exit 1 if one of them was refused."""
    from steiner.cli.meshes import folder_rows, folder_table, folder_urdf
    from steiner.text import names

    rows = list(folder_rows(path, solid))
    if urdf:
        typer.echo(folder_urdf(rows), nl=False)
        for row in rows:
            if "error" in row:
                say(row["error"])
    else:
        typer.echo(names.json({"parts": rows}) if json else folder_table(rows).text(terminal_width()))
    if any("error" in row for row in rows):
        raise typer.Exit(1)


def budget_text(link: Any, about: str, width: int | None = None, mesh: Any = None) -> str:
    """The budget, the whole and findings about overlaps, for people: units that read well."""
    from steiner.cli.meshes import remark
    from steiner.text.names import terminal
    from steiner.text.tables import settled, settled_centres, shown

    whole = link.mass_properties
    at_joint = about in AT_ORIGIN
    tensor = whole.inertia_about((0, 0, 0)) if at_joint else whole.inertia
    point = "the origin of its frame" if at_joint else "its centre of mass"
    rows = ["  ".join(shown(x).rjust(12) for x in row) for row in settled(tensor)]
    centre = ", ".join(shown(x) for x in settled_centres(whole.com, whole))
    name = terminal(link.name)
    total = f"{name}: {shown(whole.mass)} kg, centre ({centre}) m"
    told = map(str, link.check())
    findings = ["", *(told if width is None else (fill(text, width, subsequent_indent="  ") for text in told))]
    lines = [link.budget(about).readable.text(width), "", total, f"inertia of {name} about {point}, kg m²:"]
    remarks = ["", remark(mesh)] if mesh is not None else []
    return "\n".join([*lines, *rows, *(findings if len(findings) > 1 else []), *remarks])


def budget_json(link: Any, about: str, mesh: Any = None) -> str:
    """The budget and findings about overlaps, for programs."""
    from steiner.cli.meshes import facts
    from steiner.text import names

    table = json_text.loads(link.budget(about).json())
    listed = [{"code": f.code, "parts": f.parts, "depth_m": f.depth, "text": f.text} for f in link.check()]
    return names.json(table | {"findings": listed} | ({"mesh": facts(mesh)} if mesh is not None else {}))


def written(link: Any, picture: Path | None, derivation: Path | None, force: bool) -> None:
    """The files that were asked for."""
    from steiner.errors import SteinerError
    from steiner.text.written import replacing

    if picture is not None:
        from steiner.scene.drawing import draw

        draw(link).save(picture, force=force)
        say(f"{picture} written")
    if derivation is not None:
        forms = {".html": "html", ".md": "markdown", ".tex": "latex"}
        if derivation.suffix.lower() not in forms:
            raise SteinerError(f"--derivation {derivation}: expected a name that ends in {', '.join(forms)}")
        text = getattr(link.derivation(), forms[derivation.suffix.lower()])()
        with replacing(derivation, force=force) as file:
            file.write(text)
        say(f"{derivation} written")
