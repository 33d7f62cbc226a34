"""What is drawn of a solid, of the parts of an assembly and of a body's numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from steiner.assembly.tree import Assembly, Part
from steiner.errors import SteinerError
from steiner.inertia import MassProperties
from steiner.scene.coarse import coarsened
from steiner.scene.scene import AXES, CAVITY, GREY, INK, PALETTE, Arrow, Dot, Item, Line, Surface
from steiner.solids.base import Solid
from steiner.solids.overlap import pieces
from steiner.text.tables import settled_centres, shown


def inertia_ellipsoid(body: Any) -> tuple[np.ndarray, np.ndarray]:
    """Semi-axes [m] and axes (columns) of the homogeneous ellipsoid with the same mass and tensor.

    a² = 5 (I₂ + I₃ − I₁) / (2 m): what a solid ellipsoid of that mass must measure.  A body that no
    mass can make has no such ellipsoid; its impossible semi-axis is drawn as zero.
    """
    if not body.is_numeric or body.mass <= 0:
        raise SteinerError("an inertia ellipsoid needs a body with numbers and a mass > 0")
    moments, axes = body.principal()
    squares = 5 * (moments.sum() - 2 * moments) / (2 * float(body.mass))
    return np.sqrt(np.maximum(squares, 0)), axes


def surface(solid: Solid, colour: str, resolution: int, **look: Any) -> Surface:
    """A solid's own mesh, no finer than a picture can show."""
    vertices, faces = coarsened(*map(np.asarray, solid.mesh(resolution)))
    return Surface(vertices.astype(float), faces, colour, **look)


def surfaces(solid: Solid, colour: str, resolution: int, name: str = "", **look: Any) -> list[Item]:
    """A solid with what was cut from it as dashed outlines."""
    found: list[Item] = []
    for sign, piece in pieces(solid):
        if sign > 0:
            found.append(surface(piece, colour, resolution, name=name, **look))
        else:
            found.append(surface(piece, CAVITY, resolution, name=f"− {name}" if name else "", ghost=True))
    return found


def mass_marks(body: MassProperties, *, axes: bool = True, name: str = "inertia ellipsoid") -> list[Item]:
    """Centre of mass, equivalent ellipsoid (its three principal sections) and principal axes."""
    if not body.is_numeric or body.mass <= 0:
        return []
    centre = np.asarray(body.com, dtype=float)
    semi, principal = inertia_ellipsoid(body)
    turn = np.linspace(0, 2 * math.pi, 49)
    items: list[Item] = [Dot(centre, INK, 5.0, name="centre of mass", centre=True)]
    if not semi.any():  # a point
        return items
    for j, k in ((0, 1), (1, 2), (2, 0)):
        section = np.outer(np.cos(turn) * semi[j], principal[:, j]) + np.outer(np.sin(turn) * semi[k], principal[:, k])
        items.append(Line(centre + section, GREY, 0.9, opacity=0.8, name=name, front=True))
    for k, label in enumerate(("I₁", "I₂", "I₃") if axes else ()):
        tip = principal[:, k] * (semi[k] + 0.25 * semi.max())
        items.append(Arrow(centre, tip, AXES[k], 1.4, label=label))
    return items


def part_items(assembly: Assembly, resolution: int, opacity: float, named: bool = True, first: int = 0) -> list[Item]:
    """Every part in the assembly's frame: shapes, cavities as dashed outlines, a dot for a body without a shape."""
    items: list[Item] = []
    leaves = [(node, node.part) for node in assembly.nodes() if isinstance(node.part, Part)]
    for k, (node, part) in enumerate(leaves, first):
        colour = PALETTE[k % len(PALETTE)]
        label = node.path.partition("/")[2] if named else ""
        if not (part.mass_properties.is_numeric and node.pose.p.dtype == float):
            raise SteinerError(
                f"{assembly.name}: a picture needs numbers; substitute values with .subs({{symbol: value}})"
            )
        if part.solid is None:
            centre = node.pose.apply(np.asarray(part.mass_properties.com, dtype=float))
            items.append(Dot(centre, colour, 4.0, name=f"{label} (no shape)" if named else ""))
        elif part.cavity:
            name = f"− {label}" if named else ""
            items.append(surface(part.solid.at(node.pose), CAVITY, resolution, name=name, ghost=True))
        else:
            body = part.mass_properties.moved(node.pose) if named else None
            items += surfaces(part.solid.at(node.pose), colour, resolution, label, opacity=opacity, body=body)
    return items


def body_notes(body: MassProperties) -> tuple[str, ...]:
    """Mass, centre and principal moments in words."""
    moments, _ = body.principal()
    centre = ", ".join(shown(x) for x in settled_centres(body.com, body).tolist())
    listed = ", ".join(f"{m:.4g}" for m in moments)
    return (f"{float(body.mass):.4g} kg, centre ({centre}) m", f"principal moments {listed} kg m²")
