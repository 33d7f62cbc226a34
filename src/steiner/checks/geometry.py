"""A link's own geometry as a yardstick for its mass: volume, hull, and the tensor of an even filling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, final
from weakref import WeakKeyDictionary

import numpy as np

from steiner.doors import DOORS, opened
from steiner.errors import SteinerError
from steiner.inertia import MassProperties
from steiner.inertia.properties import second_of
from steiner.model.link import ROLES, Link, Shape
from steiner.scalar import is_number

if TYPE_CHECKING:
    from steiner.solids.base import Solid

MESHES = "check.mesh"  # the door to who reads the mesh that a shape names
AT_ONCE = 32  # directions; meshes have many vertices


def _sphere(count: int) -> np.ndarray:
    """Directions all around, evenly (a Fibonacci spiral), after the six of the axes."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z * z)
    return np.vstack([np.eye(3), -np.eye(3), np.column_stack([r * np.cos(turn), r * np.sin(turn), z])])


DIRECTIONS = _sphere(250)


@final
@dataclass(frozen=True, eq=False)
class Geometry:
    """Solids of one role, in the link's frame; where they overlap, volume counts twice."""

    role: str
    solids: tuple[Solid, ...]
    filled: MassProperties  # of 1 kg/m³
    reach: np.ndarray  # of the hull, along DIRECTIONS

    @property
    def volume(self) -> float:
        """All of them [m³]."""
        return float(self.filled.mass)

    @property
    def size(self) -> float:
        """The longest side of the box around them [m]."""
        return float((self.reach[:3] + self.reach[3:6]).max())

    @property
    def centre(self) -> np.ndarray:
        """Centre of the volume."""
        return self.filled.com.astype(float)

    def tensor(self, mass: float) -> np.ndarray:
        """Central tensor of an even filling with that mass."""
        return self.filled.inertia.astype(float) * (mass / self.volume)

    def outside(self, point: np.ndarray) -> float:
        """How far a point lies outside the hull [m]; 0 inside."""
        return max(float((DIRECTIONS @ point - self.reach).max()), 0.0)

    def spread(self, body: MassProperties) -> tuple[float, float, float]:
        """Where mass is spread furthest beyond what the hull allows: ratio, radius found and largest possible [m].

        Mass between a and b with its centre at c has at most (b − c)(c − a) of second moment per kilogram (Bhatia and
        Davis).
        """
        lines = DIRECTIONS[6:]
        centre = lines @ body.com.astype(float)
        ahead, behind = self.reach[6:] - centre, _reach(self.solids, -lines) + centre
        most = np.maximum(ahead, 1e-12) * np.maximum(behind, 1e-12)
        second = second_of(body.inertia.astype(float)) / float(body.mass)
        found = np.einsum("ki,ij,kj->k", lines, second, lines)
        worst = int(np.argmax(found / most))
        return float(found[worst] / most[worst]), float(max(found[worst], 0) ** 0.5), float(most[worst] ** 0.5)


class Looked(NamedTuple):
    """What a link's shapes were found to be: its geometry, and the mesh files that are no solid, with the reason."""

    geometry: Geometry | None
    useless: dict[str, SteinerError]


_KNOWN: WeakKeyDictionary[Link, Looked] = WeakKeyDictionary()


def geometry_of(link: Link) -> Geometry | None:
    """The geometry of a link that is not drawn of parts: that of its roles with the larger volume, all of it solids."""
    return looked_at(link).geometry


def looked_at(link: Link) -> Looked:
    """A link's geometry and what is in its way; meshes are read once."""
    if link not in _KNOWN:
        useless: dict[str, SteinerError] = {}
        roles = [role for role in ROLES if any(s.role == role for s in link.shapes)]
        if "collision" in roles and any(s.file for s in link.shapes):  # meshes to be seen are large and often open
            roles = ["collision"]
        found = [_of(link, role, useless) for role in roles] if link.made_of is None else []
        _KNOWN[link] = Looked(max(filter(None, found), key=lambda g: g.volume, default=None), useless)
    return _KNOWN[link]


def _of(link: Link, role: str, useless: dict[str, SteinerError]) -> Geometry | None:
    shapes = [s for s in link.shapes if s.role == role]
    try:
        made = [(_solid(s, link, useless), s.pose) for s in shapes]
        solids = tuple(solid.at(pose) for solid, pose in made if solid is not None and is_number(solid.volume))
        if not solids or len(solids) < len(shapes):
            return None
        bodies = [s.with_density(1.0) for s in solids if s.volume > 0]
        filled = sum(bodies[1:], bodies[0]) if bodies else MassProperties.zero()
        if not filled.is_numeric or not filled.mass > 0:
            return None
        return Geometry(role, solids, filled, _reach(solids, DIRECTIONS))
    except SteinerError:  # a solid of which only the integrals are known
        return None


def _solid(shape: Shape, link: Link, useless: dict[str, SteinerError]) -> Solid | None:
    """The solid of a shape; that of a mesh file is read beside the file of the link, or noted as useless."""
    if shape.solid is not None or link.source is None or not link.source.file:
        return shape.solid
    where = {"scale": shape.scale, "package_dirs": link.source.package_dirs}
    try:
        return opened(DOORS[MESHES])(shape.file, link.source.file, **where)
    except SteinerError as error:
        useless[shape.file] = error
        return None


def _reach(solids: tuple[Solid, ...], directions: np.ndarray) -> np.ndarray:
    """How far solids reach along directions."""
    blocks = np.array_split(directions, -(-len(directions) // AT_ONCE))
    return np.concatenate([np.max([(s.support(d) * d).sum(axis=1) for s in solids], axis=0) for d in blocks])
