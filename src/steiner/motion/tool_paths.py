"""The tool on a straight line or a circle: joint trajectories whose tool stays on the path to a stated tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steiner import dynamics, spatial
from steiner.analysis.ranges import ranges
from steiner.errors import ArgumentError, described
from steiner.kernels.arguments import array_of
from steiner.kernels.compile import compile as compiled
from steiner.model.robot import Robot
from steiner.motion.reach import inverse_kinematics
from steiner.motion.trajectories import Piecewise, Trajectory, finite, positive, quintic, through, trapezoid
from steiner.spatial import Pose
from steiner.spatial.poses import skew

FIRST, MOST = 17, 16_385  # nodes of the joint trajectory
SINGULAR = 1e-4  # smallest singular value of the Jacobian by the largest one
TOLERANCE = 1e-8  # m and rad


@dataclass(frozen=True)
class _Path:
    """A tool's motion over s = 0 … 1: turned by s·turn, swung about a centre by s·swing, shifted by s·shift."""

    start: Pose
    turn: np.ndarray
    swing: np.ndarray
    centre: np.ndarray
    shift: np.ndarray
    turns: bool  # whether the orientation is asked for too

    def at(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Matrices (k, 4, 4), d/ds and d²/ds² of (angle, position): (k, 6) each."""
        arm = _rotations(self.swing, s) @ (np.asarray(self.start.p, float) - self.centre)
        T = np.tile(np.eye(4), (len(s), 1, 1))
        T[:, :3, :3] = _rotations(self.turn, s) @ np.asarray(self.start.R, float)
        T[:, :3, 3] = self.centre + arm + s[:, None] * self.shift
        first, second = np.zeros((2, len(s), 6))
        first[:, :3], first[:, 3:] = self.turn, np.cross(self.swing, arm) + self.shift
        second[:, 3:] = np.cross(self.swing, np.cross(self.swing, arm))
        return T, first, second


def line(
    robot: Robot,
    q0: Any,
    to: Any,
    duration: float | None = None,
    *,
    velocity: float | None = None,
    acceleration: float | None = None,
    link: str | None = None,
    tolerance: float = TOLERANCE,
) -> Piecewise:
    """The tool in a straight line from where it is at q0 to a Pose, or to a point (3,) with its orientation free.

    Timed by a quintic over `duration`, or by a trapezoid of `velocity` (m/s) and `acceleration` (m/s²).  `link` is
    the tool, the last link by default.  The joints move on quintics between as many nodes as keep the tool within
    `tolerance` (m and rad) of the line; limits of joints and singular poses on the way are told.
    """
    start = _start(robot, q0, link)
    if isinstance(to, Pose):
        R, p = (np.asarray(x, float) for x in (to.R, to.p))
        turn = spatial.log(Pose(R @ np.asarray(start.R, float).T))[:3]
    else:
        p, turn = _vector("to", to), np.zeros(3)
    still = np.zeros(3)
    path = _Path(start, turn, still, np.asarray(start.p, float), p - start.p, isinstance(to, Pose))
    length = float(np.linalg.norm(path.shift))
    timing = _timing(duration, velocity, acceleration, length, "line")
    return _followed(robot, q0, path, timing, link, tolerance, "line")


def circle(
    robot: Robot,
    q0: Any,
    centre: Any,
    axis: Any,
    angle: float = 2 * np.pi,
    duration: float | None = None,
    *,
    velocity: float | None = None,
    acceleration: float | None = None,
    orientation: str = "keep",
    link: str | None = None,
    tolerance: float = TOLERANCE,
) -> Piecewise:
    """The tool on an arc about `axis` through `centre` (world), from where it is at q0, by `angle`.

    orientation="keep": the tool's axes stay parallel; "follow": they turn with it; "free": only its origin matters.
    Timing and tolerance as for `line`.
    """
    if orientation not in ("keep", "follow", "free"):
        raise ArgumentError(f"circle: orientation={described(orientation)}; expected 'keep', 'follow' or 'free'")
    start, c, a = _start(robot, q0, link), _vector("centre", centre), _vector("axis", axis)
    if not np.linalg.norm(a) > 0:
        raise ArgumentError("circle: axis is zero; expected a direction such as (0, 0, 1)")
    swing = a / np.linalg.norm(a) * float(finite(angle, "angle"))
    arm = np.asarray(start.p, float) - c
    radius = float(np.linalg.norm(arm - a * (a @ arm) / (a @ a)))
    if radius < 1e-12:
        raise ArgumentError("circle: the tool is on the axis; it would not move")
    turn = swing if orientation == "follow" else np.zeros(3)
    path = _Path(start, turn, swing, c, np.zeros(3), orientation != "free")
    length = radius * float(np.linalg.norm(swing))
    timing = _timing(duration, velocity, acceleration, length, "circle")
    return _followed(robot, q0, path, timing, link, tolerance, "circle")


# ---- from the tool's path to the joints ------------------------------------------------------------


def _followed(
    robot: Robot, q0: Any, path: _Path, timing: Trajectory, link: str | None, tolerance: float, what: str
) -> Piecewise:
    name = robot.tree.tip if link is None else link
    start = finite(q0, "q0")
    goal = positive(tolerance, "tolerance")
    tool = _Tool(robot, name, path, timing, what)
    knots = np.linspace(0, timing.duration, FIRST)
    found = tool.first(start, knots)
    while True:
        off = tool.deviation(found)
        if off <= goal:
            return found
        if len(knots) >= MOST:
            raise ArgumentError(f"{what}: the tool stays only within {off:.2g} of the path; ask for a larger tolerance")
        knots = np.linspace(0, timing.duration, 2 * len(knots) - 1)
        found = tool.through(knots, found)


class _Tool:
    """A link that follows a path in time."""

    def __init__(self, robot: Robot, link: str, path: _Path, timing: Trajectory, what: str) -> None:
        self.robot, self.link, self.path, self.timing, self.what = robot, link, path, timing, what
        self.rows = slice(0, 6) if path.turns else slice(3, 6)

        def twist(robot: Any, q: Any, qd: Any) -> Any:
            return dynamics.jacobian(robot, q, link, "aligned") @ qd

        self.twist = compiled(twist, robot, derivatives=("q", "qd"))  # twist, its drift per q, and the Jacobian

    def wanted(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The tool's matrices, twists and accelerations at some times."""
        s, sd, sdd = self.timing(t)
        T, first, second = self.path.at(s[:, 0])
        return T, first * sd, first * sdd + second * sd**2

    def first(self, q: np.ndarray, knots: np.ndarray) -> Piecewise:
        """Node after node, each from the one before."""
        places, states = self.wanted(knots)[0], [q]
        for k in range(1, len(knots)):
            states.append(self.solved(places[k : k + 1], states[-1][None], knots[k : k + 1])[0])
        from scipy.interpolate import CubicSpline

        spline = CubicSpline(knots, np.array(states))
        return self.smooth(knots, np.array(states), spline(knots, 1), spline(knots, 2))

    def through(self, knots: np.ndarray, guess: Piecewise) -> Piecewise:
        """At other nodes, near a trajectory."""
        q, qd, qdd = guess(knots)
        return self.smooth(knots, self.solved(self.wanted(knots)[0], q, knots), qd, qdd)

    def solved(self, places: np.ndarray, guess: np.ndarray, t: np.ndarray) -> np.ndarray:
        """Joint values that put the tool there, near a guess."""
        target = places if self.path.turns else places[:, :3, 3]
        found = inverse_kinematics(self.robot, target, link=self.link, q0=guess, restarts=0)
        if not np.all(found.reached):
            k = int(np.argmin(found.reached))
            bounds = ranges(self.robot)
            stuck = np.flatnonzero((found.q[k] <= bounds.lower) | (found.q[k] >= bounds.upper))
            reason = f": joint {self.robot.joint_names[stuck[0]]!r} is at its limit" if len(stuck) else ""
            near = ", ".join(f"{x:.4g}" for x in places[k, :3, 3])
            raise ArgumentError(f"{self.what}: at {t[k]:.4g} s the tool does not get to ({near}) m{reason}")
        return found.q

    def smooth(self, knots: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> Piecewise:
        """Quintics whose tool moves as wanted at the nodes; what that leaves open is as in the guess given."""
        _, V, A = self.wanted(knots)
        J = self.twist(q, qd)[2][:, self.rows]
        inverse = np.linalg.pinv(J)
        size = np.linalg.svd(J, compute_uv=False)
        if J.shape[2] < J.shape[1] or (size[:, -1] < SINGULAR * size[:, 0]).any():
            k = int(np.argmin(size[:, -1] / size[:, 0]))
            raise ArgumentError(
                f"{self.what}: at {knots[k]:.4g} s the arm is singular (or has too few joints): in some direction "
                "its tool cannot move; start elsewhere, or leave the orientation free (a point instead of a pose)"
            )
        qd = qd + np.einsum("kij,kj->ki", inverse, V[:, self.rows] - np.einsum("kij,kj->ki", J, qd))
        drift = np.einsum("kij,kj->ki", self.twist(q, qd)[1], qd)[:, self.rows]
        qdd = qdd + np.einsum("kij,kj->ki", inverse, A[:, self.rows] - drift - np.einsum("kij,kj->ki", J, qdd))
        return through(knots, q, qd, qdd)

    def deviation(self, found: Piecewise) -> float:
        """How far the tool is from the path between the nodes: m or rad."""
        t = (found.knots[:-1, None] + np.diff(found.knots)[:, None] * [0.25, 0.5, 0.75]).ravel()
        wanted, have = self.wanted(t)[0], self.robot.forward_kinematics(found(t)[0], self.link).matrix
        off = np.linalg.norm(wanted[:, :3, 3] - have[:, :3, 3], axis=1).max()
        if self.path.turns:
            off = max(off, np.linalg.norm(wanted[:, :3, :3] - have[:, :3, :3], axis=(1, 2)).max() / np.sqrt(2))
        return float(off)


def _start(robot: Robot, q0: Any, link: str | None) -> Pose:
    q = finite(q0, "q0")
    if q.shape != (robot.n,):
        raise ArgumentError(f"q0: expected {robot.n} numbers, got shape {q.shape}")
    return robot.forward_kinematics(q, robot.tree.tip if link is None else link)


def _timing(duration: Any, velocity: Any, acceleration: Any, length: float, what: str) -> Trajectory:
    if duration is not None and velocity is None and acceleration is None:
        return quintic([0.0], [1.0], duration)
    if duration is None and velocity is not None and acceleration is not None:
        if not length > 0:
            raise ArgumentError(f"{what}: the tool's origin stays where it is; give a duration")
        v, a = (positive(x, name) / length for x, name in ((velocity, "velocity"), (acceleration, "acceleration")))
        return trapezoid([0.0], [1.0], velocity=v, acceleration=a)
    raise ArgumentError(f"{what}: give a duration, or velocity (m/s) and acceleration (m/s²)")


def _vector(what: str, values: Any) -> np.ndarray:
    found = array_of(what, values)
    if found.shape != (3,):
        raise ArgumentError(f"{what}: expected 3 numbers, got {described(values)}")
    return finite(found, what)


def _rotations(axis_angle: np.ndarray, s: np.ndarray) -> np.ndarray:
    """exp(s [w]) by Rodrigues' formula, (k, 3, 3)."""
    angle = float(np.linalg.norm(axis_angle))
    if angle == 0:
        return np.tile(np.eye(3), (len(s), 1, 1))
    K = np.asarray(skew(axis_angle / angle), float)
    x = (s * angle)[:, None, None]
    return np.eye(3) + np.sin(x) * K + (1 - np.cos(x)) * (K @ K)
