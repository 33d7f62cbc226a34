"""Looks and collision shapes of SDF links, both ways: a table of solids that both know."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.errors import SteinerError
from steiner.files.reading import Notes
from steiner.files.sdf_frames import Frames, pose_of
from steiner.files.xml import Element, shown
from steiner.model.link import ROLES, Shape
from steiner.model.source import element
from steiner.solids.shapes import Box, Capsule, Cylinder, Ellipsoid, Sphere


class Geometry(NamedTuple):
    """A solid of both worlds: its class, and the elements with as many numbers as its fields take in order."""

    solid: type[Any]
    elements: dict[str, int]


GEOMETRIES = {
    "box": Geometry(Box, {"size": 3}),
    "sphere": Geometry(Sphere, {"radius": 1}),
    "cylinder": Geometry(Cylinder, {"radius": 1, "length": 1}),
    "capsule": Geometry(Capsule, {"radius": 1, "length": 1}),
    "ellipsoid": Geometry(Ellipsoid, {"radii": 3}),
}


def shapes(link: Element, frames: Frames, notes: Notes, snap: bool) -> list[Shape]:
    """What a link looks and collides like; forms that no solid here has are left out and told."""
    found = []
    name = link.text("name")
    for look in link.children:
        if look.tag not in ROLES:
            continue
        what = element("link", name, f"{look.tag} {look.attributes.get('name', '')!r}")
        pose, relative = pose_of(look, what, notes, snap)
        if relative not in ("", name):
            pose = frames.pose(frames.need(relative, look), name) @ pose
        geometry = look.one("geometry")
        form = next((child for child in geometry.children if child.tag != "empty"), None) if geometry else None
        if form is None:
            continue
        options = {"pose": pose, "role": look.tag, "colour": _colour(look), "name": look.attributes.get("name", "")}
        if form.tag == "mesh":
            found.append(_mesh(form, options))
        elif form.tag in GEOMETRIES:
            found.append(_solid(form, options))
        else:
            notes.warnings[what] = f"<{shown(form.tag)}> is left out; read are {', '.join(GEOMETRIES)} and mesh"
    return found


def _solid(form: Element, options: Any) -> Shape:
    solid, elements = GEOMETRIES[form.tag]
    sizes = ((form.need(tag, "it has no default here"), count) for tag, count in elements.items())
    numbers = [x for size, count in sizes for x in size.inner_numbers(count)]
    try:
        return Shape(solid(*numbers), **options)
    except SteinerError as error:
        form.fail(str(error))


def _mesh(form: Element, options: Any) -> Shape:
    scale = form.one("scale")
    x, y, z = scale.inner_numbers(3) if scale is not None else (1.0, 1.0, 1.0)
    return Shape(file=form.need("uri", "a mesh needs the address of its file").inner_text(), scale=(x, y, z), **options)


def _colour(look: Element) -> tuple[float, ...] | None:
    material = look.one("material")
    stated = material.one("diffuse") or material.one("ambient") if material is not None else None
    if stated is None:
        return None
    numbers = stated.inner_numbers(3, 4)
    return tuple(np.clip([*numbers, 1.0][:4], 0.0, 1.0).tolist())
