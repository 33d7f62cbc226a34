"""Efforts are linear in the inertial parameters: τ = Y(q, q̇, q̈) π."""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.dynamics.kinematics import poses_in_parent, screws
from steiner.dynamics.newton_euler import BodyState, motion_of_base, outward, to_parent
from steiner.model.tree import GROUND, Body, Tree
from steiner.spatial import ZERO, cross

PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
_AXES = np.eye(3, dtype=int)


def regressor(tree: Tree, q: Any, qd: Any, qdd: Any, *, base: Any = None) -> np.ndarray:
    """Y with τ = Y π: ten columns per moving body, in the frame of its moving link.

    π holds per body (m, m c, I about the link's origin as xx xy yy xz yz zz).  Friction, springs and
    rotors are not in π, so Y π is τ without them.  `base` as in `newton_euler`.
    """
    bodies, joints = tree.bodies, screws(tree, q, qd, qdd)
    T = poses_in_parent(tree, joints)
    motions = list(outward(tree, T, joints, motion_of_base(tree, base)))
    carriers = [b for b, body in enumerate(bodies) if not body.between]
    Y = np.zeros((tree.n, 10 * len(carriers)), dtype=object)
    for first, b in enumerate(carriers):
        R, p = bodies[b].frame.R, bodies[b].frame.p
        for column, (n, f) in enumerate(unit_wrenches(_at_link(motions[b], bodies[b].frame)), 10 * first):
            f = R @ f
            n, k = R @ n + cross(p, f), b
            while True:
                up, j = bodies[k], joints[k]
                effort = up.joint.multiplier * (j.turn * n[2] + j.slide * f[2])
                Y[up.index, column] = Y[up.index, column] + effort
                if up.parent == GROUND:
                    break
                n, f = to_parent(up.mount, T[k], j, n, f)
                k = up.parent
    return Y


def _at_link(motion: BodyState, frame: Any) -> BodyState:
    """Motion of the link's frame, along its axes."""
    Rt = frame.R.T
    return BodyState(Rt @ motion.w, Rt @ motion.dw, Rt @ (motion.dv + motion.U @ frame.p))


def unit_wrenches(motion: BodyState) -> list[tuple[np.ndarray, np.ndarray]]:
    """Moment about the origin and force of a body with one parameter equal to 1, in the order of PARAMETERS."""
    U, a = motion.U, motion.dv
    (x, y, z), (u, v, w) = motion.w, motion.dw
    wrenches = [(ZERO, a), *((cross(axis, a), U[:, k]) for k, axis in enumerate(_AXES))]
    moments = (  # I ω̇ + ω × I ω for each entry of I
        (u, x * z, -x * y),
        (v - x * z, u + y * z, x * x - y * y),
        (-y * z, v, x * y),
        (w + x * y, z * z - x * x, u - y * z),
        (y * y - z * z, w - x * y, v + x * z),
        (y * z, -x * z, w),
    )
    return wrenches + [(np.array(n), ZERO) for n in moments]


def _carriers(tree: Tree) -> list[Body]:
    """The bodies that links are fixed to."""
    return [body for body in tree.bodies if not body.between]


def inertial_parameters(tree: Tree) -> np.ndarray:
    """π of the robot: the ten parameters of every moving body, fixed links and payloads lumped in."""
    result: list[Any] = []
    for body in _carriers(tree):
        m, h, S = body.moments.moved(body.frame.inverse())
        xx, yy, zz = S[1, 1] + S[2, 2], S[0, 0] + S[2, 2], S[0, 0] + S[1, 1]
        result += [m, *h, xx, -S[0, 1], yy, -S[0, 2], -S[1, 2], zz]
    return np.array(result)


def parameter_names(tree: Tree) -> tuple[str, ...]:
    """Names of the entries of π: "link2.Ixx" and so on."""
    return tuple(f"{body.name}.{name}" for body in _carriers(tree) for name in PARAMETERS)
