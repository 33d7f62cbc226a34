"""Inverse dynamics by Newton and Euler: outward for motion, inward for forces.

Vectors of body i are along the axes of body i.  Differences from the decks (000, 001): the tree may
branch, a joint is a screw (it may turn, slide or both), and inertia enters as the moments of mass
about the body's origin — m, h = ∫r dm, Σ = ∫r rᵀ dm — in which everything is linear.  `dv` is the
classical acceleration of the origin; gravity is a base that accelerates upwards, v̇₀ = −g.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from steiner.dynamics.kinematics import Screw, poses_in_parent, screws, stretch
from steiner.errors import ArgumentError
from steiner.inertia.moments import Moments
from steiner.model.tree import GROUND, Tree
from steiner.scalar import is_zero
from steiner.spatial import ZERO, Pose, Wrench, cross

Wrenches = Sequence[Wrench]


class BodyState(NamedTuple):
    """Angular velocity and acceleration, and the acceleration of the origin, of one body."""

    w: np.ndarray
    dw: np.ndarray
    dv: np.ndarray

    @property
    def U(self) -> np.ndarray:
        """[ω̇] + [ω]²: the acceleration of the point at r is dv + U r."""
        return field(self.w, self.dw)


def field(w: Any, dw: Any) -> np.ndarray:
    """U = [ω̇] + [ω]²."""
    (x, y, z), (a, b, c) = w, dw
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return np.array([[-(yy + zz), xy - c, xz + b], [xy + c, -(xx + zz), yz - a], [xz - b, yz + a, -(xx + yy)]])


def motion_of_base(tree: Tree, base: Any = None) -> BodyState:
    """The ground: at rest, or moved by (ω₀, ω̇₀, v̇₀); gravity is its acceleration upwards."""
    if base is None:
        return BodyState(ZERO, ZERO, -tree.gravity)
    values = np.asarray(base)
    return BodyState(values[:3], values[3:6], values[6:9] - tree.gravity)


def outward(tree: Tree, T: list[Pose], joints: list[Screw], base: BodyState) -> Iterator[BodyState]:
    """Motion of every body from the joints' rates and accelerations, body by body.

    Who uses each motion before asking for the next keeps few numbers alive, and kernels quick.
    """
    motions: list[BodyState] = []
    pushed: dict[int, np.ndarray] = {GROUND: base.U}
    for i, body in enumerate(tree.bodies):
        up = base if body.parent == GROUND else motions[body.parent]
        Rt, j = T[i].R.T, joints[i]
        carried = Rt @ up.w
        rate, slip = j.turn * j.rate, j.slide * j.rate
        w = carried + [0, 0, rate]
        dw = Rt @ up.dw + [carried[1] * rate, -carried[0] * rate, j.turn * j.acceleration]  # ω×ż q̇
        dv = Rt @ (up.dv + pushed[body.parent] @ body.mount.p)  # X1: v̇ᵢ inside the rotation
        pushed[i] = field(w, dw)
        dv = dv + pushed[i][:, 2] * j.slid  # what lies on the axis moves with the parent and with the body alike
        dv = dv + [2 * w[1] * slip, -2 * w[0] * slip, j.slide * j.acceleration]  # 2 ω×ḋẑ + d̈ẑ
        motions.append(BodyState(w, dw, dv))
        yield motions[i]


def whirl(S: np.ndarray, U: np.ndarray) -> np.ndarray:
    """∫ r × U r dm = (UΣ − ΣUᵀ)∨: the moment of a linear field of accelerations."""
    (xx, xy, xz), (_, yy, yz), zz = S[0], S[1], S[2, 2]
    return np.array(
        [
            yy * U[2, 1] - zz * U[1, 2] + yz * (U[2, 2] - U[1, 1]) + xy * U[2, 0] - xz * U[1, 0],
            zz * U[0, 2] - xx * U[2, 0] + xz * (U[0, 0] - U[2, 2]) + yz * U[0, 1] - xy * U[2, 1],
            xx * U[1, 0] - yy * U[0, 1] + xy * (U[1, 1] - U[0, 0]) + xz * U[1, 2] - yz * U[0, 2],
        ]
    )


def body_force(moments: Moments, motion: BodyState) -> tuple[np.ndarray, np.ndarray]:
    """Moment about the origin and force that give a body its motion (Newton, Euler).

    f = ∫(v̇ + U r) dm = m v̇ + U h and n = ∫ r × (v̇ + U r) dm = h × v̇ + (UΣ − ΣUᵀ)∨.
    """
    m, h, S = moments
    return cross(h, motion.dv) + whirl(S, motion.U), m * motion.dv + motion.U @ h


def wrenches_on_bodies(
    tree: Tree, T: list[Pose], external: Wrenches
) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Moment about each body's origin and force that the environment exerts, along the body's axes."""
    world: dict[int, np.ndarray] = {}

    def rotation(i: int) -> np.ndarray:
        if i not in world:
            up = tree.bodies[i].parent
            world[i] = T[i].R if up == GROUND else rotation(up) @ T[i].R
        return world[i]

    result: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for wrench in external:
        if wrench.frame is not None:
            raise ArgumentError(
                f"a wrench in {wrench.frame}, which {tree.name} does not know; give it on a link: "
                "Wrench(..., acting_on=link, at=point, axes='link')"
            )
        i, pose = tree.place(wrench.acting_on or tree.tip)
        if i == GROUND:
            continue
        R = rotation(i).T if wrench.axes == "world" else pose.R
        force = R @ wrench.force
        moment = R @ wrench.moment + cross(pose.apply(wrench.at), force)
        n, f = result.get(i, (ZERO, ZERO))
        result[i] = (moment + n, force + f)
    return result


def to_parent(mount: Pose, T: Pose, joint: Screw, n: Any, f: Any) -> tuple[np.ndarray, np.ndarray]:
    """Moment about the parent's origin and force, along its axes, of those about the body's: up the axis, then over."""
    f_up = T.R @ f
    return T.R @ (n + cross(joint.up, f)) + cross(mount.p, f_up), f_up


def inward(tree: Tree, T: list[Pose], joints: list[Screw], loads: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Moment and force that every joint carries, from what every body needs."""
    carried = list(loads)
    for i in reversed(range(len(carried))):
        up = tree.bodies[i].parent
        if up != GROUND:
            n_up, f_up = to_parent(tree.bodies[i].mount, T[i], joints[i], *carried[i])
            carried[up] = (carried[up][0] + n_up, carried[up][1] + f_up)
    return carried


def projected(tree: Tree, carried: list[tuple[Any, Any]]) -> np.ndarray:
    """Efforts at the coordinates: τ = nᵀẑ for turning, fᵀẑ for sliding joints (X2), folded by Gᵀ."""
    tau = np.zeros(tree.n, dtype=object)
    for body, (n, f) in zip(tree.bodies, carried, strict=True):
        j = body.joint
        tau[body.index] = tau[body.index] + j.multiplier * (j.turn * n[2] + j.slide * f[2])
    return tau


def rotor_efforts(tree: Tree, qdd: Any) -> np.ndarray:
    """Efforts that accelerate the reflected rotor inertias."""
    tau = np.zeros(tree.n, dtype=object)
    for body in tree.bodies:
        j, k = body.joint, body.index
        tau[k] = tau[k] + j.multiplier * j.multiplier * j.armature * qdd[k]
    return tau


def friction_forces(tree: Tree, q: Any, qd: Any) -> np.ndarray:
    """Efforts that overcome the joints' friction at the rates q̇."""
    tau = np.zeros(tree.n, dtype=object)
    for body in tree.bodies:
        j, k = body.joint, body.index
        if j.friction is not None:
            tau[k] = tau[k] + j.multiplier * j.friction.effort(j.multiplier * qd[k])
    return tau


def spring_forces(tree: Tree, q: Any) -> np.ndarray:
    """Efforts that hold the joints against their springs at q: the slope of ½ k (x − rest)²."""
    tau = np.zeros(tree.n, dtype=object)
    for body in tree.bodies:
        j, k = body.joint, body.index
        if not is_zero(j.stiffness):
            tau[k] = tau[k] + j.multiplier * (j.stiffness * stretch(j, q[k]))
    return tau


def inverse_dynamics(
    tree: Tree, q: Any, qd: Any, qdd: Any, *, external: Wrenches = (), friction: bool = True, base: Any = None
) -> np.ndarray:
    """Joint efforts that give the accelerations q̈ at the state (q, q̇).

    τ = M(q) q̈ + C(q, q̇) q̇ + g(q) + springs + friction − Jᵀ F, with F exerted by the environment on the robot.
    `base` is a `BaseMotion` or its nine numbers (ω₀, ω̇₀, v̇₀): the base may move, by default it rests.
    """
    joints = screws(tree, q, qd, qdd)
    T = poses_in_parent(tree, joints)
    motions = outward(tree, T, joints, motion_of_base(tree, base))
    loads = [body_force(body.moments, motion) for body, motion in zip(tree.bodies, motions, strict=True)]
    for i, (moment, force) in wrenches_on_bodies(tree, T, external).items():
        loads[i] = (loads[i][0] - moment, loads[i][1] - force)  # B4: f_{n+1} = −F_env
    tau = projected(tree, inward(tree, T, joints, loads)) + rotor_efforts(tree, qdd) + spring_forces(tree, q)
    return tau + friction_forces(tree, q, qd) if friction else tau


def reversed_wrenches(wrenches: Wrench | Sequence[Wrench] | None) -> tuple[Wrench, ...]:
    """What the other side exerts: the same wrenches with opposite sign."""
    given = () if wrenches is None else (wrenches,) if isinstance(wrenches, Wrench) else tuple(wrenches)
    return tuple(-w for w in given)


def static_torque(
    tree: Tree, q: Any, *, exerted_by_robot: Any = None, external: Wrenches = (), gravity: bool = True
) -> np.ndarray:
    """Efforts in equilibrium: JᵀF for a wrench that the robot exerts, −JᵀF for an external one, plus g(q).

    The springs of the joints count with g(q).  Power at the joints is power at the end effector: τᵀ q̇ = Fᵀ V.
    """
    loads = (*(external or ()), *reversed_wrenches(exerted_by_robot))
    rest = [0] * tree.n
    held = tree if gravity else tree.weightless()
    return inverse_dynamics(held, q, rest, rest, external=loads, friction=False)
