"""A motion to look at an arm by, where nobody gives one: from rest to rest and back, within what its joints may do."""

from __future__ import annotations

from math import pi

import numpy as np

from steiner.analysis.ranges import ranges
from steiner.errors import ArgumentError, need
from steiner.model.robot import Robot
from steiner.motion.trajectories import Piecewise, through

RANGE, WIDEST = 0.5, pi / 3  # of a joint's range that is travelled; rad or m from its middle at most
SWINGS = (1.0, 0.6, 0.8)  # of that, in turn: joints on parallel axes do not cancel
TURN, SLIDE = pi / 4, 0.1  # from zero each way, where no range is stated
SPEED, EFFORT = 0.6, 0.9  # of the limits
SHORTEST, LONGER, TRIES = 1.0, 1.25, 12  # s one way; how much longer, and how often, where the motors are too weak
PEAK = 15 / 8  # speed of a quintic from rest to rest, over its mean


def there_and_back(robot: Robot) -> Piecewise:
    """Quintics from a pose to another and back, in the middle half of every joint's range, neighbours against one
    another; as slow as speeds ask for (60 % of their limits), and efforts (90 %) unless weight alone is beyond them.
    """
    if not need("there_and_back", robot, Robot).n:
        raise ArgumentError(f"{robot.name} has no moving joint")
    _, _, velocity, effort = ranges(robot)
    middle, reach = _swing(robot)
    duration = max(SHORTEST, float((PEAK * 2 * reach / (SPEED * velocity)).max()))
    for _ in range(TRIES):
        path = _between(middle, reach, duration)
        q, qd, qdd = path(np.linspace(0, path.duration, 101))
        held, needed = robot.static_torque(q), robot.inverse_dynamics(q, qd, qdd)
        if not (np.abs(needed) > EFFORT * effort).any() or (np.abs(held) > EFFORT * effort).any():
            break
        duration *= LONGER
    return _between(middle, reach, duration)


def _swing(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """The middle of every joint's swing, and how far it goes from there."""
    lower, upper, *_ = ranges(robot)
    free = np.array([SLIDE if robot.joint(name).turn == 0 else TURN for name in robot.joint_names])
    low, high = np.where(np.isfinite(lower), lower, -np.inf), np.where(np.isfinite(upper), upper, np.inf)
    low, high = (
        np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 4 * free, -2 * free)),
        np.where(np.isfinite(high), high, np.where(np.isfinite(low), low + 4 * free, 2 * free)),
    )
    shares = np.resize(SWINGS, robot.n)
    return (low + high) / 2, shares * np.minimum(RANGE * (high - low) / 2, WIDEST)


def _between(middle: np.ndarray, reach: np.ndarray, duration: float) -> Piecewise:
    away = np.where(np.arange(len(reach)) % 2, -reach, reach)
    q = np.stack([middle - away, middle + away, middle - away])
    return through(np.array([0.0, duration, 2 * duration]), q, np.zeros_like(q), np.zeros_like(q))
