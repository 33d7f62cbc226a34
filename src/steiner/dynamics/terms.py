"""The terms of τ = M q̈ + C q̇ + g + springs + friction − JᵀF one by one: each is a call of inverse dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.dynamics.newton_euler import Wrenches, inverse_dynamics
from steiner.model.tree import Tree


def gravity_forces(tree: Tree, q: Any) -> np.ndarray:
    """g(q): the efforts that hold the arm against gravity; springs not counted."""
    rest = [0] * tree.n
    return inverse_dynamics(tree.springless(), q, rest, rest, friction=False)


def velocity_forces(tree: Tree, q: Any, qd: Any) -> np.ndarray:
    """V(q, q̇) = C q̇: centrifugal and Coriolis efforts, quadratic in the rates."""
    return inverse_dynamics(tree.weightless(), q, qd, [0] * tree.n, friction=False)


def bias_forces(tree: Tree, q: Any, qd: Any) -> np.ndarray:
    """C q̇ + g, without friction and springs: the efforts that let the arm coast at q̈ = 0."""
    return inverse_dynamics(tree.springless(), q, qd, [0] * tree.n, friction=False)


def inertial_forces(tree: Tree, q: Any, qdd: Any) -> np.ndarray:
    """M(q) q̈ without ever forming M; reflected rotor inertias included."""
    return inverse_dynamics(tree.weightless(), q, [0] * tree.n, qdd, friction=False)


def external_forces(tree: Tree, q: Any, *, external: Wrenches = ()) -> np.ndarray:
    """−JᵀF: what the motors add to balance wrenches that the environment exerts on the robot."""
    hollow = tree.weightless().carrying({})
    rest = [0] * tree.n
    return inverse_dynamics(hollow, q, rest, rest, external=external, friction=False)
