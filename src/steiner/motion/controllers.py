"""Feedback laws: callables (t, q, q̇) → τ, for one state or a batch of them.

    law = st.controllers.computed_torque(robot, path, kp=100, kd=20)
    motion = st.simulate(robot, q0, qd0, 2.0, tau=law)

Gains are one number for all joints or one per joint.  Left out, they are the robot's own: errors decay with 10/s and
do not swing, kp = ω² m and kd = 2 √(kp m) with ω = 10/s and m the inertia about each joint, which is M's diagonal
where the target begins (1 for a law that knows the masses: computed torque).

A law that is `sampled` acts every `period` seconds and holds its torque in between; only such laws may remember
something (PID, rate limits, delay).  Laws at the tool, towards a joint vector, along polynomials or Fourier series are
`traced`: simulations run them in native code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, final

import numpy as np

from steiner import dynamics
from steiner.analysis.ranges import ranges
from steiner.errors import ArgumentError, described, need, whole
from steiner.kernels.arguments import array_of
from steiner.model.robot import Robot
from steiner.model.tree import Tree
from steiner.motion.sampled_laws import Digital, Law, Pid, Sampled
from steiner.motion.steps import where
from steiner.motion.tool_laws import AtTool, exerting, on_springs
from steiner.motion.trajectories import (
    Fourier,
    Piecewise,
    Trajectory,
    finite,
    positive,
    traced_polynomials,
    traced_waves,
)
from steiner.scalar import Frozen
from steiner.spatial import Pose, Wrench

PACE = 10.0  # 1/s: errors decay so fast where no gains are given
REST = 1e-9  # rad/s, m/s: a path slower than this rests; the sign of what rounding leaves would rattle friction
PIECES = 8  # of a trajectory that is traced: all of them are in the code, of more only one at a time
FOREVER = 1e12  # s


# The texts of laws, for numbers and for what is traced: (model, what is wanted, kp, kd, q, q̇) → τ.


def _float(model: Any, wanted: Any, kp: Any, kd: Any, q: Any, qd: Any) -> Any:
    return model.static_torque(q) - kd * qd


def _springs(model: Any, wanted: Any, kp: Any, kd: Any, q: Any, qd: Any) -> Any:
    at, rate, _ = wanted
    return kp * (at - q) + kd * (rate - qd)


def _held_springs(model: Any, wanted: Any, kp: Any, kd: Any, q: Any, qd: Any) -> Any:
    return _springs(model, wanted, kp, kd, q, qd) + model.static_torque(q)


def _computed(model: Any, wanted: Any, kp: Any, kd: Any, q: Any, qd: Any) -> Any:
    asked = wanted[2] + _springs(model, wanted, kp, kd, q, qd)
    return model.inverse_dynamics(q, np.broadcast_to(qd, q.shape), np.broadcast_to(asked, q.shape))


def _ahead(model: Any, wanted: Any, kp: Any, kd: Any, q: Any, qd: Any) -> Any:
    at, rate, acceleration = wanted
    moving = where(abs(rate) - REST, rate, 0 * rate)
    return model.inverse_dynamics(at, moving, acceleration) + _springs(model, wanted, kp, kd, q, qd)


@dataclass(frozen=True)
class _Model:
    """The algorithms of a tree, by the names that a robot has for them."""

    tree: Tree

    def __getattr__(self, name: str) -> Any:
        return partial(getattr(dynamics, name), self.tree)


@final
@dataclass(frozen=True)
class Traced(Frozen):
    """A law as functions for `compile` are; gains, knots and coefficients are `numbers` that its code reads.

    Equal laws share their code: those of one text and one model, whose targets have as many pieces and powers (no
    pieces: a Fourier series).  Of a target of many pieces the code knows one, and `later` are the times from which on
    it is given other numbers.
    """

    text: Callable[..., Any]
    tree: Tree  # that it believes in; that of the robot it steers may be another
    pieces: int
    numbers: np.ndarray = field(compare=False)
    later: tuple[tuple[float, np.ndarray], ...] = field(compare=False, default=())

    def __call__(self, robot: Any, t: Any, q: Any, qd: Any, numbers: Any = None) -> Any:
        """τ of one state."""
        n = self.tree.n
        if len(q) != n:
            raise ArgumentError(f"tau: the law is one of {n} joints, the robot has {len(q)}")
        given = np.asarray(self.numbers if numbers is None else numbers)
        kp, kd, knots, rest = np.split(given, [n, 2 * n, 2 * n + (self.pieces + 1 if self.pieces else 2)])
        if self.pieces:
            wanted = traced_polynomials(t, knots, rest.reshape(self.pieces, -1, n))
        else:
            offset, *waves = rest.reshape(-1, n)
            half = len(waves) // 2
            wanted = traced_waves(t, knots[0], knots[1], offset, waves[:half], waves[half:])
        return self.text(_Model(self.tree), wanted, kp, kd, q, qd)


@final
@dataclass(frozen=True, eq=False)
class Continuous(Frozen):
    """A law of a text, gains and a target."""

    text: Callable[..., Any]
    model: Robot
    target: Any
    wanted: Callable[[Any], Any]  # the target as a function of time
    kp: np.ndarray
    kd: np.ndarray

    def __call__(self, t: Any, q: Any, qd: Any) -> Any:
        """τ of one state or a batch of them."""
        return self.text(self.model, self.wanted(t), self.kp, self.kd, q, qd)

    @cached_property
    def traced(self) -> Traced | None:
        """The same for `compile`, if the target is one joint vector, polynomials or a Fourier series."""
        path = self.target
        if not callable(path):
            path = Piecewise(np.array([0.0, 1.0]), path[None, None]) if path.ndim == 1 else None
        if not isinstance(path, Piecewise | Fourier) or self.model.is_symbolic:
            return None

        def numbers(knots: Any, coefficients: Any) -> np.ndarray:
            return np.concatenate([self.kp, self.kd, knots, np.ravel(coefficients)])

        if isinstance(path, Fourier):
            waves = np.concatenate([path.offset[None], path.sines, path.cosines])
            return Traced(self.text, self.model.tree, 0, numbers((path.duration, 2 * np.pi * path.frequency), waves))
        if len(path.coefficients) <= PIECES:
            return Traced(self.text, self.model.tree, len(path.coefficients), numbers(path.knots, path.coefficients))
        rest = np.zeros_like(path.coefficients[0])
        rest[0] = path(path.duration)[0]
        pieces = [(t, numbers((t, FOREVER), c)) for t, c in zip(path.knots, [*path.coefficients, rest], strict=True)]
        return Traced(self.text, self.model.tree, 1, pieces[0][1], tuple(pieces[1:]))


def _law(text: Callable[..., Any], robot: Robot, model: Robot | None, target: Any, kp: Any, kd: Any) -> Continuous:
    target = target if callable(target) else finite(target, "target")
    wanted, believed = _wanted(robot, target), _robot(model or robot)
    inertia = 1.0 if text is _computed or not (kp is None or kd is None) else _inertia(believed, wanted)
    springs = _gains(robot, PACE**2 * inertia if kp is None else kp, "kp")
    dampers = _gains(robot, 2 * np.sqrt(springs * inertia) if kd is None else kd, "kd")
    return Continuous(text, believed, target, wanted, springs, dampers)


def _inertia(robot: Robot, wanted: Callable[[Any], Any]) -> np.ndarray:
    """About each joint, where the target begins; of a batch of targets the largest."""
    if robot.is_symbolic:
        raise ArgumentError(f"kp and kd: {robot.name} holds symbols, so its gains have to be given")
    M = robot.mass_matrix(np.asarray(wanted(0.0)[0], dtype=float))
    return np.diagonal(M, axis1=-2, axis2=-1).reshape(-1, robot.n).max(axis=0)


def gravity_compensation(robot: Robot, *, kd: Any = 0.0) -> Continuous:
    """τ = g(q) − kd q̇: the arm floats, and comes to rest where it is left.  Springs of the joints are held too."""
    return _law(_float, robot, None, np.zeros(_robot(robot).n), 0.0, kd)


def pd(robot: Robot, target: Any, *, kp: Any = None, kd: Any = None, gravity: bool = True) -> Continuous:
    """τ = kp (q* − q) + kd (q̇* − q̇) + g(q): `target` is a joint vector or a trajectory.

    With `gravity` the law holds the weight, and the springs of the joints, where the arm is.
    """
    return _law(_held_springs if gravity else _springs, robot, None, target, kp, kd)


def computed_torque(
    robot: Robot, trajectory: Any, *, kp: Any = None, kd: Any = None, model: Robot | None = None
) -> Continuous:
    """τ = M(q) (q̈* + kd ė + kp e) + C q̇ + g + springs + friction: each joint's error obeys ë + kd ė + kp e = 0.

    `model` is what the controller believes of the robot, if that is not the truth.
    """
    return _law(_computed, robot, model, trajectory, kp, kd)


def feed_forward(
    robot: Robot, trajectory: Any, *, kp: Any = None, kd: Any = None, model: Robot | None = None
) -> Continuous:
    """τ = τ(q*, q̇*, q̈*) + kp e + kd ė: the torques that the trajectory needs, computed ahead, and a PD law around."""
    return _law(_ahead, robot, model, trajectory, kp, kd)


def impedance(
    robot: Robot, pose: Pose, *, stiffness: Any, damping: Any, link: str | None = None, kd: Any = 0.0
) -> AtTool:
    """τ = Jᵀ(K Δx − D V) + g − kd q̇: the tool behaves as on springs and dampers that hold it at `pose`.

    `stiffness` and `damping` are one number, or six in the world's axes: about x, y, z (N m/rad), along them (N/m).
    """
    need("pose", pose, Pose)
    name = _link(robot, link)
    K, D = (_six(x, what) for x, what in ((stiffness, "stiffness"), (damping, "damping")))
    return on_springs(robot, name, pose, K, D, _gains(robot, kd, "kd"))


def force(robot: Robot, wrench: Wrench, *, kd: Any = 0.0) -> AtTool:
    """τ = JᵀF + g − kd q̇: the robot exerts `wrench` on what its link touches (`Wrench(acting_on=link, force=…)`)."""
    need("wrench", wrench, Wrench)
    return exerting(_robot(robot), wrench, _gains(robot, kd, "kd"))


# ---- laws that act at their own pace ---------------------------------------------------------------


def pid(
    robot: Robot, target: Any, *, kp: Any = None, ki: Any = None, kd: Any = None, period: float, limit: Any = None,
    gravity: bool = False,
) -> Pid:  # fmt: skip
    """PID with anti-windup: the integral stands still while the torque is at its limit and would grow.

    Gains that are not given make (s + ω)³ of a joint that moves alone, ω by `kp`, where the target begins; `limit` is
    the largest torque, by default the joints' effort limits.
    """
    top = ranges(robot).effort if limit is None else _bound(robot, limit, "limit")
    wanted = _wanted(robot, target)
    inertia = _inertia(robot, wanted) if any(x is None for x in (kp, ki, kd)) else 1.0
    P = _gains(robot, 3 * PACE**2 * inertia if kp is None else kp, "kp")
    pace = np.sqrt(P / (3 * inertia))
    I = _gains(robot, pace**3 * inertia if ki is None else ki, "ki")
    D = _gains(robot, 3 * pace * inertia if kd is None else kd, "kd")
    return Pid(robot, wanted, P, I, D, positive(period, "period"), top, gravity)


def sampled(
    law: Law, robot: Robot, *, period: float, delay: float = 0.0, limit: Any = None, rate: Any = np.inf,
    resolution: Any = 0.0, noise: Any = (0.0, 0.0), seed: int = 0,
) -> Digital:  # fmt: skip
    """A law as a machine runs it: every `period` seconds, its torque `delay` seconds late (a multiple of the period).

    `limit` (N m, N; the joints' own by default) and `rate` (N m/s, from the first torque on) bound the torque, `noise`
    are the standard deviations of measured positions and velocities, drawn with `seed`, and `resolution` (rad, m) is
    what measured positions are rounded to.
    """
    step = positive(period, "period")
    late = float(finite(delay, "delay")) / step
    if late < 0 or abs(late - round(late)) > 1e-6:
        raise ArgumentError(f"delay={described(delay)}: expected a multiple of the period {step:g} s")
    if isinstance(law, Sampled) and law.period != step:
        raise ArgumentError(f"period={step:g} s, but the law acts every {law.period:g} s")
    if not callable(law):
        raise ArgumentError(f"sampled: expected a law, a function (t, q, qd), got {described(law)}")
    top = ranges(robot).effort if limit is None else _bound(robot, limit, "limit")
    change, fine = _bound(robot, rate, "rate"), _gains(robot, resolution, "resolution")
    if not isinstance(noise, tuple | list) or len(noise) != 2:
        raise ArgumentError(f"noise={described(noise)}: expected two, of positions and of velocities")
    levels = (_gains(robot, noise[0], "noise"), _gains(robot, noise[1], "noise"))
    return Digital(law, step, round(late), top, change, fine, levels, whole("seed", seed, 0, 2**63))


# ---- what comes in ---------------------------------------------------------------------------------


def _robot(robot: Any) -> Robot:
    return need("robot", robot, Robot)


def _gains(robot: Robot, value: Any, what: str) -> np.ndarray:
    found = finite(value, what)
    if found.shape not in ((), (_robot(robot).n,)):
        raise ArgumentError(f"{what}: expected one number, or {robot.n}, got shape {found.shape}")
    if np.any(found < 0):
        raise ArgumentError(f"{what}: {described(value)} is negative; expected 0 or more")
    return np.broadcast_to(found, (robot.n,))


def _bound(robot: Robot, value: Any, what: str) -> np.ndarray:
    """What may be infinite: no bound."""
    given = array_of(what, value)
    if given.dtype.kind != "f" or not np.isinf(given).any():
        return _gains(robot, given, what)
    _gains(robot, np.where(given == np.inf, 0.0, given), what)
    return np.broadcast_to(given, (robot.n,))


def _six(value: Any, what: str) -> np.ndarray:
    found = finite(value, what)
    if found.shape not in ((), (6,)) or np.any(found < 0):
        raise ArgumentError(f"{what}: expected one number or six, none negative, got {described(value)}")
    return np.broadcast_to(found, (6,))


def _link(robot: Robot, link: str | None) -> str:
    tree = _robot(robot).tree
    name = tree.tip if link is None else link
    tree.place(name)
    return name


def _wanted(robot: Robot, target: Any) -> Callable[[Any], Any]:
    """The target as a function of time."""
    if isinstance(target, Trajectory):
        if target.n != _robot(robot).n:
            raise ArgumentError(f"{robot.name} has {robot.n} joints, the trajectory {target.n}")
        return target
    if callable(target):
        return target
    q = finite(target, "target")
    if q.shape[-1:] != (_robot(robot).n,):
        raise ArgumentError(f"target: expected {robot.n} joint values or a trajectory, got shape {q.shape}")
    still = np.zeros_like(q)
    return lambda t: (q, still, still)
