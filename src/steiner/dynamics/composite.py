"""The mass matrix by composite rigid bodies, and equations solved with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from steiner.dynamics.kinematics import Screw, poses_in_parent, screws
from steiner.dynamics.newton_euler import Wrenches, inverse_dynamics, to_parent
from steiner.errors import ModelError
from steiner.inertia.moments import Moments
from steiner.model.tree import GROUND, Tree
from steiner.scalar import is_zero

_X_LAST, _BACK = np.ix_((1, 2, 0), (1, 2, 0)), np.ix_((2, 0, 1), (2, 0, 1))

# ---- along turned axes, with fewer products than two multiplications of matrices take --------------------------------


def turned_matrix(B: np.ndarray, c: Any, s: Any) -> np.ndarray:
    """Rz B Rzᵀ; 2 sin cos and cos² − sin² are never formed."""
    across, both = B[0, 0] - B[1, 1], B[0, 1] + B[1, 0]
    u, v = s * across + c * both, c * across - s * both
    xz, yz = c * B[0, 2] - s * B[1, 2], s * B[0, 2] + c * B[1, 2]
    zx, zy = c * B[2, 0] - s * B[2, 1], s * B[2, 0] + c * B[2, 1]
    return np.array([[B[0, 0] - s * u, B[0, 1] + s * v, xz], [B[1, 0] + s * v, B[1, 1] + s * u, yz], [zx, zy, B[2, 2]]])


def turned_symmetric(S: np.ndarray, c: Any, s: Any) -> np.ndarray:
    """Rz S Rzᵀ of a symmetric matrix, of which the upper triangle is read."""
    k = s * (S[0, 0] - S[1, 1]) + 2 * c * S[0, 1]
    xy = c * k - S[0, 1]
    xz, yz = c * S[0, 2] - s * S[1, 2], s * S[0, 2] + c * S[1, 2]
    return np.array([[S[0, 0] - s * k, xy, xz], [xy, S[1, 1] + s * k, yz], [xz, yz, S[2, 2]]])


def rotated(B: np.ndarray, R: np.ndarray, turn: Callable[[np.ndarray, Any, Any], np.ndarray]) -> np.ndarray:
    """R B Rᵀ; where R is an oblique turn about x by one of the turns above.  Right angles only move entries."""
    off_x = (R[0, 1], R[0, 2], R[1, 0], R[2, 0], R[0, 0] - 1)
    if all(map(is_zero, off_x)) and not is_zero(R[1, 1]) and not is_zero(R[2, 1]):
        return turn(B[_X_LAST], R[1, 1], R[2, 1])[_BACK]
    return R @ B @ R.T


def turned(moments: Moments, joint: Screw) -> Moments:
    """Moments of a body turned about z."""
    m, (hx, hy, hz), second = moments
    c, s = joint.c, joint.s
    return Moments(m, np.array([c * hx - s * hy, s * hx + c * hy, hz]), turned_symmetric(second, c, s))


def along(moments: Moments, R: np.ndarray) -> Moments:
    """Moments of a body along the axes of the frame in which its own are R."""
    m, h, S = moments
    return Moments(m, R @ h, rotated(S, R, turned_symmetric))


# ---- composite bodies --------------------------------------------------------------------------------


def shifted(moments: Moments, d: np.ndarray) -> Moments:
    """Moments about a point that lies at −d."""
    m, h, S = moments
    return Moments(m, h + m * d, S + symmetric_sum(d, h) + m * np.outer(d, d))


def symmetric_sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a bᵀ + b aᵀ, each entry formed once."""
    upper = {(i, j): a[i] * b[j] + a[j] * b[i] if i != j else 2 * a[i] * b[i] for i in range(3) for j in range(i, 3)}
    return np.array([[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


def momentum_of(moments: Moments, joint: Screw) -> tuple[np.ndarray, np.ndarray]:
    """Angular (about the origin) and linear momentum of a body that moves at unit rate along the joint."""
    m, (hx, hy, _), S = moments
    turn, slide = joint.turn, joint.slide
    linear = np.array([-turn * hy, turn * hx, m * slide])
    angular = np.array(
        [slide * hy - turn * S[0, 2], -slide * hx - turn * S[1, 2], turn * (S[0, 0] + S[1, 1])]
    )
    return angular, linear


def mass_matrix(tree: Tree, q: Any) -> np.ndarray:
    """M(q), symmetric positive definite; column i is the momentum per unit rate of joint i.

    Everything outboard of a joint is welded into one body; its momentum is carried to the ground.
    """
    bodies, joints = tree.bodies, screws(tree, q)
    T = poses_in_parent(tree, joints)
    outboard = [body.moments for body in bodies]
    M = np.zeros((tree.n, tree.n), dtype=object)
    for i in reversed(range(len(bodies))):
        body, up = bodies[i], bodies[i].parent
        if up != GROUND:
            risen = shifted(turned(outboard[i], joints[i]), joints[i].up)
            outboard[up] = outboard[up] + shifted(along(risen, body.mount.R), body.mount.p)
        n, f = momentum_of(outboard[i], joints[i])
        _add(M, body, body, joints[i].turn * n[2] + joints[i].slide * f[2] + body.joint.armature)
        k = i
        while bodies[k].parent != GROUND:
            n, f = to_parent(bodies[k].mount, T[k], joints[k], n, f)
            k = bodies[k].parent
            _add(M, body, bodies[k], joints[k].turn * n[2] + joints[k].slide * f[2])
    return M


def _add(M: np.ndarray, a: Any, b: Any, value: Any) -> None:
    """Entry of a pair of joints, folded to their coordinates: Gᵀ M G."""
    value = a.joint.multiplier * b.joint.multiplier * value
    i, j = a.index, b.index
    if a is not b and i == j:  # two joints of one coordinate: both triangles meet on the diagonal
        value = 2 * value
    M[i, j] = M[i, j] + value
    if i != j:
        M[j, i] = M[i, j]


def solve(M: Any, b: Any, names: tuple[str, ...]) -> np.ndarray:
    """M⁻¹ b by Lᵀ D L from the tip, which keeps the zeros of a branching tree."""
    n = len(b)
    H, x = [list(row) for row in M], list(b)
    inverse: list[Any] = [None] * n
    for k in reversed(range(n)):
        if is_zero(H[k][k]):
            raise ModelError(
                f"joint {names[k]!r} moves no mass, so no effort decides its acceleration; "
                "give its link a mass or an armature, or lock the joint"
            )
        inverse[k] = 1 / H[k][k]
        for i in range(k):
            if is_zero(H[k][i]):
                continue
            factor = H[k][i] * inverse[k]
            for j in range(i + 1):
                H[i][j] = H[i][j] - factor * H[k][j]
            x[i] = x[i] - factor * x[k]
    for k in range(n):
        for i in range(k):
            x[k] = x[k] - H[k][i] * x[i]
        x[k] = x[k] * inverse[k]
    return np.array(x)


def inverse_of(M: Any, names: tuple[str, ...]) -> np.ndarray:
    """M⁻¹, symmetric: column k is solved for its rows from k on, the others are known by symmetry."""
    n = len(M)
    result = np.zeros((n, n), dtype=object)
    for k in range(n):
        result[:, k] = solve(M, [int(i == k) for i in range(n)], names)
    for i in range(n):
        for k in range(i):
            result[k, i] = result[i, k]
    return result


def forward_dynamics_by_mass_matrix(
    tree: Tree, q: Any, qd: Any, tau: Any, *, external: Wrenches = (), friction: bool = True
) -> np.ndarray:
    """q̈ = M⁻¹ (τ − C q̇ − g − springs − friction + JᵀF), M from composite bodies and solved by LᵀDL."""
    at_rest = inverse_dynamics(tree, q, qd, [0] * tree.n, external=external, friction=friction)
    return solve(mass_matrix(tree, q), [t - b for t, b in zip(tau, at_rest, strict=True)], tree.joint_names)
