"""Forward dynamics by articulated bodies: cost linear in the number of joints (Featherstone).

Spatial quantities are about each body's origin, along its axes.  An articulated inertia is three
3×3 blocks, moment = J α + H a and force = Hᵀ α + M a; J and M are symmetric.  Accelerations are counted from those that
bodies have if no joint accelerates, which leaves gravity and velocities to the outward recursion of Newton and Euler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.dynamics.composite import forward_dynamics_by_mass_matrix, rotated, turned_matrix, turned_symmetric
from steiner.dynamics.kinematics import Screw, poses_in_parent, screws, stretch
from steiner.dynamics.newton_euler import (
    Wrenches,
    body_force,
    motion_of_base,
    outward,
    to_parent,
    wrenches_on_bodies,
)
from steiner.errors import ModelError
from steiner.inertia.moments import Moments
from steiner.inertia.properties import tensor_of
from steiner.model.tree import GROUND, Body, Tree
from steiner.scalar import is_zero
from steiner.spatial import ZERO, Pose, cross, skew


class Articulated(NamedTuple):
    """Inertia of a body with everything that hangs on it, joints free."""

    J: np.ndarray
    H: np.ndarray
    M: np.ndarray

    @classmethod
    def rigid(cls, moments: Moments) -> Articulated:
        """Inertia of one rigid body about its origin."""
        m, h, second = moments
        return cls(tensor_of(second), skew(h), np.diag(np.array([m, m, m])))

    def plus(self, other: Articulated) -> Articulated:
        """Both together."""
        return Articulated(self.J + other.J, self.H + other.H, self.M + other.M)

    def shifted(self, p: np.ndarray) -> Articulated:
        """The same inertia about a point that lies at −p."""
        P = skew(p)
        H = self.H + P @ self.M
        return Articulated(_symmetric(self.J + P @ self.H.T - H @ P), H, self.M)

    def to_parent(self, mount: Pose, joint: Screw) -> Articulated:
        """The same inertia about the parent's origin, along its axes: up the joint's axis, turned, then over."""
        c, s, R = joint.c, joint.s, mount.R
        J, H, M = self.shifted(joint.up)
        J, M = (_symmetric(rotated(turned_symmetric(B, c, s), R, turned_symmetric)) for B in (J, M))
        return Articulated(J, rotated(turned_matrix(H, c, s), R, turned_matrix), M).shifted(mount.p)


def _symmetric(B: np.ndarray) -> np.ndarray:
    """B with its lower triangle named by its upper one, so that it is traced once."""
    return np.array([[B[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


class Lean(NamedTuple):
    """What a joint feels of an articulated body, I S, per Sᵀ I S + a: the share of an effort that passes on."""

    n: np.ndarray
    f: np.ndarray
    inverse: Any  # of Sᵀ I S + a
    rotor: Any  # a / (Sᵀ I S + a): the share that stays


def forward_dynamics(
    tree: Tree, q: Any, qd: Any, tau: Any, *, external: Wrenches = (), friction: bool = True
) -> np.ndarray:
    """Accelerations q̈ that the efforts τ give at the state (q, q̇); the inverse of `inverse_dynamics`.

    Robots with coupled joints go through the mass matrix, which folds the coupling.
    """
    if tree.is_coupled:
        return forward_dynamics_by_mass_matrix(tree, q, qd, tau, external=external, friction=friction)
    bodies, joints = tree.bodies, screws(tree, q, qd)
    T = poses_in_parent(tree, joints)
    motions = outward(tree, T, joints, motion_of_base(tree))
    bias: list[Any] = [body_force(body.moments, motion) for body, motion in zip(bodies, motions, strict=True)]
    for i, (moment, force) in wrenches_on_bodies(tree, T, external).items():
        bias[i] = (bias[i][0] - moment, bias[i][1] - force)

    inertia = [Articulated.rigid(body.moments) for body in bodies]
    leans: list[Any] = [None] * len(bodies)
    for i in reversed(range(len(bodies))):
        body, j = bodies[i], joints[i]
        effort = tau[body.index] / body.joint.multiplier
        if not is_zero(body.joint.stiffness):
            effort = effort - body.joint.stiffness * stretch(body.joint, q[body.index])
        if friction and body.joint.friction is not None:
            effort = effort - body.joint.friction.effort(j.rate)
        n, f = bias[i]
        drive = effort - (j.turn * n[2] + j.slide * f[2])
        lean, freed = _freed(inertia[i], j, body)
        leans[i] = lean, lean.inverse * drive
        if body.parent != GROUND:
            n, f = n + lean.n * drive, f + lean.f * drive
            if is_zero(j.slide):
                n[2] = effort - lean.rotor * drive  # what a hinge passes on along its axis, whatever the bias
            n_up, f_up = to_parent(body.mount, T[i], j, n, f)
            inertia[body.parent] = inertia[body.parent].plus(freed.to_parent(body.mount, j))
            bias[body.parent] = (bias[body.parent][0] + n_up, bias[body.parent][1] + f_up)
    return _accelerations(tree, T, joints, leans)


def _freed(inertia: Articulated, j: Screw, body: Body) -> tuple[Lean, Articulated]:
    """I S (Sᵀ I S + a)⁻¹, and I − I S (Sᵀ I S + a)⁻¹ Sᵀ I: the joint no longer resists.

    Along the joint itself the first is 1 and the second 0, but for the rotor's share: written so, the tracer sees it.
    """
    armature = body.joint.armature
    n = j.turn * inertia.J[:, 2] + j.slide * inertia.H[:, 2]
    f = j.turn * inertia.H[2] + j.slide * inertia.M[:, 2]
    felt = j.turn * n[2] + j.slide * f[2] + armature
    if is_zero(felt):
        raise ModelError(
            f"joint {body.joint.name!r} moves no mass, so no effort decides its acceleration; "
            "give its link a mass or an armature, or lock the joint"
        )
    inverse = 1 / felt
    ni, fi, rotor = n * inverse, f * inverse, armature * inverse
    J, H, M = inertia.J - np.outer(ni, n), inertia.H - np.outer(ni, f), inertia.M - np.outer(fi, f)
    if is_zero(j.slide):
        ni[2] = 1 - rotor
        J[2], H[2] = n * rotor, f * rotor
        J[:, 2] = J[2]
    elif is_zero(j.turn):
        fi[2] = (1 - rotor) / j.slide
        M[2], H[:, 2] = f * rotor / j.slide, n * rotor / j.slide
        M[:, 2] = M[2]
    return Lean(ni, fi, inverse, rotor), Articulated(_symmetric(J), H, _symmetric(M))


def _accelerations(tree: Tree, T: list[Pose], joints: list[Screw], leans: list[Any]) -> np.ndarray:
    result: list[Any] = [None] * tree.n
    bodies: list[Any] = []
    for i, body in enumerate(tree.bodies):
        dw, dv = bodies[body.parent] if body.parent != GROUND else (ZERO, ZERO)
        Rt, j = T[i].R.T, joints[i]
        dv, dw = Rt @ (dv + cross(dw, body.mount.p)), Rt @ dw
        dv = dv + cross(dw, j.up)
        lean, push = leans[i]
        x = push - (lean.n @ dw + lean.f @ dv)
        result[body.index] = x / body.joint.multiplier
        bodies.append((dw + [0, 0, j.turn * x], dv + [0, 0, j.slide * x]))
    return np.array(result)
