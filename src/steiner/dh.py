"""Robots from Denavit-Hartenberg tables, standard (distal) and modified (proximal)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steiner.errors import ModelError
from steiner.friction import Friction
from steiner.inertia import MassProperties
from steiner.joints import JOINTS, Limits
from steiner.model import EARTH, Link, Robot
from steiner.scalar import array, numbers
from steiner.spatial import IDENTITY, ROUND_OFF, Pose, rotation_x, rotation_z, snapped


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
    limits: Limits | tuple[float, float] | None = None


def _about_z(theta: Any, d: Any) -> Pose:
    return Pose.trusted(snapped(array(rotation_z(theta)), ROUND_OFF), array([0, 0, d]))


def _about_x(alpha: Any, a: Any) -> Pose:
    return Pose.trusted(snapped(array(rotation_x(alpha)), ROUND_OFF), array([a, 0, 0]))


def from_dh(
    rows: Sequence[DH], *, convention: str = "standard", name: str = "robot", gravity: Any = EARTH,
    base: Pose = IDENTITY,
) -> Robot:
    """Robot of a DH table; joints are "joint1", …, links "link1", …, `base` is the pose of frame 0 in the world.

    standard: T = Rz(θ) Tz(d) Tx(a) Rx(α), joint i turns about z of frame i−1, link i is frame i.
    modified: T = Rx(α) Tx(a) Rz(θ) Tz(d), joint i turns about z of frame i.
    """
    if convention not in ("standard", "modified"):
        raise ModelError(f"convention={convention!r}: expected 'standard' (distal) or 'modified' (proximal, Craig)")
    if not rows:
        raise ModelError("a DH table needs at least one row")
    links = []
    for i, row in enumerate(rows, 1):
        if row.joint not in ("revolute", "prismatic"):
            raise ModelError(f"DH row {i}: joint={row.joint!r}: expected 'revolute' or 'prismatic'")
        theta, d, a, alpha = numbers(f"DH row {i}", row.theta, row.d, row.a, row.alpha)
        limits = Limits(*row.limits) if row.limits is not None else None
        joint = JOINTS[row.joint](name=f"joint{i}", armature=row.armature, friction=row.friction, limits=limits)
        along, across = _about_z(theta, d), _about_x(alpha, a)
        before, after = (along, across) if convention == "standard" else (across @ along, IDENTITY)
        mount = base @ before if i == 1 else before
        links.append(Link(f"link{i}", links[-1].name if links else None, joint, mount, row.body, after))
    return Robot(name, tuple(links), np.asarray(gravity) if isinstance(gravity, np.ndarray) else gravity)
