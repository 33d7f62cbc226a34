"""Inverse kinematics: joint values at which a link has a pose, by damped least squares, one kernel per step.

The step Δq = Jᵀ (J Jᵀ + λ)⁻¹ e has λ proportional to the square of what is missing (Sugihara 2011): quadratic near
a solution, and harmless near a singularity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner import dynamics
from steiner.analysis.ranges import Ranges, ranges
from steiner.dynamics.composite import solve
from steiner.errors import ArgumentError, described, whole
from steiner.kernels.arguments import array_of
from steiner.kernels.compile import compile as compiled
from steiner.model.answers import Reach
from steiner.model.robot import Robot
from steiner.motion.trajectories import finite, positive
from steiner.scalar import select, total
from steiner.spatial import Pose
from steiner.spatial.poses import vee

TOLERANCE = 1e-10  # rad, and m per metre of the arm
FLAT = 1 / 8  # 1 + cos θ below which a half turn's tangent is not followed further
LEAST_DAMPING = 1e-24


def turned(E: Any) -> Any:
    """2 tan θ/2 about the axis of a rotation: its angle where that is small, and no more than a flat turn's."""
    opened = (E[0, 0] + E[1, 1] + E[2, 2] + 1) / 2  # 1 + cos θ
    return vee(E - E.T) / select(opened - FLAT, opened, FLAT)


def step(robot: Any, q: Any, target: Any, scale: Any, free: Any, *, link: str, turns: bool = True) -> Any:
    """One step of damped least squares, and what was missing before it: (Δq, |rotation|², |distance|²).

    `target` is R by rows, then p; `scale` (1/m) weighs metres against radians; `free` is 0 for joints that stay.
    """
    at = dynamics.forward_kinematics(robot, q, link)
    J = dynamics.jacobian(robot, q, link, "aligned")
    k = scale[0]
    away = [target[9 + i] - at.p[i] for i in range(3)]
    missing, rows = [k * x for x in away], [[k * x for x in J[3 + i]] for i in range(3)]
    angle = 0
    if turns:
        E = np.array(target[:9]).reshape(3, 3) @ at.R.T  # what turns the link to the target
        w = turned(E)
        missing, rows = [*w, *missing], [*(list(J[i]) for i in range(3)), *rows]
        angle = _dot(w, w)
    rows = [[x * f for x, f in zip(row, free, strict=True)] for row in rows]
    damping = _dot(missing, missing) / 100 + LEAST_DAMPING
    m = len(rows)
    A = [[_dot(rows[i], rows[j]) + (damping if i == j else 0) for j in range(m)] for i in range(m)]
    y = solve(A, missing, ("pose",) * m)
    dq = [total(row[j] * x for row, x in zip(rows, y, strict=True)) for j in range(len(q))]
    return np.array(dq), np.array([angle, _dot(away, away)])


def _dot(a: Any, b: Any) -> Any:
    return total(x * y for x, y in zip(a, b, strict=True))


def inverse_kinematics(
    robot: Robot,
    pose: Any,
    *,
    link: str | None = None,
    q0: Any = None,
    restarts: int = 20,
    tolerance: float = TOLERANCE,
    steps: int = 200,
    seed: int = 0,
) -> Reach:
    """Joint values at which a link (the last by default) has a pose in the world, within the joints' limits.

    `pose` is a Pose, a point (3,) that the link's origin shall reach, or a batch of either as (…, 4, 4) or (…, 3).
    It starts at `q0` (the middle of the limits, if none is given), and where that does not lead there at `restarts`
    other places, drawn with `seed`.  Where nothing does, the nearest found is returned with `reached` False.
    """
    name = robot.tree.tip if link is None else link
    i, _ = robot.tree.place(name)
    if i < 0:
        raise ArgumentError(f"inverse_kinematics: link {name!r} cannot move")
    target, turns, batch = _targets(pose)
    bounds = ranges(robot)
    low, high = (np.where(np.isfinite(x), x, s * np.pi) for x, s in ((bounds.lower, -1), (bounds.upper, 1)))
    start = (low + high) / 2 if q0 is None else finite(q0, "q0")
    if start.shape not in ((robot.n,), (*batch, robot.n)):
        raise ArgumentError(f"q0: expected {robot.n} numbers, or as many for each pose, got shape {start.shape}")
    start = np.broadcast_to(start, (*batch, robot.n)).reshape(-1, robot.n)
    goal = positive(tolerance, "tolerance")
    search = _Search(robot, name, turns, bounds, goal, whole("steps", steps, 1, 100_000))
    best, missing, spent = search.run(np.clip(start, bounds.lower, bounds.upper), target)
    random = np.random.default_rng(whole("seed", seed, 0, 2**63))
    for _ in range(whole("restarts", restarts, 0, 1_000_000)):
        open_ = np.flatnonzero(missing.max(axis=1) > search.goal)
        if not len(open_):
            break
        q, other, more = search.run(random.uniform(low, high, (len(open_), robot.n)), target[open_])
        nearer = other.max(axis=1) < missing[open_].max(axis=1)
        best[open_[nearer]], missing[open_[nearer]] = q[nearer], other[nearer]
        spent += more
    rotation, distance = missing.T.reshape(2, *batch) / np.array([1, search.scale]).reshape(2, *(1,) * len(batch))
    reached = missing.max(axis=1).reshape(batch) <= search.goal
    return Reach(best.reshape(*batch, robot.n), rotation, distance, reached, spent)


class _Search:
    """Many searches side by side, each with its own target."""

    def __init__(self, robot: Robot, link: str, turns: bool, bounds: Ranges, goal: float, steps: int) -> None:
        self.bounds, self.goal, self.steps = bounds, goal, steps
        self.scale = 1 / max(_size(robot), 1e-9)
        shapes = {"target": 12, "scale": 1, "free": robot.n}

        def one(robot: Any, q: Any, target: Any, scale: Any, free: Any) -> Any:
            return step(robot, q, target, scale, free, link=link, turns=turns)

        self.step = compiled(one, robot, shapes=shapes)

    def run(self, q: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """Joint values, what is missing (rad, and m by the arm's size) there, and steps taken."""
        q = q.copy()
        best, missing = q.copy(), np.full((len(q), 2), np.inf)
        active = np.arange(len(q))
        free = np.ones_like(q)
        spent = 0
        for _ in range(self.steps):
            if not len(active):
                break
            spent += 1
            scale = np.full((len(active), 1), self.scale)
            dq, squares = self.step(q[active], target[active], scale, free[active])
            now = np.sqrt(squares) * [1, self.scale]
            nearer = now.max(axis=1) < missing[active].max(axis=1)
            rows = active[nearer]
            best[rows], missing[rows] = q[rows], now[nearer]
            dq *= np.minimum(1, 1 / np.maximum(np.abs(dq).max(axis=1, keepdims=True), 1e-300))  # a radian at most
            moved = q[active] + dq
            held = np.clip(moved, self.bounds.lower, self.bounds.upper)
            blocked = held != moved
            # joints that were pushed against a stop stay there for one step, so that the others take over
            free[active] = np.where(blocked, 0.0, 1.0)
            q[active] = held
            stuck = np.abs(dq).max(axis=1) < 1e-14
            active = active[~((missing[active].max(axis=1) <= self.goal / 100) | stuck)]
        return best, missing, spent


def _size(robot: Robot) -> float:
    """Metres from the ground to the furthest link along its mounts: makes metres comparable with radians."""
    reach: list[float] = []
    for body in robot.tree.bodies:
        before = reach[body.parent] if body.parent >= 0 else 0.0
        reach.append(before + float(np.linalg.norm(np.asarray(body.mount.p, float))))
    return max(reach, default=1.0) or 1.0


def _targets(pose: Any) -> tuple[np.ndarray, bool, tuple[int, ...]]:
    """Targets as rows (k, 12), whether they say an orientation, and the batch."""
    if isinstance(pose, Pose):
        R, p = (np.asarray(x, float) for x in (pose.R, pose.p))
        return np.concatenate([R.ravel(), p])[None], True, ()
    values = array_of("pose", pose)
    if values.dtype.kind not in "iuf" or not np.all(np.isfinite(values)):
        raise ArgumentError(f"pose: expected finite numbers, got {described(pose)}")
    if values.shape[-2:] == (4, 4):
        T = values.reshape(-1, 4, 4).astype(float)
        if np.abs(T[:, :3, :3] @ T[:, :3, :3].swapaxes(1, 2) - np.eye(3)).max() > 1e-9:
            raise ArgumentError("pose: the upper 3×3 of some matrix is no rotation")
        return np.concatenate([T[:, :3, :3].reshape(-1, 9), T[:, :3, 3]], axis=1), True, values.shape[:-2]
    if values.shape[-1:] == (3,):
        p = values.reshape(-1, 3).astype(float)
        return np.concatenate([np.tile(np.eye(3).ravel(), (len(p), 1)), p], axis=1), False, values.shape[:-1]
    raise ArgumentError(f"pose: expected a Pose, matrices (…, 4, 4) or points (…, 3), got shape {values.shape}")
