"""Where bodies and links are, and how they move."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from steiner.errors import ArgumentError, is_one_of, unknown
from steiner.model.answers import Poses
from steiner.model.tree import GROUND, Tree
from steiner.scalar import cos, is_zero, sin
from steiner.spatial import ZERO, Pose, cross

FRAMES = ("space", "body", "aligned")


class Screw:
    """A joint at its value: cosine and sine of its turn about z, how far it is up z, its rate and acceleration."""

    __slots__ = ("acceleration", "c", "rate", "s", "slid", "slide", "turn")

    def __init__(self, joint: Any, rise: Any, value: Any, rate: Any, acceleration: Any) -> None:
        self.turn, self.slide = joint.turn, joint.slide
        turns = not is_zero(joint.turn)
        self.c, self.s = (cos(joint.turn * value), sin(joint.turn * value)) if turns else (1, 0)
        self.slid = rise + joint.slide * value
        self.rate, self.acceleration = rate, acceleration

    @property
    def up(self) -> np.ndarray:
        """From the mount's origin to the body's, along the axes of either: what lies on the axis does not turn."""
        return np.array([0, 0, self.slid])


def screws(tree: Tree, q: Any, qd: Any = None, qdd: Any = None) -> list[Screw]:
    """The joints of all bodies at the coordinates q: value = multiplier · q[k] + offset."""
    result = []
    for body in tree.bodies:
        joint, k = body.joint, body.index
        result.append(
            Screw(
                joint,
                body.rise,
                joint.multiplier * q[k] + joint.offset,
                0 if qd is None else joint.multiplier * qd[k],
                0 if qdd is None else joint.multiplier * qdd[k],
            )
        )
    return result


def stretch(joint: Any, q: Any) -> Any:
    """How far a joint's value is from the rest of its spring at its coordinate q."""
    return joint.multiplier * q + (joint.offset - joint.rest)


def pose_in_parent(mount: Pose, joint: Screw) -> Pose:
    """Pose of a body in its parent: mount · Rz · Tz."""
    c, s, R = joint.c, joint.s, mount.R
    x, y, z = R[:, 0], R[:, 1], R[:, 2]
    turned = np.array([x * c + y * s, y * c - x * s, z]).T
    return Pose.trusted(turned, mount.p + z * joint.slid)


def poses_in_parent(tree: Tree, joints: list[Screw]) -> list[Pose]:
    """Pose of every body in its parent body."""
    return [pose_in_parent(body.mount, joint) for body, joint in zip(tree.bodies, joints, strict=True)]


def poses_in_world(tree: Tree, T: list[Pose]) -> list[Pose]:
    """Pose of every body in the world, from the poses in their parents."""
    world: list[Pose] = []
    for body, pose in zip(tree.bodies, T, strict=True):
        world.append(pose if body.parent == GROUND else world[body.parent] @ pose)
    return world


def chain(tree: Tree, i: int) -> list[int]:
    """Body i and the bodies that carry it, from the ground outwards; empty for GROUND."""
    path: list[int] = []
    while i != GROUND:
        path.append(i)
        i = tree.bodies[i].parent
    return path[::-1]


def link_or_last(tree: Tree, link: str | None) -> str:
    """The link that is meant: the last one unless named."""
    return tree.tip if link is None else link


@overload
def forward_kinematics(tree: Tree, q: Any, link: None = None) -> Poses: ...
@overload
def forward_kinematics(tree: Tree, q: Any, link: str) -> Pose: ...
def forward_kinematics(tree: Tree, q: Any, link: str | None = None) -> Pose | Poses:
    """Pose of a link in the world, p_world = R p_link + p; of every link, by name, if none is named."""
    T = poses_in_parent(tree, screws(tree, q))
    if link is not None:
        i, pose = tree.place(link)
        for k in reversed(chain(tree, i)):
            pose = T[k] @ pose
        return pose
    world = poses_in_world(tree, T)
    return Poses({name: pose if i == GROUND else world[i] @ pose for name, (i, pose) in tree.places.items()})


def jacobian(tree: Tree, q: Any, link: str | None = None, frame: str = "space", point: Any = None) -> np.ndarray:
    """6×n Jacobian of a link (the last by default), angular rows first: twist = J q̇.

    frame="space": the twist's linear part is at the world's origin, all along the world's axes;
    "body": at the link's origin, along the link's axes; "aligned": at the link's origin, along the
    world's axes.  `point` (in the link's frame) takes the place of the link's origin.
    """
    if not is_one_of(frame, FRAMES):
        raise ArgumentError(unknown("frame", frame, FRAMES))
    i, pose = tree.place(link_or_last(tree, link))
    joints = screws(tree, q)
    T = poses_in_parent(tree, joints)
    path = chain(tree, i)
    J = np.zeros((6, tree.n), dtype=object)
    if frame == "body":
        at = pose if point is None else Pose.trusted(pose.R, pose.apply(point))
        for k in reversed(path):  # `at` is the point's pose in body k
            _add_column(J, tree.bodies[k], joints[k], at.R.T[:, 2], at.R.T @ cross([0, 0, 1], at.p))
            at = T[k] @ at
        return J
    world: list[Pose] = []
    for k in path:
        world.append(world[-1] @ T[k] if world else T[k])
    target = ZERO
    if frame == "aligned" and path:
        target = world[-1].apply(pose.p if point is None else pose.apply(point))
    for k, at in zip(path, world, strict=True):
        z = at.R[:, 2]
        _add_column(J, tree.bodies[k], joints[k], z, cross(z, target - at.p))
    return J


def _add_column(J: np.ndarray, body: Any, joint: Screw, axis: np.ndarray, moved: np.ndarray) -> None:
    """Adds a joint's column: its axis, and how the point moves when the joint turns about it."""
    rate = body.joint.multiplier
    column = np.concatenate([joint.turn * axis, joint.turn * moved + joint.slide * axis])
    J[:, body.index] = J[:, body.index] + rate * column
