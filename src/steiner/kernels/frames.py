"""Body frames re-chosen so that the constant rotations between them are sparse.

A body's frame may be turned about its joint's axis: the joint takes the turn into its offset, the spring its rest, the
children's mounts take the rest.  As Denavit and Hartenberg do, x is laid along the common normal of two
successive axes; a mount is then a rotation about x alone, with five entries instead of nine.  It may also
be slid along the axis: to the foot of the perpendicular from the parent's origin, which moves offsets
outboard, where fewer forces pass.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

import numpy as np

from steiner.model.tree import GROUND, Body, Place, Tree
from steiner.spatial import IDENTITY, ROUND_OFF, Pose, snapped

_NO_SHIFT = np.zeros(3)


def density(bodies: Iterable[Body]) -> int:
    """How many entries of the mounts are neither 0 nor ±1, and how many joints have an offset."""
    count = 0
    for body in bodies:
        entries = np.concatenate([body.mount.R.ravel(), body.mount.p])
        count += int(np.sum((entries != 0) & (np.abs(entries) != 1)))
        count += int(body.joint.offset != 0)
    return count


def sparse_frames(tree: Tree) -> Tree:
    """The tree with equivalent bodies whose mounts are sparse; the same tree if nothing is gained."""
    if not _is_numeric(tree):
        return tree
    bodies = list(tree.bodies)
    turns = [0.0] * len(bodies)
    for i in range(len(bodies)):
        bodies[i], turns[i] = _turned(bodies, i)
        for k, child in enumerate(bodies):
            if child.parent == i:
                bodies[k] = dataclasses.replace(child, mount=Pose.about_z(-turns[i]) @ child.mount)
    if density(bodies) >= density(tree.bodies):
        return tree
    places = {
        name: place if place.body == GROUND else Place(place.body, Pose.about_z(-turns[place.body]) @ place.pose)
        for name, place in tree.places.items()
    }
    return tree.replace(bodies=tuple(bodies), places=places)


def slid_frames(tree: Tree) -> Tree:
    """The tree with equivalent bodies, every origin slid along its axis to where it is nearest to the parent's."""
    if not _is_numeric(tree):
        return tree
    shift = {GROUND: 0.0}
    bodies: list[Body] = []
    for i, body in enumerate(tree.bodies):
        offset, z = body.mount.p - [0, 0, shift[body.parent]], body.mount.R[:, 2]
        shift[i] = 0.0 if body.parent == GROUND else float(-(offset @ z))
        foot = offset + z * shift[i]
        mount = Pose.trusted(body.mount.R, np.where(np.abs(foot) <= ROUND_OFF * np.abs(offset).max(), 0.0, foot))
        back = _along_z(-shift[i])
        bodies.append(
            dataclasses.replace(body, mount=mount, moments=body.moments.moved(back), frame=back @ body.frame)
        )
    if not any(shift.values()):
        return tree
    places = {name: Place(i, _along_z(-shift[i]) @ pose) for name, (i, pose) in tree.places.items()}
    return tree.replace(bodies=tuple(bodies), places=places)


def _along_z(distance: float) -> Pose:
    return Pose.trusted(np.eye(3), np.array([0.0, 0.0, distance])) if distance else IDENTITY


def _is_numeric(tree: Tree) -> bool:
    return all(
        np.asarray(x).dtype == np.float64 or isinstance(x, int | float)
        for body in tree.bodies
        for x in (body.mount.R, body.mount.p, *body.moments, body.joint.offset, body.joint.turn, body.joint.slide)
    )


def _turned(bodies: list[Body], i: int) -> tuple[Body, float]:
    """Body i in a frame turned about z so that its first child's axis lies in its yz plane, and by how much."""
    body = bodies[i]
    child = next((k for k in bodies if k.parent == i), None)
    turn = 0.0
    if child is not None:
        x, y, _ = child.mount.R[:, 2]
        if abs(x) > ROUND_OFF:
            turn = math.atan2(-x, y)
    R = body.mount.R
    if body.joint.turn == 0:  # a sliding joint cannot take a turn into its value
        own = turn
    else:
        own = math.atan2(-R[2, 0], R[2, 1]) if abs(R[2, 0]) > ROUND_OFF else 0.0
    joint = body.joint
    mount = body.mount @ Pose.about_z(own)
    if own != turn:
        shift = (turn - own) / joint.turn
        mount = mount @ Pose.trusted(np.eye(3), np.array([0, 0, -joint.slide * shift]))  # a screw slides as it turns
        joint = joint.with_numbers(offset=joint.offset + shift, rest=joint.rest + shift)
    mount = Pose.trusted(snapped(mount.R, ROUND_OFF), mount.p)
    back = Pose.about_z(-turn)
    return dataclasses.replace(
        body, mount=mount, joint=joint, moments=body.moments.moved(back), frame=back @ body.frame
    ), turn
