"""Rigid-body algebra: poses, twists, wrenches, Ad, ad, exp and log, for any kind of number.

6-vectors are angular first: a twist is (ω, v), a wrench (moment, force).  `T_a_b` takes
coordinates in frame b to coordinates in frame a.  Poses may carry leading batch dimensions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steiner.locks import LOCK
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

if TYPE_CHECKING:  # who loads a robot needs poses only
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


def __getattr__(name: str) -> Any:
    """What is said of screws, once it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with LOCK:
        from steiner.spatial import screws

    globals()[name] = value = getattr(screws, name)
    return value
