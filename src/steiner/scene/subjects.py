"""What is drawn of whatever can be seen: a new subject is one function and one line in `SUBJECTS`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from steiner.assembly.tree import Assembly, Part
from steiner.errors import ArgumentError, SteinerError, described, unknown
from steiner.inertia import MassProperties
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.scalar import is_number
from steiner.scene.arms import BONE, joint_items, link_items, of_robot
from steiner.scene.pieces import body_notes, inertia_ellipsoid, mass_marks, part_items, surfaces
from steiner.scene.scene import PALETTE, Actor, Item, Scene, Surface, triad
from steiner.solids.balls import Sphere
from steiner.solids.base import Solid
from steiner.solids.compound import Compound, Placed
from steiner.solids.particles import Particles
from steiner.spatial import IDENTITY
from steiner.text.tables import shown

RESOLUTION = 32  # segments per turn
NAMED = 24  # particles that a legend names


def of_solid(solid: Solid, *, resolution: int = RESOLUTION, opacity: float = 0.55, density: float = 1000.0) -> Scene:
    """A solid, its centre and principal axes (as if it were of water); what was cut from it is dashed."""
    plain = solid.solid if isinstance(solid, Placed) else solid
    title = "solid" if isinstance(plain, Compound) else type(plain).__name__
    thin = not is_number(solid.volume) or not solid.volume
    body = solid.with_mass(1.0) if thin else solid.with_density(density)
    if not body.is_numeric:
        raise SteinerError(f"{solid!r}: a picture needs numbers; substitute values with .subs({{symbol: value}})")
    items = surfaces(solid, PALETTE[0], resolution, opacity=opacity)
    size = Scene("", (Actor("", tuple(items)),)).size
    items += [*mass_marks(body), *triad(IDENTITY, 0.2 * size)]
    note = "as if it had 1 kg" if thin else f"{shown(float(solid.volume))} m³; as if of {shown(density)} kg/m³"
    return Scene(title, (Actor("solid", tuple(items), body=body),), (note,))


def of_assembly(
    assembly: Assembly, *, resolution: int = RESOLUTION, opacity: float = 0.55, masses: bool = True
) -> Scene:
    """Parts translucent, cavities dashed, centre of mass, principal axes and equivalent inertia ellipsoid.

    Where densities are not known, `masses=False` shows the shapes alone, in the colours of their CAD file.
    """
    items = part_items(assembly, resolution, opacity if masses else 1.0)
    size = Scene("", (Actor("", tuple(items)),)).size
    axes = triad(IDENTITY, 0.12 * size)
    if not masses:
        parts = [node.part.solid for node in assembly.nodes() if isinstance(node.part, Part)]
        coloured = [_plain(item, solid) for item, solid in zip(items, parts, strict=True)]
        return Scene(assembly.name, (Actor(assembly.name, (*coloured, *axes)),), ("masses are not known",))
    body = assembly.mass_properties
    items += [*mass_marks(body), *axes]
    return Scene(assembly.name, (Actor(assembly.name, tuple(items), body=body),), body_notes(body))


def _plain(item: Item, solid: Any) -> Item:
    """The shape of a part without its mass."""
    rgb = getattr(solid, "colour", None)
    colour = "#" + "".join(f"{round(255 * x):02x}" for x in rgb) if rgb else BONE
    return replace(item, colour=colour, body=None) if isinstance(item, Surface) else item


def of_part(part: Part, *, resolution: int = RESOLUTION, opacity: float = 0.55) -> Scene:
    """A part alone, in its own frame."""
    alone = replace(part, pose=IDENTITY)
    if part.cavity:
        raise SteinerError(f"part {part.name!r} is a cavity; draw the assembly that it is cut from, or its solid")
    return of_assembly(Assembly(part.name, [alone]), resolution=resolution, opacity=opacity)


def of_link(link: Link, *, resolution: int = RESOLUTION, meshes: bool = True) -> Scene:
    """A link in its own frame: its parts or shapes, its joint axis, and its centre, ellipsoid and principal axes."""
    if not link.body.is_numeric:
        raise SteinerError(f"link {link.name!r}: a picture needs numbers, it has symbols")
    items = [*link_items(link, resolution, meshes), *mass_marks(link.body)]
    size = Scene("", (Actor("", tuple(items)),)).size if items else 1.0
    items += [*joint_items(link, size), *triad(IDENTITY, 0.12 * size)]
    notes = body_notes(link.body) if link.body.mass > 0 else ("no mass",)
    return Scene(link.name, (Actor(link.name, tuple(items), body=link.body),), notes)


def of_particles(particles: Particles, *, resolution: int = 12) -> Scene:
    """Balls whose volumes are as their masses, with the marks of the body that they make."""
    body = particles.mass_properties
    if not body.is_numeric:
        raise SteinerError("a picture of particles needs numbers, they have symbols")
    masses, places = np.asarray(particles.masses, dtype=float), np.asarray(particles.positions, dtype=float)
    span = float(np.ptp(places, axis=0).max()) or 1.0
    largest = 0.05 * span * min(1.0, 3 / len(masses) ** (1 / 3))
    ball, faces = Sphere(1.0).mesh(resolution)
    items: list[Item] = []
    for k, (mass, place) in enumerate(zip(masses, places, strict=True)):
        radius = largest * (mass / masses.max()) ** (1 / 3)
        own = MassProperties(mass, place) if mass > 0 else None
        look = {"name": f"{k + 1}: {shown(mass)} kg" if len(masses) <= NAMED else "", "body": own}
        items.append(Surface(place + radius * ball, faces, PALETTE[k % len(PALETTE)], **look))
    marks = [*mass_marks(body), *triad(IDENTITY, 0.2 * span)]
    return Scene("particles", (Actor("particles", (*items, *marks), body=body),), body_notes(body))


def of_body(body: MassProperties) -> Scene:
    """A body known by its numbers only: centre, ellipsoid, principal axes."""
    if not body.is_numeric:
        raise SteinerError("a picture of a body needs numbers, it has symbols")
    items = mass_marks(body)
    if not items:
        raise SteinerError(f"a body of {float(body.mass):.6g} kg has nothing to draw; expected a mass > 0")
    items += triad(IDENTITY, float(inertia_ellipsoid(body)[0].max()) / 3)
    return Scene("body", (Actor("body", tuple(items), body=body),), body_notes(body))


SUBJECTS: dict[type, Callable[..., Scene]] = {
    Solid: of_solid, Particles: of_particles, Part: of_part, Assembly: of_assembly, Link: of_link, Robot: of_robot,
    MassProperties: of_body,
}  # fmt: skip


def scene_of(subject: Any, **options: Any) -> Scene:
    """The scene of anything that can be seen; a scene is one already."""
    if isinstance(subject, Scene):
        return subject
    for kind, of in SUBJECTS.items():
        if isinstance(subject, kind):
            allowed = list(inspect.signature(of).parameters)[1:]
            for name in options.keys() - set(allowed):
                raise ArgumentError(unknown("option", name, allowed, f"a picture of a {kind.__name__}"))
            return of(subject, **options)
    listed = ", ".join(kind.__name__ for kind in SUBJECTS)
    raise SteinerError(f"cannot draw {described(subject)}; expected one of: {listed}")
