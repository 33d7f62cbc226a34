"""What a robot's coordinates may do: the limits of its joints, as arrays over `joint_names`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steiner.errors import ArgumentError
from steiner.model.robot import Robot
from steiner.scalar import is_symbolic


class Ranges(NamedTuple):
    """Per coordinate, infinite where nothing is stated: rad or m, rad/s or m/s, N m or N."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


def ranges(robot: Robot) -> Ranges:
    """The limits of all joints; joints that share a coordinate narrow it together."""
    lower, upper, velocity, effort = (np.full(robot.n, sign * np.inf) for sign in (-1, 1, 1, 1))
    for body in robot.tree.bodies:
        joint, k = body.joint, body.index
        if joint.limits is None:
            continue
        if any(is_symbolic(x) for x in (joint.multiplier, joint.offset, *joint.limits) if x is not None):
            raise ArgumentError(f"joint {joint.name!r}: limits with symbols; substitute numbers first")
        m, off = float(joint.multiplier), float(joint.offset)
        ends = sorted(
            (sign * np.inf if end is None else (float(end) - off) / m)
            for end, sign in ((joint.limits.lower, -np.sign(m)), (joint.limits.upper, np.sign(m)))
        )
        lower[k], upper[k] = max(lower[k], ends[0]), min(upper[k], ends[1])
        if joint.limits.velocity is not None:
            velocity[k] = min(velocity[k], float(joint.limits.velocity) / abs(m))
        if joint.limits.effort is not None and joint.follows is None:
            effort[k] = min(effort[k], float(joint.limits.effort) * abs(m))
    return Ranges(lower, upper, velocity, effort)
