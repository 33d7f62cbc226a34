"""The same arm in other words: tree → product of exponentials, tree → Denavit-Hartenberg, inertia re-expressed.

Robots made of DH tables and of screws are trees already, so every form is reached from every other.
Serial arms only; numbers only for DH.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from steiner.errors import ModelError, described, is_one_of
from steiner.inertia import MassProperties
from steiner.inertia.properties import tensor_of
from steiner.model.dh import DH
from steiner.model.robot import Robot
from steiner.model.tree import GROUND
from steiner.scalar import is_zero
from steiner.spatial import IDENTITY, Pose, cross

STRAIGHT = 1e-10  # sine of the angle between axes that count as parallel: as exact as angles are read
FURTHEST = 100.0  # in sizes of the arm: where a DH frame may lie; further out round-off eats the digits of torques


class Screws(NamedTuple):
    """Modern Robotics' lists: n + 1 home poses (the last one is the last link's frame), inertias and space screws."""

    Mlist: list[np.ndarray]
    Glist: list[np.ndarray]
    Slist: np.ndarray


def _require_chain(robot: Robot) -> None:
    for i, body in enumerate(robot.bodies):
        if body.parent != i - 1:
            raise ModelError(
                f"{robot.name} branches at {body.name!r}; only a serial arm can be written as screws or DH rows"
            )
        if body.joint.follows is not None:
            raise ModelError(f"joint {body.joint.name!r} follows another; screws and DH rows have one coordinate each")


def _at_home(robot: Robot) -> list[Pose]:
    """Pose of every body in the world at q = 0."""
    world: list[Pose] = []
    for body in robot.bodies:
        x = body.joint.offset
        moved = body.mount @ Pose.about_z(body.joint.turn * x, body.joint.slide * x)
        world.append(moved if body.parent == GROUND else world[body.parent] @ moved)
    return world


def lumped_body(robot: Robot, i: int) -> MassProperties:
    """Mass properties of a body in its own frame, fixed links and payloads included."""
    moments = robot.bodies[i].moments
    if is_zero(moments.mass):
        return MassProperties.trusted(moments.mass, np.zeros(3), tensor_of(moments.second))
    return MassProperties.from_moments(moments)


def to_poe(robot: Robot) -> Screws:
    """Home poses of the bodies' centre-of-mass frames, spatial inertias there, screws (ω, v) in space as columns."""
    _require_chain(robot)
    homes = _at_home(robot)
    Mlist, Glist, columns = [], [], []
    before = IDENTITY
    for i, (body, home) in enumerate(zip(robot.bodies, homes, strict=True)):
        z, rate = home.R[:, 2], body.joint.multiplier
        w = z * (body.joint.turn * rate)
        columns.append(np.concatenate([w, cross(home.p, w) + z * (body.joint.slide * rate)]))
        lump = lumped_body(robot, i)
        centred = home @ Pose.trusted(np.eye(3), lump.com)
        Mlist.append((before.inverse() @ centred).matrix)
        Glist.append(lump.moved(Pose.trusted(np.eye(3), -lump.com)).spatial)
        before = centred
    last, pose = robot.places[robot.links[-1].name]
    tool = pose if last == GROUND else homes[last] @ pose
    return Screws([*Mlist, (before.inverse() @ tool).matrix], Glist, np.array(columns).T)


class DHTable(NamedTuple):
    """Rows for `Robot.from_dh(rows, convention=, base=)`, and where the last link is in the last DH frame."""

    rows: list[DH]
    base: Pose
    tool: Pose
    convention: str


class _Axis(NamedTuple):
    """A joint's axis at home: direction, a point on it, a direction across it, the joint's name."""

    z: np.ndarray
    o: np.ndarray
    x: np.ndarray
    name: str


def _axes(robot: Robot) -> list[_Axis]:
    homes = [Pose.trusted(h.R.astype(float), h.p.astype(float)) for h in _at_home(robot)]
    return [_Axis(h.R[:, 2], h.p, h.R[:, 0], b.joint.name) for h, b in zip(homes, robot.bodies, strict=True)]


def _size(axes: list[_Axis]) -> float:
    """The way along the arm from joint to joint."""
    return sum(float(np.linalg.norm(b.o - a.o)) for a, b in pairwise(axes))


def _check_foot(foot: np.ndarray, beside: np.ndarray, size: float, sine: float, names: tuple[str, str]) -> None:
    away = float(np.linalg.norm(foot - beside))
    if away > FURTHEST * size:
        raise ModelError(
            f"the axes of {names[0]!r} and {names[1]!r} are parallel but for {sine:.2g} rad, so their common normal "
            f"lies {away:.3g} m away from an arm of {size:.3g} m, and DH rows with such a frame lose digits; "
            "make the axes parallel (an angle cut off too early?), or write the arm as screws: to_poe"
        )


def _normal(z0: np.ndarray, o0: np.ndarray, x0: np.ndarray, z1: np.ndarray, o1: np.ndarray) -> tuple[Any, ...]:
    """Common normal of two axes: its foot on the first, its foot on the second, its direction."""
    across = cross(z0, z1)
    sine = float(np.linalg.norm(across))
    gap = o1 - o0
    if sine < STRAIGHT:
        foot = o0  # parallel: any normal will do, the one through the present origin keeps d = 0
        offset = gap - z0 * (gap @ z0)
        length = float(np.linalg.norm(offset))
        x = offset / length if length > 1e-12 * max(1.0, float(np.linalg.norm(gap))) else x0
        return foot, foot + offset, x
    x = across / sine
    foot0 = o0 + z0 * (cross(gap, z1) @ across) / sine**2
    foot1 = o1 + z1 * (cross(gap, z0) @ across) / sine**2
    offset = foot1 - foot0
    if offset @ x < 0:
        x = -x
    return foot0, foot1, x


def _angle(a: np.ndarray, b: np.ndarray, about: np.ndarray) -> float:
    """Angle that turns a to b about an axis."""
    return float(np.arctan2(cross(a, b) @ about, a @ b))


def to_dh(robot: Robot, convention: str = "standard") -> DHTable:
    """DH rows of a serial arm of plain revolute and prismatic joints, its bodies re-expressed in the DH frames."""
    if not is_one_of(convention, ("standard", "modified")):
        got = described(convention)
        raise ModelError(f"convention={got}: expected 'standard' (distal) or 'modified' (proximal, Craig)")
    _require_chain(robot)
    if robot.is_symbolic:
        raise ModelError("DH frames are found from numbers; substitute values for the symbols first")
    for body in robot.bodies:
        if body.joint.multiplier != 1 or not (is_zero(body.joint.turn) or is_zero(body.joint.slide)):
            raise ModelError(f"joint {body.joint.name!r} is not a plain revolute or prismatic joint: DH knows no other")
    frames = _standard(robot) if convention == "standard" else _modified(robot)
    rows = [_row(robot, i, frames, convention) for i in range(len(robot.bodies))]
    last, pose = robot.places[robot.links[-1].name]
    end = pose if last == GROUND else _at_home(robot)[last] @ pose
    return DHTable(rows, frames[0], frames[-1].inverse() @ end, convention)


def _frame(origin: np.ndarray, x: np.ndarray, z: np.ndarray) -> Pose:
    x = x - z * (x @ z)
    x = x / np.linalg.norm(x)
    return Pose.trusted(np.array([x, cross(z, x), z]).T, origin)


def _standard(robot: Robot) -> list[Pose]:
    """Frames 0 … n in the world at home: z of frame i is axis i + 1, x of frame i the normal of axes i and i + 1."""
    axes = _axes(robot)
    size, before = _size(axes), axes[0]
    frames = [_frame(before.o, before.x, before.z)]
    for axis in [*axes[1:], axes[-1]]:
        start = frames[-1].p
        foot0, foot, x = _normal(before.z, start, frames[-1].R[:, 0], axis.z, axis.o)
        sine = float(np.linalg.norm(cross(before.z, axis.z)))
        for point, beside in ((foot0, before.o), (foot, axis.o)):
            _check_foot(point, beside, size, sine, (before.name, axis.name))
        frames.append(_frame(foot, x, axis.z))
        before = axis
    return frames


def _modified(robot: Robot) -> list[Pose]:
    """Frames 0 … n in the world at home: z of frame i is axis i, x of frame i the normal of axes i and i + 1."""
    axes = _axes(robot)
    size = _size(axes)
    frames = [_frame(axes[0].o, axes[0].x, axes[0].z)]
    for i, (z, o, x, name) in enumerate(axes):
        if i + 1 < len(axes):
            z1, o1, _, other = axes[i + 1]
            foot, foot1, x = _normal(z, frames[-1].p if i == 0 else o, frames[-1].R[:, 0], z1, o1)
            for point, beside in ((foot, o), (foot1, o1)):
                _check_foot(point, beside, size, float(np.linalg.norm(cross(z, z1))), (name, other))
        else:
            foot, x = o, frames[-1].R[:, 0] if abs(frames[-1].R[:, 0] @ z) < 0.9 else x
        frames.append(_frame(foot, x, z))
    return frames


def _row(robot: Robot, i: int, frames: list[Pose], convention: str) -> DH:
    """The row between frames i and i + 1, with the body in frame i + 1."""
    a, b, body = frames[i], frames[i + 1], robot.bodies[i]
    gap, x0, z0, x1, z1 = b.p - a.p, a.R[:, 0], a.R[:, 2], b.R[:, 0], b.R[:, 2]
    if convention == "standard":
        numbers = {"theta": _angle(x0, x1, z0), "d": gap @ z0, "a": gap @ x1, "alpha": _angle(z0, z1, x1)}
    else:
        numbers = {"theta": _angle(x0, x1, z1), "d": gap @ z1, "a": gap @ x0, "alpha": _angle(z0, z1, x0)}
    joint = body.joint
    return DH(
        **numbers, joint="revolute" if is_zero(joint.slide) else "prismatic",
        body=lumped_body(robot, i).moved(b.inverse() @ _at_home(robot)[i]),
        armature=joint.armature, stiffness=joint.stiffness, rest=joint.rest - joint.offset, friction=joint.friction,
        limits=joint.limits,
    )  # fmt: skip

