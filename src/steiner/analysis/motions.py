"""Motions as rows of numbers: what `sizing` and `capacity` take, judged before anything is computed from it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from steiner.errors import ArgumentError, described
from steiner.kernels.arguments import array_of
from steiner.model.robot import Robot
from steiner.scalar import frozen

STEPS = 2000  # of a trajectory for which no dt is given
QUANTITIES = {"q": "position", "qd": "velocity", "qdd": "acceleration"}


class Rows(NamedTuple):
    """Times (k,), increasing, and q, q̇, q̈ (k, n); all finite."""

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


def is_motion(given: Any) -> bool:
    """Whether this says where joints are over time: a trajectory, or arrays .t, .q, .qd and .qdd."""
    return _is_trajectory(given) or all(hasattr(given, name) for name in Rows._fields)


def _is_trajectory(given: Any) -> bool:
    return callable(getattr(given, "sample", None)) and hasattr(given, "duration")


def rows_of(what: str, robot: Robot, motion: Any, dt: float | None = None) -> Rows:
    """The rows of a motion of this robot; a trajectory is sampled every dt seconds (2000 steps, if none is said)."""
    if not is_motion(motion):
        raise ArgumentError(
            f"{what}: expected a trajectory or a motion with arrays t, q, qd and qdd, got {described(motion)}"
        )
    if _is_trajectory(motion):
        motion = motion.sample(motion.duration / STEPS if dt is None else dt)
    elif dt is not None:
        raise ArgumentError(f"{what}: dt={described(dt)} is for trajectories; this motion has its own times")
    t, *states = (_floats(what, name, getattr(motion, name)) for name in Rows._fields)
    if t.ndim != 1 or len(t) < 2:
        raise ArgumentError(f"{what}: a motion has at least two times, got t of shape {t.shape}")
    for name, x in zip(QUANTITIES, states, strict=True):
        if x.shape != (len(t), robot.n):
            raise ArgumentError(
                f"{what}: {robot.name} has {robot.n} joints and the motion {len(t)} times; "
                f"expected {name} of shape {(len(t), robot.n)}, got {x.shape}"
            )
    _judge(what, robot, t, states)
    return Rows(*(frozen(x.copy()) for x in (t, *states)))


def _floats(what: str, name: str, given: Any) -> np.ndarray:
    values = array_of(name, given)
    if values.dtype.kind not in "iuf":
        raise ArgumentError(f"{what}: expected numbers in {name}, got {described(given)}")
    return values.astype(float)


def _judge(what: str, robot: Robot, t: np.ndarray, states: list[np.ndarray]) -> None:
    if not np.isfinite(t).all():
        row = int(np.argmin(np.isfinite(t)))
        raise ArgumentError(f"{what}: t[{row}] is {t[row]}; expected finite times")
    if np.any(np.diff(t) <= 0):
        row = int(np.argmax(np.diff(t) <= 0)) + 1
        told = "repeats" if t[row] == t[row - 1] else "runs backwards"
        raise ArgumentError(f"{what}: time {told}: t[{row}] = {t[row]:g} s after {t[row - 1]:g} s")
    for name, x in zip(QUANTITIES.values(), states, strict=True):
        refuse_lost(what, robot, t, x, name)


def refuse_lost(what: str, robot: Robot, t: np.ndarray, x: np.ndarray, name: str, why: str = "") -> None:
    """Raise at the first row that is not finite, with its time."""
    lost = np.argwhere(~np.isfinite(x))
    if len(lost):
        row, joint = lost[0]
        raise ArgumentError(
            f"{what}: at t = {t[row]:g} s the {name} of {robot.joint_names[joint]!r} is {x[row, joint]}{why}; "
            "expected finite numbers"
        )
