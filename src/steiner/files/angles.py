"""Angles that were cut off: 1.57079632679 is read as a right angle, and noted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from steiner.files.reading import Notes
from steiner.files.xml import shown
from steiner.spatial import Pose, snapped

SNAP = 1e-10


def doubtful(rpy: Sequence[float], what: str, notes: Notes) -> None:
    """Note angles of many turns."""
    if max(map(abs, rpy)) > 4 * math.pi:
        far = max(rpy, key=abs)
        notes.turns[what] = f"{far!r} rad are many turns; degrees? {far:g}° are {math.radians(far):.9g} rad"


def exact(pose: Pose, what: str, written: str, notes: Notes) -> Pose:
    """The pose with exact angles, if entries of its rotation are within 1e-10 of such; noted with what was written."""
    turned = snapped(pose.R, SNAP)
    shift = float(np.abs(turned - pose.R).max())
    # near 1 the cosine of a coarse angle (1.5708) snaps and its sine does not: then nothing is snapped
    if shift == 0 or np.abs(turned @ turned.T - np.eye(3)).max() > 1e-14:
        return pose
    notes.snapped[what] = f"{shown(written)} read as exact angles (by {shift:.1g})"
    return Pose.trusted(turned, pose.p)
