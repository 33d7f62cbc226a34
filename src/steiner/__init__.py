"""Robot-manipulator dynamics: from the drawing of the links to the torques of the motors.

    import steiner as st

Solids (`Box`, `Tube`, …) of a material become `MassProperties`; `Part` and `Assembly` make links of them;
a `Robot` is a tree of links, from code, a DH table, screws, a file (`load`) or the `gallery`.  Its methods
(`inverse_dynamics`, `mass_matrix`, …) take numbers, batches of numbers and SymPy symbols.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from steiner import methods as _methods  # noqa: F401  gives Robot its methods
from steiner.dh import DH
from steiner.errors import ModelWarning, SteinerError
from steiner.friction import Coulomb, Stribeck, Viscous
from steiner.inertia import MassProperties
from steiner.joints import Fixed, Helical, Prismatic, Revolute
from steiner.model import Link, Robot
from steiner.spatial import Pose, Twist, Wrench

if TYPE_CHECKING:
    from steiner.assembly import Assembly, Part, balance
    from steiner.compiling import compile
    from steiner.dynamics.rigid_body import RigidBody
    from steiner.exporting import export
    from steiner.formulas import equations
    from steiner.identifiable import base_parameters
    from steiner.io import load, loads, save
    from steiner.manipulability import structure, structure_map
    from steiner.robots import gallery
    from steiner.solids import (
        Box,
        Capsule,
        Cone,
        ConvexHull,
        Cylinder,
        Disk,
        Ellipsoid,
        EllipticCylinder,
        Frustum,
        HalfCylinder,
        Hemisphere,
        Limits,
        Mesh,
        Particles,
        Plate,
        Prism,
        Revolution,
        Rod,
        Sphere,
        SphericalShell,
        Torus,
        Tube,
        Wedge,
    )  # fmt: skip

__version__ = "0.1.0"

# names that are fetched when first used, by the room they live in
_ROOMS = {
    "steiner.solids": (
        "Box", "Cylinder", "Tube", "Sphere", "SphericalShell", "Ellipsoid", "EllipticCylinder", "Capsule", "Cone",
        "Frustum", "Hemisphere", "HalfCylinder", "Torus", "Wedge", "Prism", "Revolution", "Rod", "Plate", "Disk",
        "ConvexHull", "Mesh", "Limits", "Particles",
    ),
    "steiner.assembly": ("Part", "Assembly", "balance"),
    "steiner.dynamics.rigid_body": ("RigidBody",),
    "steiner.io": ("load", "loads", "save"),
    "steiner.robots": ("gallery",),
    "steiner.manipulability": ("structure", "structure_map"),
    "steiner.identifiable": ("base_parameters",),
    "steiner.compiling": ("compile",),
    "steiner.exporting": ("export",),
    "steiner.formulas": ("equations",),
}  # fmt: skip
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Box", "Cylinder", "Tube", "Sphere", "SphericalShell", "Ellipsoid", "EllipticCylinder", "Capsule", "Cone",
    "Frustum", "Hemisphere", "HalfCylinder", "Torus", "Wedge", "Prism", "Revolution", "Rod", "Plate", "Disk",
    "ConvexHull", "Mesh", "Limits", "Particles",
    "MassProperties", "Part", "Assembly", "balance",
    "Pose", "Twist", "Wrench", "RigidBody",
    "Robot", "Link", "DH", "Revolute", "Prismatic", "Helical", "Fixed", "Viscous", "Coulomb", "Stribeck",
    "load", "loads", "save", "gallery",
    "structure", "structure_map", "base_parameters", "compile", "export", "equations",
    "SteinerError", "ModelWarning",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Fetch a public name from its room."""
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'steiner' has no attribute {name!r}")
    value = getattr(importlib.import_module(_ROOM_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
