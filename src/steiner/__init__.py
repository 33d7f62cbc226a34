"""Robot-manipulator dynamics: from the drawing of the links to the torques of the motors.

    import steiner as st

Solids (`Box`, `Tube`, …) of a material become `MassProperties`; `Part` and `Assembly` make links of them;
a `Robot` is a tree of links, from code, a DH table, screws, a file (`load`) or the `gallery`.  Its methods
(`inverse_dynamics`, `mass_matrix`, …) take numbers, batches of numbers and SymPy symbols; `equations` gives
the formulas.  Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib

from steiner.locks import LOCK as _LOCK

__version__ = "0.1.0"

# public names by the room they live in, in the order of a tour; __init__.pyi is written from it by `tools.names`
_ROOMS = {
    "solids.shapes": (
        "Box", "Cylinder", "Tube", "Sphere", "SphericalShell", "Ellipsoid", "EllipticCylinder", "Capsule", "Cone",
        "Frustum", "Hemisphere", "HalfCylinder", "Torus", "Wedge", "Prism", "Revolution", "Rod", "Plate", "Disk",
        "ConvexHull", "Mesh", "Limits", "Particles",
    ),
    "solids.cad": ("Cad",),
    "solids.boolean": ("union", "difference", "intersection"),
    "inertia": ("MassProperties",),
    "assembly.part": ("Part",),
    "assembly.tree": ("Assembly",),
    "assembly.balancing": ("balance",),
    "spatial": ("Pose", "Frame", "Twist", "Wrench", "total_wrench"),
    "dynamics.rigid_body": ("RigidBody",),
    "model.robot": ("Robot",),
    "model.link": ("Link", "Shape"),
    "model.dh": ("DH",),
    "model.joints": ("Revolute", "Prismatic", "Helical", "Fixed", "JointLimits"),
    "model.joint_types": ("Universal", "Cylindrical", "Planar", "Spherical", "Composite"),
    "model.friction": ("Viscous", "Coulomb", "Stribeck"),
    "model.source": ("Source",),
    "model.answers": ("BaseMotion",),
    "files": ("load", "loads", "save", "convert"),
    "robots": ("gallery",),
    "checks": ("check",),
    "review.fix": ("fix",),
    "review.compare": ("compare",),
    "analysis.structure": ("structure", "structure_map"),
    "analysis.base_parameters": ("base_parameters",),
    "analysis.sizing": ("sizing",),
    "analysis.capacity": ("capacity",),
    "formulas": ("equations",),
    "kernels.compile": ("compile",),
    "kernels.export": ("export",),
    "motion.simulate": ("simulate",),
    "motion.linearise": ("linearise",),
    "motion.figures": ("tracking", "contact_torques"),
    "scene.drawing": ("draw",),
    "reports.report": ("report",),
    "errors": ("SteinerError", "ModelWarning"),
}  # fmt: skip
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}
_OPEN_ROOMS = {  # modules that are part of the public contract
    "dynamics": "dynamics", "scalar": "scalar", "spatial": "spatial",
    "trajectory": "motion.trajectory", "controllers": "motion.controllers",
}  # fmt: skip

__all__ = list(_ROOM_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Fetch a public name from its room."""
    if name not in _ROOM_OF and name not in _OPEN_ROOMS:
        raise AttributeError(f"module 'steiner' has no attribute {name!r}")
    with _LOCK:
        room = importlib.import_module(f"steiner.{_ROOM_OF.get(name) or _OPEN_ROOMS[name]}")
    value = getattr(room, name) if name in _ROOM_OF else room
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_OPEN_ROOMS})
