"""Numbers and robots compared: relative to the largest entry, and with derivatives by differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner import dynamics
from steiner.model.robot import Robot
from tests.random_robots import random_state


def floats(result: Any) -> Any:
    """The numbers of a result that came as objects."""
    return np.asarray(result, dtype=float)


def close(ours: Any, theirs: Any, tolerance: float = 1e-12) -> bool:
    """Equal relative to the largest entry."""
    a, b = floats(ours), floats(theirs)
    scale = max(np.abs(b).max(initial=0.0), np.abs(a).max(initial=0.0), 1e-300)
    return bool(np.abs(a - b).max(initial=0.0) <= tolerance * scale)


def apart(robot: Robot, again: Robot, seed: int = 0) -> float:
    """How far M, C, g and the springs of two robots differ at a random state, relative to the largest entry of each."""
    q, qd, _ = random_state(robot, seed)
    answers = [
        [floats(f(arm, *given)) for f, given in
         ((dynamics.mass_matrix, (q,)), (dynamics.coriolis_matrix, (q, qd)), (dynamics.gravity_forces, (q,)),
          (dynamics.spring_forces, (q,)))]
        for arm in (robot, again)
    ]  # fmt: skip
    return max(float(np.abs(a - b).max() / (np.abs(a).max() or 1.0)) for a, b in zip(*answers, strict=True))


def five_point(f: Any, x: np.ndarray, h: float = 2e-3) -> np.ndarray:
    """Derivative of f by every entry of x (last axis), five-point differences extrapolated once: order h⁶."""

    def slope(step: float, e: np.ndarray) -> np.ndarray:
        d = step * e
        return (floats(f(x - 2 * d)) - 8 * floats(f(x - d)) + 8 * floats(f(x + d)) - floats(f(x + 2 * d))) / (12 * step)

    columns = [(16 * slope(h / 2, e) - slope(h, e)) / 15 for e in np.eye(len(x))]
    return np.stack(columns, axis=-1)
