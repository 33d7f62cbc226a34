"""The quickest timing of a path within limits of torque and speed, by toppra (time-optimal path parametrisation)."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from steiner.analysis.ranges import ranges
from steiner.errors import ArgumentError, whole
from steiner.model.robot import Robot
from steiner.motion.trajectories import Timed, finite

GRID = 201  # points of the path at which the limits hold


def quickest(robot: Robot, points: Any, *, effort: Any = None, velocity: Any = None, grid: int = GRID) -> Timed:
    """The quickest motion along the cubic spline through joint points (k, n), from rest to rest.  Needs toppra.

    Limits are those of the joints unless given: `effort` (N m, N) and `velocity`, one number per joint.
    """
    try:
        import toppra
        from toppra import algorithm, constraint
    except ImportError:
        raise ArgumentError("quickest needs toppra: pip install 'steiner[motion]'") from None
    q = finite(points, "points")
    if q.ndim != 2 or len(q) < 2 or q.shape[1] != robot.n:
        raise ArgumentError(f"points: expected (k, {robot.n}) with k ≥ 2, got shape {q.shape}")
    own = ranges(robot)
    torque, speed = (
        np.broadcast_to(finite(x, name), (robot.n,)) if x is not None else stated
        for x, name, stated in ((effort, "effort", own.effort), (velocity, "velocity", own.velocity))
    )
    if not np.any(np.isfinite(torque)) and not np.any(np.isfinite(speed)):
        raise ArgumentError(f"{robot.name} states no limits of effort or velocity; give effort= or velocity=")
    logging.getLogger("toppra").setLevel(logging.ERROR)
    path = toppra.SplineInterpolator(np.linspace(0, 1, len(q)), q)
    limits: list[Any] = []
    if np.any(np.isfinite(speed)):
        top = np.where(np.isfinite(speed), speed, 1e6)
        limits.append(constraint.JointVelocityConstraint(np.stack([-top, top], axis=1)))
    if np.any(np.isfinite(torque)):
        top = np.where(np.isfinite(torque), torque, 1e9)
        limits.append(
            constraint.JointTorqueConstraint(
                lambda q, qd, qdd: robot.inverse_dynamics(q, qd, qdd, friction=False),
                np.stack([-top, top], axis=1),
                np.zeros(robot.n),
                discretization_scheme=constraint.DiscretizationType.Interpolation,
            )
        )
    places = np.linspace(0, 1, whole("grid", grid, 3, 100_000))
    found = algorithm.TOPPRA(
        limits, path, gridpoints=places, parametrizer="ParametrizeConstAccel"
    ).compute_trajectory(0, 0)
    if found is None:
        raise ArgumentError("no timing keeps these limits: somewhere on the path gravity alone exceeds them")
    return Timed(found, float(found.duration), robot.n)  # type: ignore[attr-defined]
