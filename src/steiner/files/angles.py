"""Angles that were cut off: 1.57079632679 is read as a right angle, and noted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from steiner.files.reading import Notes
from steiner.files.xml import shown
from steiner.spatial import Pose, snapped

SNAP = 1e-10  # how far an entry of a rotation may be from an exact one to be taken for it


def doubtful(rpy: Sequence[float], what: str, notes: Notes) -> None:
    """Note angles of many turns."""
    if max(map(abs, rpy)) > 4 * math.pi:
        far = max(rpy, key=abs)
        notes.turns[what] = f"{far!r} rad are many turns; degrees? {far:g}° are {math.radians(far):.9g} rad"


def exact_angles(R: np.ndarray) -> tuple[np.ndarray, float]:
    """A rotation with the entries of truncated decimals (1.57079632679) made exact, and how far they moved."""
    exact = snapped(R, SNAP)
    shift = float(np.abs(exact - R).max())
    # near 1 the cosine of a coarse angle (1.5708) snaps and its sine does not: then nothing is snapped
    if shift == 0 or np.abs(exact @ exact.T - np.eye(3)).max() > 1e-14:
        return R, 0.0
    return exact, shift


def exact(pose: Pose, what: str, written: str, notes: Notes) -> Pose:
    """The pose with exact angles, noted with what was written."""
    R, shift = exact_angles(pose.R)
    if shift == 0:
        return pose
    notes.snapped[what] = f"{shown(written)} read as exact angles (by {shift:.1g})"
    return Pose.trusted(R, pose.p)
