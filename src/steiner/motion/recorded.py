"""Motions of files as trajectories."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from steiner.errors import ArgumentError, FormatError, described, need
from steiner.files.motion import MotionFile
from steiner.model.robot import Robot
from steiner.motion.trajectories import Piecewise, spline, through


def from_csv(path: str | os.PathLike[str], robot: Robot, *, units: str = "rad") -> Piecewise:
    """The motion of a CSV file (t, and q of every joint, as `steiner torques` reads it), moved so that it starts at 0.

    Quintics through q, q̇ and q̈ where the file has all three; else the cubic spline through q, from rest to rest.
    """
    if units not in ("rad", "deg"):
        raise ArgumentError(f"from_csv: units={described(units)}; expected 'rad' or 'deg'")
    file = MotionFile(Path(path), need("robot", robot, Robot), degrees=units == "deg", positions_do=True)
    if not file.has_time:
        raise FormatError(f"{path}:1: no column t; expected the time of every row, in seconds")
    blocks = list(file)
    if sum(len(block.q) for block in blocks) < 2:
        raise FormatError(f"{path}: fewer than two rows of numbers; expected a motion")
    columns = ([getattr(block, name) for block in blocks] for name in ("time", "q", "qd", "qdd", "lines"))
    t, q, qd, qdd, lines = map(np.concatenate, columns)
    late = np.flatnonzero(np.diff(t) <= 0)
    if len(late):
        k = int(late[0]) + 1
        raise FormatError(f"{path}:{lines[k]}: time {t[k]:g} s after {t[k - 1]:g} s; expected rising times")
    return through(t - t[0], q, qd, qdd) if file.has_rates else spline(t, q)
