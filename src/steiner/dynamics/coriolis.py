"""Velocity terms: the Coriolis matrix, Christoffel symbols and the split into centrifugal and Coriolis parts.

With s_i(r) the velocity of the mass at r per unit rate of joint i, M_ij = ∫ s_i·s_j dm and
C_ij = ∫ s_i·ṡ_j dm = Σ_k b_ijk q̇_k.  That C is the one of the Christoffel symbols, so Ṁ − 2C is
skew-symmetric and ∂(C q̇)/∂q̇ = 2C.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from steiner.dynamics.composite import along, momentum_of, symmetric_sum, turned
from steiner.dynamics.kinematics import Screw, poses_in_parent, screws
from steiner.dynamics.subtree import Rates, Subtree, subtrees, swept
from steiner.inertia.moments import Moments
from steiner.model.answers import VelocityTerms
from steiner.model.tree import GROUND, Tree
from steiner.spatial import ZERO, Pose, cross

HALF = Fraction(1, 2)  # exact: 0/2 would be 0.0


class Column(NamedTuple):
    """What the motion of joint i does to the mass outboard of it, about the origin of some body inboard."""

    n: np.ndarray  # ∫ r × s_i dm
    f: np.ndarray  # ∫ s_i dm
    k: np.ndarray  # 2 ∫ ṙ × s_i dm
    l: np.ndarray  # 2 ∫ r × ṡ_i dm
    g: np.ndarray  # 2 ∫ ṡ_i dm

    def to_parent(self, T: Pose, drift: np.ndarray) -> Column:
        """The same about the parent's origin; drift is twice the velocity of one origin past the other."""
        f, g = T.R @ self.f, T.R @ self.g
        return Column(
            T.R @ self.n + cross(T.p, f), f, T.R @ self.k + cross(drift, f), T.R @ self.l + cross(T.p, g), g
        )


def angular_velocities(tree: Tree, T: list[Pose], joints: list[Screw]) -> list[np.ndarray]:
    """Angular velocity of every body, along its own axes."""
    result: list[np.ndarray] = []
    for i, body in enumerate(tree.bodies):
        up = ZERO if body.parent == GROUND else result[body.parent]
        result.append(T[i].R.T @ up + [0, 0, joints[i].turn * joints[i].rate])
    return result


def drifts(tree: Tree, T: list[Pose], joints: list[Screw], spins: list[np.ndarray]) -> list[np.ndarray]:
    """Twice the velocity of every body's origin relative to its parent's, along the parent's axes."""
    result = []
    for i, body in enumerate(tree.bodies):
        slip = body.mount.R[:, 2] * (2 * joints[i].slide * joints[i].rate)
        up = ZERO if body.parent == GROUND else spins[body.parent]
        result.append(cross(up, 2 * T[i].p) + slip)
    return result


def column(tree: Subtree, joint: Screw, w: np.ndarray) -> Column:
    """A joint's column about its own body's origin, from the subtree and the body's angular velocity.

    ṡ = ω × s + turn·z × r°; (a × r) × (b × r) = r (r·(a × b)) gives k its Σ ż.
    """
    (_, h, S), (p, D, L) = tree
    t, e = joint.turn, joint.slide
    n, f = momentum_of(tree.moments, joint)
    x, y, z = w2 = 2 * w
    dz = np.array([y, -x, 0])  # 2 ż = 2 ω × z
    bulge = D[0, 0] + D[1, 1]
    k = t * (S @ dz + [L[1] - D[0, 2], -L[0] - D[1, 2], bulge])
    k = k + e * cross(2 * p + cross(w2, h), [0, 0, 1])
    sx, sy = S[0, 0] * x + S[0, 1] * y + S[0, 2] * z, S[0, 1] * x + S[1, 1] * y + S[1, 2] * z
    l = t * np.array([sy - D[0, 2] - L[1], L[0] - sx - D[1, 2], bulge]) + e * cross(h, dz)
    g = cross(w2, f) + t * np.array([-2 * p[1], 2 * p[0], 0])
    return Column(n, f, k, l, g)


def fold(M: np.ndarray, row: Any, col: Any, value: Any) -> None:
    """Adds the entry of a pair of joints to that of their coordinates: Gᵀ M G."""
    i, j = row.index, col.index
    M[i, j] = M[i, j] + row.joint.multiplier * col.joint.multiplier * value


def coriolis_matrix(tree: Tree, q: Any, qd: Any) -> np.ndarray:
    """C(q, q̇) of the Christoffel symbols: C q̇ are the velocity terms and Ṁ − 2C is skew-symmetric."""
    bodies, joints = tree.bodies, screws(tree, q, qd)
    T = poses_in_parent(tree, joints)
    spins = angular_velocities(tree, T, joints)
    drift = drifts(tree, T, joints, spins)
    doubled = np.zeros((tree.n, tree.n), dtype=object)
    for i, outboard in enumerate(subtrees(tree, T, joints)):
        c, k = column(outboard, joints[i], spins[i]), i
        fold(doubled, bodies[i], bodies[i], joints[i].turn * c.l[2] + joints[i].slide * c.g[2])
        while bodies[k].parent != GROUND:
            c, k = c.to_parent(T[k], drift[k]), bodies[k].parent
            fold(doubled, bodies[i], bodies[k], velocity_row(c, joints[k], spins[k]))
            fold(doubled, bodies[k], bodies[i], joints[k].turn * c.l[2] + joints[k].slide * c.g[2])
    return doubled * HALF


def velocity_row(c: Column, joint: Screw, w: np.ndarray) -> Any:
    """∂τ_i/∂q̇_j = 2 ∫ s_i·ṡ_j dm for a joint j inboard of i (or i itself), c being column i about j's origin."""
    x, y = 2 * w[0], 2 * w[1]
    turning = y * c.n[0] - x * c.n[1] + c.k[2]
    return joint.turn * turning + joint.slide * (y * c.f[0] - x * c.f[1])


# ---- Christoffel symbols -------------------------------------------------------------------------


class Spread(NamedTuple):
    """∫ s rᵀ dm of a joint's motion s: its trace and symmetric part by `second`, its skew part by n, and ∫ s dm."""

    second: np.ndarray  # ∫ (s rᵀ + r sᵀ) dm
    n: np.ndarray  # ∫ r × s dm
    f: np.ndarray

    def to_parent(self, T: Pose, joint: Screw, mount: Pose) -> Spread:
        """The same about the parent's origin, along its axes."""
        _, _, second = along(turned(Moments(0, ZERO, self.second), joint), mount.R)
        f = T.R @ self.f
        return Spread(second + symmetric_sum(T.p, f), T.R @ self.n + cross(T.p, f), f)

    def crossed(self, joint: Screw) -> np.ndarray:
        """2 ∫ s × s_c dm with the motion s_c of a joint c: s × (z × r) = z (s·r) − r (s·z)."""
        D, (nx, ny, _), f = self
        turning = np.array([ny - D[0, 2], -nx - D[1, 2], D[0, 0] + D[1, 1]])
        return joint.turn * turning + 2 * joint.slide * np.array([f[1], -f[0], 0])

    def rotated(self, joint: Screw) -> tuple[np.ndarray, np.ndarray]:
        """Twice the moment and force ∫ r × (z × s), ∫ z × s of the change of s when joint c turns."""
        D, (nx, ny, _), f = self
        l = np.array([-D[0, 2] - ny, nx - D[1, 2], D[0, 0] + D[1, 1]])
        return joint.turn * l, joint.turn * np.array([-2 * f[1], 2 * f[0], 0])


def christoffel(tree: Tree, q: Any) -> np.ndarray:
    """Christoffel symbols b[i, j, k] = ½(∂m_ij/∂q_k + ∂m_ik/∂q_j − ∂m_jk/∂q_i); V_i = Σ b_ijk q̇_j q̇_k.

    For joints a ≤ c ≤ d of one chain, counted from the ground, b_acd = turn_c ∫ s_a·(z_c × s_d) dm and
    b_cad = −b_dac = turn_a z_a·∫ s_d × s_c dm over the mass outboard of d; all others vanish.
    """
    joints = screws(tree, q)
    T = poses_in_parent(tree, joints)
    b = np.zeros((tree.n,) * 3, dtype=object)
    for d, outboard in enumerate(subtrees(tree, T, joints)):
        spread, c = _spread(outboard.moments, joints[d]), d
        while True:
            _fill(b, tree, T, joints, c, d, spread)
            if tree.bodies[c].parent == GROUND:
                break
            spread = spread.to_parent(T[c], joints[c], tree.bodies[c].mount)
            c = tree.bodies[c].parent
    return b


def _spread(moments: Moments, joint: Screw) -> Spread:
    """Of half a joint's motion over its own subtree, about its body's origin: the ½ of the symbols, taken early."""
    moments = Moments(moments.mass * HALF, moments.first * HALF, moments.second * HALF)
    h = moments.first
    n, f = momentum_of(moments, joint)
    turning = swept(moments, Rates(ZERO, np.zeros((3, 3), dtype=int), ZERO), joint.turn).second
    return Spread(turning + symmetric_sum(np.array([0, 0, joint.slide]), h), n, f)


def _fill(b: np.ndarray, tree: Tree, T: list[Pose], joints: list[Screw], c: int, d: int, spread: Spread) -> None:
    """The symbols of all joints a inboard of c (or c itself), with c and d."""
    y = spread.crossed(joints[c])
    l, f = spread.rotated(joints[c])
    a = c
    while True:
        j = joints[a]
        beta = j.turn * l[2] + j.slide * f[2]
        alpha = beta if a == c else j.turn * y[2]
        if c == d:  # ∫ s_d × s_d vanishes
            symbols = {(a, d, d): beta} if a != d else {}
        else:
            symbols = {(c, a, d): alpha, (c, d, a): alpha, (d, a, c): -alpha, (d, c, a): -alpha}
            symbols |= {(a, c, d): beta, (a, d, c): beta}
        for ijk, value in symbols.items():
            _fold_symbol(b, [tree.bodies[x] for x in ijk], value)
        if tree.bodies[a].parent == GROUND:
            return
        f = T[a].R @ f
        l, y = T[a].R @ l + cross(T[a].p, f), T[a].R @ y
        a = tree.bodies[a].parent


def _fold_symbol(b: np.ndarray, triple: list[Any], value: Any) -> None:
    """Adds the symbol of three joints to that of their coordinates."""
    for body in triple:
        value = body.joint.multiplier * value
    at = tuple(body.index for body in triple)
    b[at] = b[at] + value


def split(b: np.ndarray, joint_names: tuple[str, ...]) -> VelocityTerms:
    """Christoffel symbols (…, i, j, k) by squares and by pairs of rates."""
    j, k = np.triu_indices(len(joint_names), 1)
    names = tuple(f"{joint_names[x]}*{joint_names[y]}" for x, y in zip(j, k, strict=True))
    return VelocityTerms(np.diagonal(b, axis1=-2, axis2=-1).copy(), 2 * b[..., j, k], names)


def centrifugal_coriolis(tree: Tree, q: Any) -> VelocityTerms:
    """C(q) that multiplies q̇ⱼ² and B(q) that multiplies q̇ⱼq̇ₖ, j < k: C_ij = b_ijj, B_i,jk = 2 b_ijk."""
    return split(christoffel(tree, q), tree.joint_names)
