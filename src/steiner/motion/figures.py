"""How well a motion follows what was asked, and which torques it met that no motor gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steiner.errors import ArgumentError, described, need
from steiner.model.robot import Robot
from steiner.motion.trajectories import Trajectory, finite, positive
from steiner.scalar import Frozen
from steiner.text.tables import Table

SETTLED, NOTHING = 0.02, 1e-9  # of the largest error; rad or m that no one would call an error


@dataclass(frozen=True, eq=False)
class Tracking(Frozen):
    """Errors of a motion against a trajectory, per joint, in its unit (rad or m)."""

    joint_names: tuple[str, ...]
    rms: np.ndarray
    peak: np.ndarray
    peak_time: np.ndarray  # s
    final: np.ndarray
    settling: np.ndarray  # s after which the error stays within `band`; NaN: not within this motion
    band: np.ndarray
    units: tuple[str, ...]  # "rad" or "m"; both where the robot is not known

    def __str__(self) -> str:
        columns = (self.rms, self.peak, self.peak_time, self.final, self.settling)
        rows = [
            (name, unit, *("–" if np.isnan(x) else f"{x:.3g}" for x in row))
            for name, unit, row in zip(self.joint_names, self.units, np.transpose(columns), strict=True)
        ]
        head = ("joint", "error in", "RMS", "peak", "at s", "at the end", "settled after s")
        return Table(head, rows, align="ll" + "r" * 5).text()


def tracking(motion: Any, trajectory: Trajectory, *, band: Any = None, joint_names: Any = None) -> Tracking:
    """RMS, peak and settling of q − q*(t): `motion` has times `.t` (k,) and positions `.q` (k, n).

    A joint has settled when its error stays within `band` (rad or m; 2 % of its largest error, and no less than 1e-9,
    if none is given).
    """
    need("trajectory", trajectory, Trajectory)
    if not hasattr(motion, "t") or not hasattr(motion, "q"):
        raise ArgumentError(f"motion: expected times .t and positions .q, got {described(motion)}")
    t, q = np.atleast_1d(finite(motion.t, "motion.t")), finite(motion.q, "motion.q")
    if q.shape != (len(t), trajectory.n):
        raise ArgumentError(f"motion.q: expected {(len(t), trajectory.n)}, got {q.shape}: one motion, not a batch")
    e = q - trajectory(t)[0]
    size = np.abs(e)
    given = np.maximum(SETTLED * size.max(axis=0), NOTHING) if band is None else finite(band, "band")
    width = np.broadcast_to(given, (trajectory.n,))
    out = size > width
    last = len(t) - 1 - np.argmax(out[::-1], axis=0)  # the last time that it was outside
    settled = np.where(~out.any(axis=0), t[0], np.where(out[-1], np.nan, t[np.minimum(last + 1, len(t) - 1)]))
    robot = getattr(motion, "robot", None)
    names = joint_names or getattr(robot, "joint_names", None)
    turns = [robot.joint(name).turn for name in robot.joint_names] if robot is not None else []
    spans = np.diff(t, prepend=t[0]) / 2 + np.diff(t, append=t[-1]) / 2 if len(t) > 1 else np.ones(1)
    return Tracking(
        tuple(names or (f"q{k + 1}" for k in range(trajectory.n))),
        np.sqrt((spans[:, None] * e**2).sum(axis=0) / spans.sum()),
        size.max(axis=0), t[size.argmax(axis=0)], e[-1], settled, width,
        tuple("rad" if turn else "m" for turn in turns) or ("rad or m",) * trajectory.n,
    )  # fmt: skip


def contact_torques(
    robot: Robot, t: Any, q: Any, qd: Any, tau: Any, *, gain: float, friction: bool = True
) -> np.ndarray:
    """Joint torques that no motor gave, by a momentum observer (De Luca 2005), needing no accelerations.

    r = gain · (p − ∫(τ + Cᵀq̇ − g − springs − friction + r) dt) follows the torque of contacts, JᵀF, as a low pass of
    `gain` (1/s) does: it is right after a few 1/gain seconds.  Times (k,), states and motor torques (k, n).
    """
    k = positive(gain, "gain")
    times, at, rate, motor = (finite(x, name) for x, name in ((t, "t"), (q, "q"), (qd, "qd"), (tau, "tau")))
    if times.ndim != 1:
        raise ArgumentError(f"t: expected times (k,), got shape {times.shape}")
    shape = (len(times), need("robot", robot, Robot).n)
    for name, x in (("q", at), ("qd", rate), ("tau", motor)):
        if x.shape != shape:
            raise ArgumentError(f"{name}: expected {shape}, got {x.shape}")
    if np.any(np.diff(times) <= 0):
        raise ArgumentError("t: time stands still or runs backwards")
    p = np.einsum("kij,kj->ki", robot.mass_matrix(at), rate)
    known = motor + np.einsum("kji,kj->ki", robot.coriolis_matrix(at, rate), rate) - robot.static_torque(at)
    known = known - robot.friction_forces(at, rate) if friction else known
    r, total = np.zeros(shape), np.zeros(shape[1])
    for i in range(1, len(times)):  # ∫ by the trapezoidal rule, implicit in r
        half = (times[i] - times[i - 1]) / 2
        total = total + half * (known[i] + known[i - 1] + r[i - 1])
        r[i] = k * (p[i] - p[0] - total) / (1 + k * half)
        total = total + half * r[i]
    return r
