"""Motions that are asked for, by name: `st.trajectory.quintic(q0, q1, 2.0)`, …

A trajectory is a function of time that gives q, q̇ and q̈ with exact derivatives; `.sample(dt)` makes arrays of it.
"""

from steiner.motion.recorded import from_csv
from steiner.motion.timing import quickest
from steiner.motion.tool_paths import circle, line
from steiner.motion.trajectories import (
    Samples,
    Trajectory,
    cubic,
    fourier,
    jerk_limited,
    quintic,
    spline,
    trapezoid,
)

__all__ = [
    "Samples", "Trajectory", "circle", "cubic", "fourier", "from_csv", "jerk_limited", "line", "quickest", "quintic",
    "spline", "trapezoid",
]  # fmt: skip
