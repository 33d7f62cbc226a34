"""Robot-manipulator dynamics: from the drawing of the links to the torques of the motors.

    import steiner as st

Solids (`Box`, `Tube`, …) of a material become `MassProperties`; `Part` and `Assembly` make links of them;
a `Robot` is a tree of links, from code, a DH table, screws, a file (`load`) or the `gallery`.  Its methods
(`inverse_dynamics`, `mass_matrix`, …) take numbers, batches of numbers and SymPy symbols; `equations` gives
the formulas.  Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steiner import dynamics as dynamics
    from steiner import scalar as scalar
    from steiner import spatial as spatial
    from steiner.assembly import Assembly, Part, balance
    from steiner.compiling import compile
    from steiner.dh import DH
    from steiner.dynamics.rigid_body import RigidBody
    from steiner.errors import ModelWarning, SteinerError
    from steiner.exporting import export
    from steiner.formulas import equations
    from steiner.friction import Coulomb, Stribeck, Viscous
    from steiner.identifiable import base_parameters
    from steiner.inertia import MassProperties
    from steiner.io import load, loads, save
    from steiner.joints import Fixed, Helical, Prismatic, Revolute
    from steiner.manipulability import structure, structure_map
    from steiner.model import Link, Robot
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
    )
    from steiner.spatial import Pose, Twist, Wrench

__version__ = "0.1.0"

# public names by the room they live in; `methods` gives Robot its methods
_ROOMS = {
    "solids": (
        "Box", "Cylinder", "Tube", "Sphere", "SphericalShell", "Ellipsoid", "EllipticCylinder", "Capsule", "Cone",
        "Frustum", "Hemisphere", "HalfCylinder", "Torus", "Wedge", "Prism", "Revolution", "Rod", "Plate", "Disk",
        "ConvexHull", "Mesh", "Limits", "Particles",
    ),
    "inertia": ("MassProperties",),
    "assembly": ("Part", "Assembly", "balance"),
    "spatial": ("Pose", "Twist", "Wrench"),
    "dynamics.rigid_body": ("RigidBody",),
    "methods": ("Robot",),
    "model": ("Link",),
    "dh": ("DH",),
    "joints": ("Revolute", "Prismatic", "Helical", "Fixed"),
    "friction": ("Viscous", "Coulomb", "Stribeck"),
    "io": ("load", "loads", "save"),
    "robots": ("gallery",),
    "manipulability": ("structure", "structure_map"),
    "identifiable": ("base_parameters",),
    "formulas": ("equations",),
    "compiling": ("compile",),
    "exporting": ("export",),
    "errors": ("SteinerError", "ModelWarning"),
}  # fmt: skip
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}
_OPEN_ROOMS = ("dynamics", "scalar", "spatial")  # modules that are part of the public contract

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    "Box", "Cylinder", "Tube", "Sphere", "SphericalShell", "Ellipsoid", "EllipticCylinder", "Capsule", "Cone",
    "Frustum", "Hemisphere", "HalfCylinder", "Torus", "Wedge", "Prism", "Revolution", "Rod", "Plate", "Disk",
    "ConvexHull", "Mesh", "Limits", "Particles",
    "MassProperties", "Part", "Assembly", "balance",
    "Pose", "Twist", "Wrench", "RigidBody",
    "Robot", "Link", "DH", "Revolute", "Prismatic", "Helical", "Fixed", "Viscous", "Coulomb", "Stribeck",
    "load", "loads", "save", "gallery",
    "structure", "structure_map", "base_parameters", "equations", "compile", "export",
    "SteinerError", "ModelWarning",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Fetch a public name from its room."""
    if name in _OPEN_ROOMS:
        return importlib.import_module(f"steiner.{name}")
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'steiner' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"steiner.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_OPEN_ROOMS})
