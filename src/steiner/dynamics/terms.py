"""The terms of τ = M q̈ + C q̇ + g + friction − JᵀF one by one: each is a call of inverse dynamics."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from steiner.dynamics.newton_euler import Wrenches, inverse_dynamics
from steiner.inertia import Moments
from steiner.model import Robot
from steiner.spatial import ZERO

MASSLESS = Moments(0, ZERO, np.zeros((3, 3), dtype=int))


def weightless(robot: Robot) -> Robot:
    """The same robot where nothing falls; its bodies stay as they are, equivalent ones too."""
    twin = robot.with_bodies(robot.bodies)
    object.__setattr__(twin, "gravity", ZERO)  # exact: 0.0 would enter formulas
    return twin


def with_moments(robot: Robot, moments: Mapping[int, Moments]) -> Robot:
    """The same joints moving other masses: those given per body, nothing elsewhere; no rotors."""
    bodies = []
    for i, body in enumerate(robot.bodies):
        joint = dataclasses.replace(body.joint)
        object.__setattr__(joint, "armature", 0)
        bodies.append(dataclasses.replace(body, joint=joint, moments=moments.get(i, MASSLESS)))
    return robot.with_bodies(bodies)


def gravity_forces(robot: Robot, q: Any) -> np.ndarray:
    """g(q) = ∂P/∂q: the efforts that hold the arm still."""
    rest = [0] * robot.n
    return inverse_dynamics(robot, q, rest, rest, friction=False)


def velocity_forces(robot: Robot, q: Any, qd: Any) -> np.ndarray:
    """V(q, q̇) = C q̇: centrifugal and Coriolis efforts, quadratic in the rates."""
    return inverse_dynamics(weightless(robot), q, qd, [0] * robot.n, friction=False)


def bias_forces(robot: Robot, q: Any, qd: Any) -> np.ndarray:
    """C q̇ + g, without friction: the efforts that let the arm coast at q̈ = 0."""
    return inverse_dynamics(robot, q, qd, [0] * robot.n, friction=False)


def inertial_forces(robot: Robot, q: Any, qdd: Any) -> np.ndarray:
    """M(q) q̈ without ever forming M; reflected rotor inertias included."""
    return inverse_dynamics(weightless(robot), q, [0] * robot.n, qdd, friction=False)


def external_forces(robot: Robot, q: Any, *, external: Wrenches = ()) -> np.ndarray:
    """−JᵀF: what the motors add to balance wrenches that the environment exerts on the robot."""
    hollow = with_moments(weightless(robot), {})
    rest = [0] * robot.n
    return inverse_dynamics(hollow, q, rest, rest, external=external, friction=False)
