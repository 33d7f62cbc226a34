"""Where bodies and links are, and how they move."""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.model import GROUND, Robot
from steiner.scalar import cos, is_zero, sin
from steiner.spatial import Pose


class Screw:
    """A joint at its value: cosine and sine of its turn about z, its slide along z, its rate and acceleration."""

    __slots__ = ("acceleration", "c", "rate", "s", "slide", "slid", "turn")

    def __init__(self, joint: Any, value: Any, rate: Any, acceleration: Any) -> None:
        self.turn, self.slide = joint.turn, joint.slide
        turns = not is_zero(joint.turn)
        self.c, self.s = (cos(joint.turn * value), sin(joint.turn * value)) if turns else (1, 0)
        self.slid = joint.slide * value
        self.rate, self.acceleration = rate, acceleration


def screws(robot: Robot, q: Any, qd: Any = None, qdd: Any = None) -> list[Screw]:
    """The joints of all bodies at the coordinates q: value = multiplier · q[k] + offset."""
    result = []
    for body in robot.bodies:
        joint, k = body.joint, body.index
        result.append(
            Screw(
                joint,
                joint.multiplier * q[k] + joint.offset,
                0 if qd is None else joint.multiplier * qd[k],
                0 if qdd is None else joint.multiplier * qdd[k],
            )
        )
    return result


def pose_in_parent(mount: Pose, joint: Screw) -> Pose:
    """Pose of a body in its parent: mount · Rz · Tz."""
    c, s, R = joint.c, joint.s, mount.R
    x, y, z = R[:, 0], R[:, 1], R[:, 2]
    turned = np.array([x * c + y * s, y * c - x * s, z]).T
    return Pose.trusted(turned, mount.p + z * joint.slid)


def poses_in_parent(robot: Robot, joints: list[Screw]) -> list[Pose]:
    """Pose of every body in its parent body."""
    return [pose_in_parent(body.mount, joint) for body, joint in zip(robot.bodies, joints, strict=True)]


def poses_in_world(robot: Robot, T: list[Pose]) -> list[Pose]:
    """Pose of every body in the world, from the poses in their parents."""
    world: list[Pose] = []
    for body, pose in zip(robot.bodies, T, strict=True):
        world.append(pose if body.parent == GROUND else world[body.parent] @ pose)
    return world
