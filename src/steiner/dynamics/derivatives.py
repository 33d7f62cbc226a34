"""Derivatives of inverse and forward dynamics by recursion, with the mass matrix as a by-product.

Turning joint j by δ turns everything outboard; seen from there nothing changes but the motion of
what carries it, so a mass at r from j's origin feels the extra acceleration

    e_j(r) = turn (z̈ × r + 2 ż × ṙ − z × a) + slide z̈,      a: acceleration of j's origin, gravity included.

Then ∂τ_i/∂q_j = ∫ s_i·e_j dm for j inboard of i, and for i inboard of j the wrench of j turns as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.dynamics.composite import inverse_of, solve
from steiner.dynamics.coriolis import HALF, Column, column, drifts, fold, velocity_row
from steiner.dynamics.kinematics import Screw, poses_in_parent, screws
from steiner.dynamics.newton_euler import (
    BodyState,
    body_force,
    friction_forces,
    inverse_dynamics,
    inward,
    motion_of_base,
    outward,
)  # fmt: skip
from steiner.dynamics.subtree import Subtree, subtrees
from steiner.model.tree import GROUND, Tree
from steiner.scalar import is_zero
from steiner.spatial import Pose, cross

Wrench6 = tuple[np.ndarray, np.ndarray]


class Nudge:
    """The extra acceleration e(r) = E r + 2 turn ż × r° + c when a coordinate changes, along the body's axes."""

    def __init__(self, joint: Screw, motion: BodyState) -> None:
        t, e, U, (ax, ay, _) = joint.turn, joint.slide, motion.U, motion.dv
        self.t, self.w = t, motion.w
        self.ddz = U[:, 2]  # z̈ = ω̇ × z + ω × (ω × z)
        self.c = e * self.ddz + [t * ay, -t * ax, 0]
        shear, stretch = t * (U[0, 1] + U[1, 0]), t * (U[1, 1] - U[0, 0])
        # U z× − z× U: [z̈] + 2 ω żᵀ, written with entries that exist already
        self.E = np.array(
            [[shear, stretch, t * U[1, 2]], [stretch, -shear, -t * U[0, 2]], [t * U[2, 1], -t * U[2, 0], 0]]
        )

    def effort(self, c: Column) -> Any:
        """∫ s·e dm for the motion s of a joint outboard, given as its column about this joint's origin."""
        turning = self.ddz @ c.n + self.w[1] * c.k[0] - self.w[0] * c.k[1]
        return self.t * turning + self.c @ c.f

    def wrench(self, tree: Subtree) -> Wrench6:
        """∫ r × e dm, ∫ e dm over the joint's own subtree."""
        (m, h, S), (p, D, L) = tree
        t, E, (x, y, _) = self.t, self.E, self.w
        x2, y2 = 2 * x, 2 * y
        f = E @ h + m * self.c + [-t * (x2 * p[2]), -t * (y2 * p[2]), t * (x2 * p[0] + y2 * p[1])]  # 2 ż × p
        # 2 ∫ r × (ż × r°) = tr(Σ°) ż − Σ° ż − L × ż, with ż = (ω_y, −ω_x, 0)
        about_x = np.array([D[1, 1] + D[2, 2], -D[0, 1] - L[2], L[1] - D[0, 2]])
        about_y = np.array([L[2] - D[0, 1], D[0, 0] + D[2, 2], -L[0] - D[1, 2]])
        return self._whirl(S) + cross(h, self.c) + t * (y * about_x - x * about_y), f

    def _whirl(self, S: np.ndarray) -> np.ndarray:
        """∫ r × E r dm, with what E repeats taken out of the sums."""
        (shear, stretch, b), (_, _, a), (d, e, _) = self.E
        (xx, xy, xz), (_, yy, yz), zz = S[0], S[1], S[2, 2]
        return np.array(
            [
                yy * e - zz * a + yz * shear + xy * d - xz * stretch,
                zz * b - xx * d + xz * shear + yz * stretch - xy * e,
                (xx - yy) * stretch - 2 * (xy * shear) + xz * a - yz * b,
            ]
        )


def _turned_wrench(joint: Screw, N: np.ndarray, F: np.ndarray, extra: Wrench6) -> Wrench6:
    """Change of a joint's wrench with its own coordinate: it turns, slides, and the mass feels e."""
    t, e = joint.turn, joint.slide
    n = extra[0] + [-t * N[1] - e * F[1], t * N[0] + e * F[0], 0]
    return n, extra[1] + [-t * F[1], t * F[0], 0]


def inverse_dynamics_derivatives(
    tree: Tree, q: Any, qd: Any, qdd: Any, *, friction: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """∂τ/∂q, ∂τ/∂q̇ and M = ∂τ/∂q̈ of `inverse_dynamics`.

    ∂τ/∂q has the stiffness of springs on its diagonal; ∂τ/∂q̇ is 2C plus the slope of the friction.
    """
    bodies, joints = tree.bodies, screws(tree, q, qd, qdd)
    T = poses_in_parent(tree, joints)
    motions = list(outward(tree, T, joints, motion_of_base(tree)))
    loads = [body_force(body.moments, motion) for body, motion in zip(bodies, motions, strict=True)]
    carried = inward(tree, T, joints, loads)
    drift = drifts(tree, T, joints, [m.w for m in motions])
    nudges = [Nudge(j, m) for j, m in zip(joints, motions, strict=True)]
    dq, dqd, M = (np.zeros((tree.n, tree.n), dtype=object) for _ in range(3))
    for i, outboard in enumerate(subtrees(tree, T, joints)):
        body, j, k = bodies[i], joints[i], i
        c = column(outboard, j, motions[i].w)
        n, f = _turned_wrench(j, *carried[i], nudges[i].wrench(outboard))
        fold(dq, body, body, j.turn * n[2] + j.slide * f[2])
        fold(dqd, body, body, j.turn * c.l[2] + j.slide * c.g[2])
        fold(M, body, body, j.turn * c.n[2] + j.slide * c.f[2] + body.joint.armature)
        if not is_zero(body.joint.stiffness):
            fold(dq, body, body, body.joint.stiffness)
        if friction and body.joint.friction is not None:
            fold(dqd, body, body, body.joint.friction.slope(j.rate))
        while bodies[k].parent != GROUND:
            c, (n, f), k = c.to_parent(T[k], drift[k]), _to_parent(T[k], n, f), bodies[k].parent
            up, outer = bodies[k], joints[k]
            fold(dq, body, up, nudges[k].effort(c))
            fold(dq, up, body, outer.turn * n[2] + outer.slide * f[2])
            fold(dqd, body, up, velocity_row(c, outer, motions[k].w))
            fold(dqd, up, body, outer.turn * c.l[2] + outer.slide * c.g[2])
            entry = outer.turn * c.n[2] + outer.slide * c.f[2]
            fold(M, body, up, entry)
            fold(M, up, body, entry)
    return dq, dqd, M


def _to_parent(T: Pose, n: np.ndarray, f: np.ndarray) -> Wrench6:
    f = T.R @ f
    return T.R @ n + cross(T.p, f), f


def forward_dynamics_derivatives(
    tree: Tree, q: Any, qd: Any, tau: Any, *, friction: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """∂q̈/∂q = −M⁻¹ ∂τ/∂q, ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇ and M⁻¹ = ∂q̈/∂τ, at the accelerations that τ gives.

    The bias is ½ (2C) q̇ + g + springs: M and 2C do not depend on q̈, so a tape holds them once.
    """
    rest = [0] * tree.n
    _, doubled, M = inverse_dynamics_derivatives(tree, q, qd, rest, friction=False)
    bias = doubled @ np.asarray(qd) * HALF + inverse_dynamics(tree, q, rest, rest, friction=False)
    if friction:
        bias = bias + friction_forces(tree, q, qd)
    qdd = solve(M, np.asarray(tau) - bias, tree.joint_names)
    dq, dqd, M = inverse_dynamics_derivatives(tree, q, qd, qdd, friction=friction)
    inverse = inverse_of(M, tree.joint_names)
    return -(inverse @ dq), -(inverse @ dqd), inverse
