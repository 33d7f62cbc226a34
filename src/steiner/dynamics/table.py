"""Newton-Euler with every intermediate quantity to look at, and the wrenches that joints carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from steiner.dynamics.kinematics import poses_in_parent, screws
from steiner.dynamics.newton_euler import (
    Motion,
    Wrenches,
    base_at_rest,
    body_force,
    inward,
    outward,
    projected,
    wrenches_on_bodies,
)  # fmt: skip
from steiner.inertia import Moments
from steiner.model import Robot
from steiner.scalar import array, is_zero
from steiner.spatial import Pose, cross
from steiner.tables import html_table, shown, text_table

QUANTITIES = (
    ("angular_velocity", "ω"), ("angular_acceleration", "ω̇"), ("acceleration", "v̇"),
    ("com_acceleration", "v̇_C"), ("force", "F"), ("moment", "N"), ("joint_force", "f"), ("joint_moment", "n"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class BaseMotion:
    """How the robot's base moves, along the world's axes: ω₀, ω̇₀ and v̇₀ of the origin, without gravity."""

    angular_velocity: Any = (0.0, 0.0, 0.0)
    angular_acceleration: Any = (0.0, 0.0, 0.0)
    acceleration: Any = (0.0, 0.0, 0.0)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The nine numbers (ω₀, ω̇₀, v̇₀)."""
        parts = (self.angular_velocity, self.angular_acceleration, self.acceleration)
        joined = np.concatenate([array(x, (3,), "base motion") for x in parts], axis=-1)
        return joined.astype(dtype) if dtype is not None else joined


class NewtonEuler(NamedTuple):
    """One row per moving link; vectors along the axes of that link's frame.

    acceleration is v̇ of the link's origin (gravity counts as upward acceleration of the base), F = m v̇_C
    and N = I_C ω̇ + ω × I_C ω act on the body at its centre of mass; f and n are what the inboard
    body exerts on it at the joint, so the joint's effort is nᵀẑ or fᵀẑ.
    """

    links: tuple[str, ...]
    angular_velocity: np.ndarray
    angular_acceleration: np.ndarray
    acceleration: np.ndarray
    com_acceleration: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    joint_force: np.ndarray
    joint_moment: np.ndarray
    tau: np.ndarray

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        if self.angular_velocity.ndim != 2:
            return ["batch"], [[f"of shape {self.angular_velocity.shape[:-2]}; index the arrays"]]
        head = ["link", *(symbol for _, symbol in QUANTITIES)]
        cells = [[shown(v) for v in getattr(self, name)] for name, _ in QUANTITIES]
        return head, [[link, *(column[i] for column in cells)] for i, link in enumerate(self.links)]

    def table(self) -> str:
        """The quantities of every link as text, SI units."""
        return text_table(*self._rows())

    def _repr_html_(self) -> str:
        return html_table(*self._rows(), caption="Newton-Euler, per link (SI units, axes of the link)")


def _motion_of_base(robot: Robot, base: Any) -> Motion:
    if base is None:
        return base_at_rest(robot)
    values = np.asarray(base)
    return Motion(values[:3], values[3:6], values[6:9] - robot.gravity)


def _carried(
    robot: Robot, q: Any, qd: Any, qdd: Any, external: Wrenches, base: Any
) -> tuple[list[Motion], list[tuple[Any, Any]]]:
    """Motion of every body and the wrench that its joint carries, along the body's axes, at its origin."""
    joints = screws(robot, q, qd, qdd)
    T = poses_in_parent(robot, joints)
    motions = list(outward(robot, T, joints, _motion_of_base(robot, base)))
    loads = [body_force(body.moments, motion) for body, motion in zip(robot.bodies, motions, strict=True)]
    for i, (moment, force) in wrenches_on_bodies(robot, T, external).items():
        loads[i] = (loads[i][0] - moment, loads[i][1] - force)
    return motions, inward(robot, T, loads)


def newton_euler(
    robot: Robot, q: Any, qd: Any, qdd: Any, *, external: Wrenches = (), base: Any = None
) -> NewtonEuler:
    """All of the outward pass (ω, ω̇, v̇, v̇_C, F, N) and of the inward pass (f, n), per moving link.

    `base` is a `BaseMotion` or its nine numbers (ω₀, ω̇₀, v̇₀).  tau is without rotors and friction.
    """
    motions, carried = _carried(robot, q, qd, qdd, external, base)
    rows = [_row(b.moments, b.frame, m, c) for b, m, c in zip(robot.bodies, motions, carried, strict=True)]
    columns = [np.array(column) for column in zip(*rows, strict=True)] or [np.zeros((0, 3))] * len(QUANTITIES)
    return NewtonEuler._make([tuple(b.name for b in robot.bodies), *columns, projected(robot, carried)])


def _row(moments: Moments, frame: Pose, motion: Motion, carried: tuple[Any, Any]) -> list[np.ndarray]:
    """The quantities of one body, turned to its link's axes."""
    m, h, _ = moments
    U, Rt = motion.U, frame.R.T
    com = np.zeros(3, dtype=int) if is_zero(m) else h / m
    at_com = motion.dv + U @ com
    n, F = body_force(moments, motion)
    N = n - cross(com, F)
    vectors = [motion.w, motion.dw, motion.dv + U @ frame.p, at_com, F, N, carried[1], carried[0]]
    return [Rt @ v for v in vectors]


class JointReactions(NamedTuple):
    """The wrench (moment, force) that every joint carries: exerted by the inboard on the outboard body.

    `frame` says where: at the joint's own origin on its axis, along the axes of the moving link or of
    the world.
    """

    joints: tuple[str, ...]
    wrench: np.ndarray  # (…, joints, 6), moment first
    frame: str

    def named(self) -> dict[str, np.ndarray]:
        """Wrenches by joint name."""
        return {name: self.wrench[..., k, :] for k, name in enumerate(self.joints)}


AT_JOINT = "joint origin, axes of the moving link"


def joint_reactions(robot: Robot, q: Any, qd: Any, qdd: Any, *, external: Wrenches = ()) -> JointReactions:
    """Moment and force that every moving joint carries, bearings and motor together (6 numbers each).

    At the joint's origin on its axis, along the axes of the moving link; exerted by the inboard body on
    the outboard one.  The component about (along) the axis is the effort without rotor and friction.
    """
    _, carried = _carried(robot, q, qd, qdd, external, None)
    wrenches = [
        np.concatenate([body.frame.R.T @ n, body.frame.R.T @ f])
        for body, (n, f) in zip(robot.bodies, carried, strict=True)
    ]
    return JointReactions(tuple(b.joint.name for b in robot.bodies), np.array(wrenches), AT_JOINT)
