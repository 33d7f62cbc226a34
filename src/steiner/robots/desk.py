"""A desk arm of three moving links, from its parts: what the demonstration shows.

Dimensions, motors and friction are illustrative; masses follow from shapes and materials, those of
the motors are given as a catalogue would.
"""

from __future__ import annotations

from math import pi

from steiner.assembly.tree import Assembly, Part
from steiner.model.friction import Coulomb, Viscous
from steiner.model.joints import JointLimits, Revolute
from steiner.model.robot import Robot
from steiner.robots.built import Stage, assembled, at
from steiner.solids.primitives import Box, Cylinder, Tube

LIFTS = (0.0, -1.0, 0.0)  # a positive angle raises what lies along +x


def desk() -> Robot:
    """Turret, upper arm with a hollow beam, forearm with a gripper."""
    return assembled(
        "desk",
        [
            Stage(_base()),
            Stage(_turret(), "base", _motor("waist", (0.0, 0.0, 1.0), 0.012, 0.05, 0.15, 6.0), at(z=0.115)),
            Stage(_upper(), "turret", _motor("shoulder", LIFTS, 0.015, 0.06, 0.18, 8.0), at(z=0.055)),
            Stage(_fore(), "upper", _motor("elbow", LIFTS, 0.005, 0.02, 0.08, 3.0), at(0.25)),
        ],
        tool=at(0.275),
    )


def _motor(
    name: str, axis: tuple[float, float, float], rotor: float, viscous: float, coulomb: float, effort: float
) -> Revolute:
    """A geared motor: reflected rotor inertia G²J, friction at the joint, and what it can do."""
    return Revolute(
        name=name, axis=axis, armature=rotor, friction=Viscous(viscous) + Coulomb(coulomb),
        limits=JointLimits(-0.9 * pi, 0.9 * pi, velocity=4.0, effort=effort),
    )  # fmt: skip


def _base() -> Assembly:
    return Assembly(
        "base",
        (
            Part("plate", Box(0.18, 0.18, 0.01), "steel", pose=at(z=0.005)),
            Part("column", Tube(0.04, 0.035, 0.10), "aluminium", pose=at(z=0.06)),
            Part("waist motor", Cylinder(0.03, 0.08), mass=0.42, pose=at(z=0.06)),
        ),
    )


def _turret() -> Assembly:
    cheek = Box(0.05, 0.008, 0.07)
    return Assembly(
        "turret",
        (
            Part("disc", Cylinder(0.045, 0.012), "aluminium", pose=at(z=0.006)),
            Part("left cheek", cheek, "aluminium", pose=at(0, 0.029, 0.047)),
            Part("right cheek", cheek, "aluminium", pose=at(0, -0.029, 0.047)),
            Part("shoulder motor", Cylinder(0.0225, 0.06, axis="y"), mass=0.36, pose=at(0, 0.063, 0.055)),
        ),
    )


def _upper() -> Assembly:
    beam = Assembly(
        "beam",
        (
            Part("profile", Box(0.21, 0.044, 0.036), "aluminium"),
            Part("hollow", Box(0.19, 0.036, 0.028), "aluminium", cavity=True),
        ),
        pose=at(0.125),
    )
    cheek = Box(0.04, 0.006, 0.036)
    return Assembly(
        "upper",
        (
            Part("hub", Cylinder(0.02, 0.044, axis="y"), "aluminium"),
            beam,
            Part("left fork", cheek, "aluminium", pose=at(0.25, 0.019)),
            Part("right fork", cheek, "aluminium", pose=at(0.25, -0.019)),
            Part("elbow motor", Cylinder(0.0175, 0.05, axis="y"), mass=0.22, pose=at(0.25, 0.047)),
        ),
    )


def _fore() -> Assembly:
    finger = Box(0.05, 0.008, 0.02)
    gripper = Assembly(
        "gripper",
        (
            Part("palm", Box(0.04, 0.05, 0.03), "PLA", pose=at(0.02)),
            Part("servo bay", Box(0.024, 0.013, 0.026), "PLA", pose=at(0.02), cavity=True),
            Part("servo", Box(0.023, 0.012, 0.024), mass=0.013, pose=at(0.02)),
            Part("left finger", finger, "PLA", pose=at(0.065, 0.015)),
            Part("right finger", finger, "PLA", pose=at(0.065, -0.015)),
        ),
        pose=at(0.185),
    )
    return Assembly(
        "fore",
        (
            Part("hub", Cylinder(0.015, 0.03, axis="y"), "POM"),
            Part("tube", Tube(0.0125, 0.0105, 0.17, axis="x"), "carbon fibre epoxy", pose=at(0.10)),
            gripper,
        ),
    )
