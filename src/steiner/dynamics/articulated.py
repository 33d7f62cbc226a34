"""Forward dynamics by articulated bodies: cost linear in the number of joints (Featherstone).

Spatial quantities are about each body's origin, along its axes.  An articulated inertia is three
3×3 blocks, moment = J α + H a and force = Hᵀ α + M a; J and M are symmetric.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.dynamics.composite import forward_dynamics_by_mass_matrix, turned_symmetric
from steiner.dynamics.kinematics import Screw, poses_in_parent, screws, stretch
from steiner.dynamics.newton_euler import Wrenches, inverse_dynamics, wrenches_on_bodies
from steiner.errors import ModelError
from steiner.inertia.properties import Moments, tensor_of
from steiner.model.tree import GROUND, Tree
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

    def times(self, angular: Any, linear: Any) -> tuple[np.ndarray, np.ndarray]:
        """Moment and force for an acceleration."""
        return self.J @ angular + self.H @ linear, self.H.T @ angular + self.M @ linear

    def to_parent(self, mount: Pose, T: Pose, joint: Screw) -> Articulated:
        """The same inertia about the parent's origin, along its axes."""
        R = mount.R
        J, M = (R @ turned_symmetric(block, joint) @ R.T for block in (self.J, self.M))
        H = R @ _turned(self.H, joint) @ R.T
        P = skew(T.p)
        H_up = H + P @ M
        return Articulated(_symmetric(J + P @ H.T - H_up @ P), H_up, _symmetric(M))


def _turned(B: np.ndarray, joint: Screw) -> np.ndarray:
    """Rz B Rzᵀ."""
    c, s = joint.c, joint.s
    rows = np.array([c * B[0] - s * B[1], s * B[0] + c * B[1], B[2]])
    x, y, z = rows[:, 0], rows[:, 1], rows[:, 2]
    return np.array([c * x - s * y, s * x + c * y, z]).T


def _symmetric(B: np.ndarray) -> np.ndarray:
    """B with its lower triangle named by its upper one, so that it is traced once."""
    return np.array([[B[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


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
    drift, bias = _velocity_terms(tree, T, joints)
    for i, (moment, force) in wrenches_on_bodies(tree, T, external).items():
        bias[i] = (bias[i][0] - moment, bias[i][1] - force)

    inertia = [Articulated.rigid(body.moments) for body in bodies]
    leans: list[Any] = [None] * len(bodies)
    for i in reversed(range(len(bodies))):
        body, j = bodies[i], joints[i]
        own = j.turn * bias[i][0][2] + j.slide * bias[i][1][2]
        drive = tau[body.index] / body.joint.multiplier - own
        if not is_zero(body.joint.stiffness):
            drive = drive - body.joint.stiffness * stretch(body.joint, q[body.index])
        if friction and body.joint.friction is not None:
            drive = drive - body.joint.friction.effort(j.rate)
        leans[i] = _lean(inertia[i], j, body, drive)
        if body.parent != GROUND:
            n, f, inverse, _ = leans[i]
            freed = _freed(inertia[i], j, body.joint.armature, n, f, inverse)
            dn, df = freed.times(*drift[i])
            push = inverse * drive
            n_up, f_up = bias[i][0] + dn + n * push, bias[i][1] + df + f * push
            inertia[body.parent] = inertia[body.parent].plus(freed.to_parent(body.mount, T[i], j))
            f_up = T[i].R @ f_up
            n_up = T[i].R @ n_up + cross(T[i].p, f_up)
            bias[body.parent] = (bias[body.parent][0] + n_up, bias[body.parent][1] + f_up)
    return _accelerations(tree, T, joints, drift, leans)


def forward_dynamics_after_bias(
    tree: Tree, q: Any, qd: Any, tau: Any, *, external: Wrenches = (), friction: bool = True
) -> np.ndarray:
    """q̈ = M⁻¹ (τ − C q̇ − g − springs − friction + JᵀF): the bias by Newton and Euler, then articulated bodies at rest.

    Fewer operations than carrying velocities through the articulated recursion.
    """
    bias = inverse_dynamics(tree, q, qd, [0] * tree.n, external=external, friction=friction)
    left = [t - b for t, b in zip(tau, bias, strict=True)]
    return forward_dynamics(tree.weightless(), q, [0] * tree.n, left, friction=False)


def _velocity_terms(tree: Tree, T: list[Pose], joints: list[Screw]) -> tuple[list[Any], list[Any]]:
    """Per body: the velocity-product acceleration v × S q̇, and the force v ×* I v."""
    velocities: list[Any] = []
    drift, bias = [], []
    for i, body in enumerate(tree.bodies):
        w, v = velocities[body.parent] if body.parent != GROUND else (ZERO, ZERO)
        Rt, j = T[i].R.T, joints[i]
        v, w = Rt @ (v + cross(w, T[i].p)), Rt @ w
        rate, slip = j.turn * j.rate, j.slide * j.rate
        drift.append(
            (
                np.array([w[1] * rate, -w[0] * rate, 0]),
                np.array([v[1] * rate + w[1] * slip, -v[0] * rate - w[0] * slip, 0]),
            )
        )
        w, v = w + [0, 0, rate], v + [0, 0, slip]
        velocities.append((w, v))
        m, h, second = body.moments
        linear, angular = m * v + cross(w, h), tensor_of(second) @ w + cross(h, v)
        bias.append((cross(w, angular) + cross(v, linear), cross(w, linear)))
    return drift, bias


def _lean(inertia: Articulated, j: Screw, body: Any, drive: Any) -> tuple[Any, Any, Any, Any]:
    """What joint i feels: I S, the inverse of Sᵀ I S, and the effort left for acceleration."""
    n = j.turn * inertia.J[:, 2] + j.slide * inertia.H[:, 2]
    f = j.turn * inertia.H[2] + j.slide * inertia.M[:, 2]
    felt = j.turn * n[2] + j.slide * f[2] + body.joint.armature
    if is_zero(felt):
        raise ModelError(
            f"joint {body.joint.name!r} moves no mass, so no effort decides its acceleration; "
            "give its link a mass or an armature, or lock the joint"
        )
    return n, f, 1 / felt, drive


def _freed(inertia: Articulated, j: Screw, armature: Any, n: np.ndarray, f: np.ndarray, inverse: Any) -> Articulated:
    """I − I S (Sᵀ I S + a)⁻¹ Sᵀ I: the joint no longer resists.

    Along the joint itself what is left is I S · a (Sᵀ I S + a)⁻¹, zero without a rotor: written so,
    the tracer sees the zeros.
    """
    ni, fi, rotor = n * inverse, f * inverse, armature * inverse
    J, H, M = inertia.J - np.outer(ni, n), inertia.H - np.outer(ni, f), inertia.M - np.outer(fi, f)
    if is_zero(j.slide):
        J[2], H[2] = n * rotor, f * rotor
        J[:, 2] = J[2]
    elif is_zero(j.turn):
        M[2], H[:, 2] = f * rotor / j.slide, n * rotor / j.slide
        M[:, 2] = M[2]
    return Articulated(_symmetric(J), H, _symmetric(M))


def _accelerations(tree: Tree, T: list[Pose], joints: list[Screw], drift: list[Any], leans: list[Any]) -> np.ndarray:
    result: list[Any] = [None] * tree.n
    bodies: list[Any] = []
    for i, body in enumerate(tree.bodies):
        dw, dv = bodies[body.parent] if body.parent != GROUND else (ZERO, -tree.gravity)
        Rt, j = T[i].R.T, joints[i]
        dv, dw = Rt @ (dv + cross(dw, T[i].p)) + drift[i][1], Rt @ dw + drift[i][0]
        n, f, inverse, drive = leans[i]
        x = inverse * (drive - (n @ dw + f @ dv))
        result[body.index] = x / body.joint.multiplier
        bodies.append((dw + [0, 0, j.turn * x], dv + [0, 0, j.slide * x]))
    return np.array(result)
