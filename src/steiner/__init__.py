"""Robot-manipulator dynamics: from the drawing of the links to the torques of the motors."""

from __future__ import annotations

from steiner import methods as _methods  # noqa: F401  gives Robot its methods
from steiner.dh import DH
from steiner.errors import SteinerError
from steiner.friction import Coulomb, Stribeck, Viscous
from steiner.inertia import MassProperties
from steiner.joints import Fixed, Helical, Prismatic, Revolute
from steiner.model import Link, Robot
from steiner.spatial import Pose, Twist, Wrench

__all__ = [
    "DH", "Coulomb", "Fixed", "Helical", "Link", "MassProperties", "Pose", "Prismatic", "Revolute", "Robot",
    "SteinerError", "Stribeck", "Twist", "Viscous", "Wrench",
]  # fmt: skip
