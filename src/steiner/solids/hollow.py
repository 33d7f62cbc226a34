"""Solids with a wall of constant thickness: the solid minus all that lies deeper than the wall.

`INSETS` says for a shape what lies deeper; a shape whose parallel surface is of another kind (an ellipsoid) has none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from steiner.errors import GeometryError
from steiner.inertia import MassProperties
from steiner.scalar import brief, is_negative, is_number, is_zero, numbers, sqrt
from steiner.solids.balls import Capsule, Sphere, SphericalShell
from steiner.solids.base import Solid, Triangles
from steiner.solids.compound import Compound, Placed, cut
from steiner.solids.mesh import Mesh
from steiner.solids.mesh_offset import inset_mesh
from steiner.solids.primitives import Box, Cone, Cylinder, Frustum, Tube, Wedge
from steiner.solids.prism import Prism
from steiner.solids.sweeps import Torus


def _cone(s: Cone, t: Any) -> Solid:
    slant = sqrt(s.radius**2 + s.height**2)
    height = s.height - t - t * slant / s.radius
    return _raised(Cone(s.radius * height / s.height, height, axis=s.axis), t)


def _frustum(s: Frustum, t: Any) -> Solid:
    slope = (s.r1 - s.r0) / s.height
    inward = t * sqrt(1 + slope**2)
    low, high = s.r0 + slope * t - inward, s.r1 - slope * t - inward
    return _raised(Frustum(low, high, s.height - 2 * t, axis=s.axis), t)


def _raised(solid: Any, t: Any) -> Solid:
    """A solid moved along its own axis."""
    return solid.at(xyz=[t if axis == solid.axis else 0 for axis in "xyz"])


def _prism(s: Prism, t: Any) -> Solid:
    loops = [_narrowed(loop, t) for loop in s.loops]
    return Prism(loops[0], s.height - 2 * t, loops[1:], axis=s.axis)


def _wedge(s: Wedge, t: Any) -> Solid:
    return Prism(_narrowed([(0, 0), (s.a, 0), (0, s.b)], t), s.height - 2 * t, axis=s.axis)


def _narrowed(loop: Any, t: Any) -> list[tuple[Any, Any]]:
    """A loop whose edges moved by t to their left, which is inside; refused where one of them vanishes."""
    count = len(loop)
    edges = [(loop[(k + 1) % count][0] - x, loop[(k + 1) % count][1] - y) for k, (x, y) in enumerate(loop)]
    units = [(u / length, v / length) for u, v in edges for length in [sqrt(u * u + v * v)]]
    result = []
    for k, (x, y) in enumerate(loop):
        (a, b), (c, d) = units[k - 1], units[k]
        turn = 1 + a * c + b * d  # mitre: the point at distance t from both edges
        result.append((x - t * (b + d) / turn, y + t * (a + c) / turn))
    for k, (u, v) in enumerate(edges):
        (x, y), (p, q) = result[k], result[(k + 1) % count]
        along = (p - x) * u + (q - y) * v
        if is_negative(along) or is_zero(along):
            raise GeometryError(f"an edge of the polygon is too short for a wall of {brief(t)} m")
    return result


def _torus(s: Torus, t: Any) -> Solid:
    if is_number(s.angle) and abs(s.angle - 2 * np.pi) > 1e-12:
        raise GeometryError("a bend has open ends; expected a whole torus")
    return Torus(s.major, s.minor - t, axis=s.axis)


INSETS: dict[type, Callable[[Any, Any], Solid]] = {
    Box: lambda s, t: Box(s.x - 2 * t, s.y - 2 * t, s.z - 2 * t),
    Cylinder: lambda s, t: Cylinder(s.radius - t, s.height - 2 * t, axis=s.axis),
    Tube: lambda s, t: Tube(s.outer - t, s.inner + t, s.height - 2 * t, axis=s.axis),
    Cone: _cone,
    Frustum: _frustum,
    Sphere: lambda s, t: Sphere(s.radius - t),
    SphericalShell: lambda s, t: SphericalShell(s.outer - t, s.inner + t),
    Capsule: lambda s, t: Capsule(s.radius - t, s.height, axis=s.axis),
    Torus: _torus,
    Wedge: _wedge,
    Prism: _prism,
    Mesh: inset_mesh,
    Placed: lambda s, t: inset(s.solid, t).at(s.pose),
}


def inset(solid: Solid, wall: Any) -> Solid:
    """All of a solid that lies deeper than the wall."""
    of = INSETS.get(type(solid))
    if of is None:
        listed = ", ".join(kind.__name__ for kind in INSETS)
        raise GeometryError(
            f"hollow: what lies inside of a {type(solid).__name__} at a constant depth has no formula; those with one: "
            f"{listed}. Cut a shape of your own out of it: a − b"
        )
    try:
        return of(solid, wall)
    except GeometryError as error:
        raise GeometryError(f"hollow: a wall of {brief(wall)} m leaves nothing inside of {solid!r} ({error})") from None


@final
@dataclass(frozen=True, eq=False)
class Hollow(Solid):
    """A solid with a wall: its outside, and how thick the wall is."""

    solid: Solid
    wall: Any

    def __post_init__(self) -> None:
        if not isinstance(self.solid, Solid) or self.solid.dimension != 3:
            raise GeometryError(f"hollow: expected a solid with a volume, got {self.solid!r}")
        (wall,) = numbers("hollow: wall", self.wall)
        if is_negative(wall) or is_zero(wall):
            raise GeometryError(f"hollow: the wall is {brief(wall)} m; expected a thickness > 0")
        object.__setattr__(self, "wall", wall)
        object.__setattr__(self, "convex", False)
        object.__setattr__(self, "provenance", self.solid.provenance)
        object.__setattr__(self, "frame", f"that of the {type(self.solid).__name__}")
        _ = self.shell

    @classmethod
    def example(cls) -> Self:
        """A box with a thin wall."""
        return cls(Box(0.12, 0.08, 0.05), 0.004)

    @cached_property
    def inside(self) -> Solid:
        """The room inside, where infill goes."""
        return inset(self.solid, self.wall)

    @cached_property
    def shell(self) -> Compound:
        """The wall itself: the solid minus the room inside."""
        return cut(self.solid, self.inside)

    @property
    def dimensions(self) -> dict[str, Any]:
        """Those of the outside, and the wall."""
        return {**self.solid.dimensions, "wall": self.wall}

    def resized(self, **changes: Any) -> Hollow:
        """With other numbers outside, or another wall."""
        wall = changes.pop("wall", self.wall)
        return Hollow(self.solid.resized(**changes) if changes else self.solid, wall)

    def _measure(self) -> Any:
        return self.shell.measure

    def _centre(self) -> Any:
        return self.shell.centroid

    def _gyration(self) -> Any:
        return self.shell.gyration

    def with_density(self, density: Any) -> MassProperties:
        """Mass properties of the wall with one density [kg/m³]."""
        return self.shell.with_density(density)

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return self.solid.support(directions)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return self.shell.depth(points)

    def _mesh(self, resolution: int) -> Triangles:
        return self.shell.mesh(resolution)


def hollow(solid: Solid, wall: Any) -> Hollow:
    """See `Solid.hollow`."""
    return Hollow(solid, wall)
