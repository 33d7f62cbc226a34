"""All shapes: closed forms for the solids of the documents, sweeps, limits of integration, meshes.

`SOLIDS` lists every shape; contract tests, documentation and file formats run over it.
"""

from __future__ import annotations

from steiner.solids.balls import Capsule, Ellipsoid, Hemisphere, Sphere, SphericalShell
from steiner.solids.base import Solid
from steiner.solids.compound import Compound, Placed
from steiner.solids.hull import ConvexHull
from steiner.solids.limits import Limits
from steiner.solids.mesh import Mesh
from steiner.solids.particles import Particles
from steiner.solids.primitives import (
    Box,
    Cone,
    Cylinder,
    EllipticCylinder,
    Frustum,
    HalfCylinder,
    Tube,
    Wedge,
)
from steiner.solids.prism import Prism
from steiner.solids.sweeps import Revolution, Torus
from steiner.solids.thin import Disk, Plate, Rod

SOLIDS: tuple[type[Solid], ...] = (
    Box,
    Cylinder,
    Tube,
    Sphere,
    SphericalShell,
    Ellipsoid,
    EllipticCylinder,
    Capsule,
    Cone,
    Frustum,
    Hemisphere,
    HalfCylinder,
    Torus,
    Wedge,
    Prism,
    Revolution,
    Rod,
    Plate,
    Disk,
    ConvexHull,
    Mesh,
    Limits,
)

__all__ = [
    "SOLIDS",
    "Compound",
    "Particles",
    "Placed",
    "Solid",
    "Box",
    "Cylinder",
    "Tube",
    "Sphere",
    "SphericalShell",
    "Ellipsoid",
    "EllipticCylinder",
    "Capsule",
    "Cone",
    "Frustum",
    "Hemisphere",
    "HalfCylinder",
    "Torus",
    "Wedge",
    "Prism",
    "Revolution",
    "Rod",
    "Plate",
    "Disk",
    "ConvexHull",
    "Mesh",
    "Limits",
]
