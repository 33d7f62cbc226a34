"""What the equations of motion say about a robot: bodies without mass, M over the joint range, gravity and motors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from steiner.checks.physical import fault_of
from steiner.checks.rule import Remark, about_joint, limited
from steiner.checks.structural import massless
from steiner.model.joints import Joint
from steiner.model.robot import Robot
from steiner.model.source import element
from steiner.model.tree import Body
from steiner.scalar import is_number, is_zero

POSES = 256  # at which a robot is looked at, besides zero
MANY_JOINTS = 12  # from there on a kernel costs more than it saves, and poses are fewer
LARGEST = 64  # joints of a robot that is looked at so
ILL = 1e7  # condition number of M with a unit diagonal, from which on seven of sixteen digits are lost
SLIDE = 1.0  # m: range of a sliding joint without limits, each way


def sample_poses(robot: Robot, count: int = POSES, seed: int = 0) -> np.ndarray:
    """Zero, or what is next to it, and poses all over the joint ranges (a turn or a metre each way without limits)."""
    ranges = np.array([_range(body.joint) for body in _coordinates(robot)]).reshape(-1, 2)
    random = np.random.default_rng(seed).uniform(size=(count, robot.n))
    home = np.clip(np.zeros(robot.n), ranges[:, 0], ranges[:, 1])
    return np.vstack([home, ranges[:, 0] + random * (ranges[:, 1] - ranges[:, 0])])


def _coordinates(robot: Robot) -> list[Body]:
    """The first body of each coordinate."""
    first: dict[int, Body] = {}
    for body in robot.bodies:
        first.setdefault(body.index, body)
    return [first[k] for k in range(robot.n)]


def _range(joint: Joint) -> tuple[float, float]:
    far = SLIDE if is_zero(joint.turn) else np.pi
    stated: tuple[Any, Any] = joint.limits[:2] if joint.limits is not None else (None, None)
    lower, upper = (float(x) if is_number(x) else s * far for x, s in zip(stated, (-1, 1), strict=True))
    if not is_zero(joint.turn):  # limits in degrees and of many turns say nothing new
        lower, upper = max(lower, -2 * far), min(upper, 2 * far)
    return min(lower, upper), max(lower, upper)


def _can_be_sampled(robot: Robot) -> bool:
    return 0 < robot.n <= LARGEST and not robot.is_symbolic


def _at_poses(robot: Robot, term: str) -> tuple[np.ndarray, np.ndarray]:
    """Poses, and a term of the equations of motion at each of them."""
    if robot.n <= MANY_JOINTS:
        q = sample_poses(robot)
        return q, getattr(robot, term)(q)
    q = sample_poses(robot, max(8, 600 // robot.n))
    from steiner import dynamics

    return q, np.array([getattr(dynamics, term)(robot, row) for row in q], dtype=float)


def ill_conditioned(robot: Robot) -> Iterator[Remark]:
    """Mass matrices that are singular, or nearly so, somewhere in the range of the joints."""
    if not _can_be_sampled(robot) or any(fault_of(link.body) for link in robot.links) or any(massless(robot)):
        return
    q, M = _at_poses(robot, "mass_matrix")
    diagonal = np.einsum("kii->ki", M)
    names = robot.joint_names
    pose, joint = np.unravel_index(np.argmin(diagonal), diagonal.shape)
    if diagonal[pose, joint] <= 0:
        text = f"nothing resists it: M is {diagonal[pose, joint]:.2g} there at {_at(robot, q[pose])}"
        yield Remark(element("joint", names[joint]), text, joint=names[joint])
        return
    scale = 1 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(M * scale[:, :, None] * scale[:, None, :])  # joints in units of their own
    pose = int(np.argmin(values[:, 0] / values[:, -1]))
    condition = values[pose, -1] / max(values[pose, 0], 1e-300)
    if condition > ILL:
        weakest = np.argsort(-np.abs(vectors[pose, :, 0]))[:2]
        listed = " and ".join(repr(names[k]) for k in weakest)
        found = f"the mass matrix has the condition {condition:.2g} at {_at(robot, q[pose])}"
        text = f"{found}: {listed} move nearly the same"
        yield Remark(element("joint", names[weakest[0]]), text, joint=names[weakest[0]])


def gravity_above_effort(robot: Robot) -> Iterator[Remark]:
    """Joints whose motor cannot hold the robot still everywhere in the range of the joints."""
    if not _can_be_sampled(robot):
        return
    efforts = {
        joint.name: (link, joint, float(limits.effort))
        for link, joint, limits in limited(robot)
        if is_number(limits.effort) and limits.effort > 0
    }
    if not any(name in efforts for name in robot.joint_names):
        return
    q, held = _at_poses(robot, "static_torque")
    held = np.abs(held)
    springs = any(not is_zero(body.joint.stiffness) for body in robot.bodies)
    what = "gravity and springs ask" if springs else "gravity alone asks"
    for k, name in enumerate(robot.joint_names):
        if name in efforts:
            link, joint, effort = efforts[name]
            pose = int(np.argmax(held[:, k]))
            if held[pose, k] > effort:
                unit = "N" if is_zero(joint.turn) else "N m"
                asked = f"{what} for {held[pose, k]:.4g} {unit} at {_at(robot, q[pose])}"
                text = f"{asked}; its limit is {effort:.4g} {unit}"
                fix = f"a limit of at least {held[pose, k]:.3g} {unit}, a lighter arm, or a counterweight"
                yield about_joint(link, joint, text, "limit", fix=fix)


def _at(robot: Robot, q: np.ndarray) -> str:
    shown = ", ".join(f"{x:.3g}" for x in q[:8])
    return f"q = ({shown}{', …' if robot.n > 8 else ''})"
