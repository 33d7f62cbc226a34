"""Rigid-body algebra: poses, twists, wrenches, Ad, ad, exp and log, for any kind of number.

6-vectors are angular first: a twist is (ω, v), a wrench (moment, force).  `T_a_b` takes
coordinates in frame b to coordinates in frame a.  Poses may carry leading batch dimensions.
"""

from __future__ import annotations

from steiner.spatial.poses import (
    IDENTITY,
    ROTATION,
    ROUND_OFF,
    ZERO,
    Pose,
    Vector,
    cross,
    dot,
    length_of,
    rotation_rpy,
    rotation_to,
    rotation_x,
    rotation_y,
    rotation_z,
    skew,
    snapped,
    unit,
    vee,
    warn_of_degrees,
)
from steiner.spatial.screws import (
    Ad,
    Frame,
    Twist,
    Wrench,
    ad,
    exp,
    log,
    six,
    total_wrench,
    twist_to_child,
    twist_to_parent,
    wrench_to_child,
    wrench_to_parent,
)  # fmt: skip

__all__ = [
    "ROUND_OFF", "Vector", "cross", "dot", "length_of", "rotation_rpy", "rotation_to", "rotation_x",
    "rotation_y", "rotation_z", "skew", "snapped", "unit", "vee", "warn_of_degrees", "ZERO",
    "IDENTITY", "Pose", "Frame", "Twist", "Wrench", "total_wrench", "six", "Ad", "ad", "twist_to_parent",
    "twist_to_child", "wrench_to_parent", "wrench_to_child", "exp", "log", "ROTATION",
]  # fmt: skip
