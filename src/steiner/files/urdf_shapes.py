"""What a URDF link looks like: <visual> and <collision> with box, cylinder, sphere or the name of a mesh file.

Meshes are named, not read: who draws or checks the robot reads them (`steiner.files.mesh.shape_mesh`), and a missing
mesh never stops a load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any

from steiner.errors import SteinerError
from steiner.files.reading import Notes
from steiner.files.xml import Element, shown
from steiner.model.link import Shape, Sketch
from steiner.model.source import element
from steiner.spatial import Pose

ROLES = ("visual", "collision")
GEOMETRIES = {
    "box": lambda e: ("solids.primitives:Box", e.vector("size")),
    "cylinder": lambda e: ("solids.primitives:Cylinder", [e.number("radius"), e.number("length")]),
    "sphere": lambda e: ("solids.balls:Sphere", [e.number("radius")]),
    "capsule": lambda e: ("solids.balls:Capsule", [e.number("radius"), e.number("length")]),
}


def shapes(link: Element, notes: Notes, place: Callable[[Element, str], Pose]) -> Iterator[Shape]:
    """The shapes of a link, as far as they have a meaning; what has none is noted."""
    name = link.attributes["name"]
    for child in link.children:
        if child.tag not in ROLES:
            continue
        what = element("link", name, child.tag)
        notes.lines.setdefault(what, child.line)
        geometry = child.one("geometry")
        form = next(iter(geometry.children), None) if geometry is not None else None
        if form is None:
            notes.warnings[what] = "no geometry; it was left out"
            continue
        given: dict[str, Any] = {
            "pose": place(child, what),
            "role": child.tag,
            "name": child.attributes.get("name", ""),
        }
        if form.tag == "mesh":
            given |= _mesh(form, what, notes)
        elif form.tag in GEOMETRIES:
            given |= _solid(form, what, notes)
        else:
            notes.warnings[what] = (
                f"<{shown(form.tag)}> is no shape; expected box, cylinder, sphere or mesh; it was left out"
            )
        if given.get("file") or given.get("solid") is not None:
            yield Shape(colour=_colour(child), **given)


def _solid(form: Element, what: str, notes: Notes) -> dict[str, Any]:
    kind, sizes = GEOMETRIES[form.tag](form)
    if min(sizes) <= 0:
        notes.warnings[what] = (
            f"a <{form.tag}> of {', '.join(f'{s:g}' for s in sizes)} m has no volume; it was left out"
        )
        return {}
    sketch = Sketch(kind, tuple(sizes))
    try:
        return {"solid": sketch if sketch.is_usual else sketch.made()}
    except SteinerError as error:
        notes.warnings[what] = f"{error}; it was left out"
        return {}


def _mesh(form: Element, what: str, notes: Notes) -> dict[str, Any]:
    file, scale = form.text("filename"), form.vector("scale", (1.0, 1.0, 1.0))
    if 0 in scale:
        notes.warnings[what] = f'scale="{shown(form.attributes["scale"])}" flattens the mesh; it was left out'
        return {}
    return {"file": file, "scale": tuple(scale)}


def _colour(child: Element) -> tuple[float, float, float, float] | None:
    """The colour that a shape states itself, if it is four numbers."""
    for colour in (c for m in child.all("material") for c in m.all("color")):
        try:
            red, green, blue, opacity = map(float, colour.attributes.get("rgba", "").split())
        except ValueError:
            return None
        return (red, green, blue, opacity) if isfinite(red + green + blue + opacity) else None
    return None
