"""Newton-Euler with every intermediate quantity to look at, and the wrenches that joints carry."""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.dynamics.kinematics import poses_in_parent, screws
from steiner.dynamics.newton_euler import (
    BodyState,
    Wrenches,
    body_force,
    inward,
    motion_of_base,
    outward,
    projected,
    wrenches_on_bodies,
)  # fmt: skip
from steiner.inertia.moments import Moments
from steiner.model.answers import QUANTITIES, JointReactions, NewtonEuler
from steiner.model.tree import Tree
from steiner.scalar import is_zero
from steiner.spatial import Pose, cross


def _carried(
    tree: Tree, q: Any, qd: Any, qdd: Any, external: Wrenches, base: Any
) -> tuple[list[BodyState], list[tuple[Any, Any]]]:
    """Motion of every body and the wrench that its joint carries, along the body's axes, at its origin."""
    joints = screws(tree, q, qd, qdd)
    T = poses_in_parent(tree, joints)
    motions = list(outward(tree, T, joints, motion_of_base(tree, base)))
    loads = [body_force(body.moments, motion) for body, motion in zip(tree.bodies, motions, strict=True)]
    for i, (moment, force) in wrenches_on_bodies(tree, T, external).items():
        loads[i] = (loads[i][0] - moment, loads[i][1] - force)
    return motions, inward(tree, T, joints, loads)


def newton_euler(
    tree: Tree, q: Any, qd: Any, qdd: Any, *, external: Wrenches = (), base: Any = None
) -> NewtonEuler:
    """All of the outward pass (ω, ω̇, v̇, v̇_C, F, N) and of the inward pass (f, n), per moving link.

    `base` is a `BaseMotion` or its nine numbers (ω₀, ω̇₀, v̇₀).  tau is without rotors, springs and friction.
    """
    motions, carried = _carried(tree, q, qd, qdd, external, base)
    bodies = zip(tree.bodies, motions, carried, strict=True)
    rows = [_row(b.moments, b.frame, m, c) for b, m, c in bodies if not b.between]
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.zeros((0, 3))] * len(QUANTITIES)
    return NewtonEuler._make([tuple(b.name for b in tree.bodies if not b.between), *columns, projected(tree, carried)])


def _row(moments: Moments, frame: Pose, motion: BodyState, carried: tuple[Any, Any]) -> list[np.ndarray]:
    """The quantities of one body, turned to its link's axes."""
    m, h, _ = moments
    U, Rt = motion.U, frame.R.T
    com = np.zeros(3, dtype=int) if is_zero(m) else h / m
    at_com = motion.dv + U @ com
    n, F = body_force(moments, motion)
    N = n - cross(com, F)
    vectors = [motion.w, motion.dw, motion.dv + U @ frame.p, at_com, F, N, carried[1], carried[0]]
    return [Rt @ v for v in vectors]


AT_JOINT = "joint origin, axes of the moving link"


def joint_reactions(
    tree: Tree, q: Any, qd: Any, qdd: Any, *, external: Wrenches = (), base: Any = None
) -> JointReactions:
    """Moment and force that every moving joint carries, bearings and motor together (6 numbers each).

    At the joint's origin on its axis, along the axes of the moving link; exerted by the inboard body on
    the outboard one.  The component about (along) the axis is the effort without rotor, spring and friction.
    `base` as in `newton_euler`.
    """
    _, carried = _carried(tree, q, qd, qdd, external, base)
    wrenches = [
        np.concatenate([body.frame.R.T @ n, body.frame.R.T @ f])
        for body, (n, f) in zip(tree.bodies, carried, strict=True)
    ]
    return JointReactions(tuple(b.joint.name for b in tree.bodies), np.array(wrenches), AT_JOINT)
