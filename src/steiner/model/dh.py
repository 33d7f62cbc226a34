"""Robots from Denavit-Hartenberg tables, standard (distal) and modified (proximal)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from steiner.errors import ModelError, described, is_one_of
from steiner.inertia import MassProperties
from steiner.model.friction import Friction
from steiner.model.joint_types import JOINTS
from steiner.model.link import Link
from steiner.model.robot import EARTH, NO_SOURCE, Robot
from steiner.model.source import Source
from steiner.scalar import array, numbers
from steiner.spatial import IDENTITY, ROUND_OFF, Pose, rotation_x, rotation_z, snapped, warn_of_degrees
from steiner.spatial.poses import position


@dataclass(frozen=True, eq=False)
class DH:
    """One row of a DH table: angles in radians, lengths in metres, the body in the DH frame of its link.

    A revolute joint adds to theta, a prismatic one to d.
    """

    theta: Any = 0.0
    d: Any = 0.0
    a: Any = 0.0
    alpha: Any = 0.0
    joint: str = "revolute"
    body: MassProperties = field(default_factory=MassProperties.zero)
    armature: Any = 0.0
    friction: Friction | None = None
    limits: Any = None  # JointLimits, or (lower, upper)
    stiffness: Any = 0.0
    rest: Any = 0.0


def _about_z(theta: Any, d: Any) -> Pose:
    return Pose.trusted(snapped(array(rotation_z(theta)), ROUND_OFF), position([0, 0, d], "DH row: d"))


def _about_x(alpha: Any, a: Any) -> Pose:
    return Pose.trusted(snapped(array(rotation_x(alpha)), ROUND_OFF), position([a, 0, 0], "DH row: a"))


def from_dh(
    rows: Sequence[DH], *, convention: str = "standard", name: str = "robot", gravity: Any = EARTH,
    base: Pose = IDENTITY, source: Source = NO_SOURCE,
) -> Robot:
    """Robot of a DH table; joints are "joint1", …, links "link1", …, `base` is the pose of frame 0 in the world.

    standard: T = Rz(θ) Tz(d) Tx(a) Rx(α), joint i turns about z of frame i−1, link i is frame i.
    modified: T = Rx(α) Tx(a) Rz(θ) Tz(d), joint i turns about z of frame i.
    """
    if not is_one_of(convention, ("standard", "modified")):
        got = described(convention)
        raise ModelError(f"convention={got}: expected 'standard' (distal) or 'modified' (proximal, Craig)")
    if isinstance(rows, DH) or not isinstance(rows, Sequence):
        raise ModelError(f"expected a list of DH rows, got {described(rows)}")
    if not rows:
        raise ModelError("a DH table needs at least one row")
    own = source if source is not NO_SOURCE else None  # who states a source has looked at its numbers
    links = []
    for i, row in enumerate(rows, 1):
        if not isinstance(row, DH):
            raise ModelError(f"DH row {i}: expected DH(theta=, d=, a=, alpha=, …), got {described(row)}")
        if row.joint not in ("revolute", "prismatic"):
            raise ModelError(f"DH row {i}: joint={row.joint!r}: expected 'revolute' or 'prismatic'")
        theta, d, a, alpha = numbers(f"DH row {i}", row.theta, row.d, row.a, row.alpha)
        warn_of_degrees(f"DH row {i}", theta, alpha)
        joint = JOINTS[row.joint](
            name=f"joint{i}", armature=row.armature, stiffness=row.stiffness, rest=row.rest, friction=row.friction,
            limits=row.limits,
        )  # fmt: skip
        along, across = _about_z(theta, d), _about_x(alpha, a)
        before, after = (along, across) if convention == "standard" else (across @ along, IDENTITY)
        mount = base @ before if i == 1 else before
        links.append(
            Link(f"link{i}", links[-1].name if links else None, joint, mount, row.body, after, source=own)
        )
    return Robot(name, tuple(links), gravity, source=source)
