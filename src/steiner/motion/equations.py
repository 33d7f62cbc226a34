"""The law of motion under all that acts: q̈, the efforts and the powers at a state and a time, as one tape.

Friction that jumps at rest is set-valued: a joint slides one way (`way` ±1) or sticks (`free` 0), and which it does is
an input.  While that stays, everything is smooth: a law of torques that compensates friction jumps at rest too, so it
sees a sliding joint's rate on the side of its way, and never crosses rest within a step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from steiner import dynamics
from steiner.backends import compile_tape, default_backend
from steiner.dynamics.composite import solve
from steiner.dynamics.energy import momenta, velocities
from steiner.dynamics.kinematics import poses_in_parent, screws
from steiner.dynamics.newton_euler import inward
from steiner.errors import ArgumentError, TraceError, described
from steiner.kernels.arguments import filled, floats_of, form, with_wrenches, wrenches
from steiner.kernels.prepare import cheapest
from steiner.locks import LOCK
from steiner.model.robot import Robot
from steiner.model.tree import Tree
from steiner.motion.asked import asked
from steiner.motion.steps import larger
from steiner.motion.torques import Torques
from steiner.motion.varied import Varied
from steiner.scalar import sign
from steiner.trace import Tape

SOURCES = ("motors", "friction", "environment")  # of the powers, and of the work that they do
BARELY = 1e-100  # the least rate of a joint that slides


def sliding_friction(tree: Tree, qd: Any, way: Any) -> np.ndarray:
    """Efforts against friction of joints that slide the ways given."""
    tau = np.zeros(tree.n, dtype=object)
    for body in tree.bodies:
        j, k = body.joint, body.index
        if j.friction is not None:
            m = j.multiplier
            tau[k] = tau[k] + m * j.friction.sliding(m * qd[k], sign(m) * way[k])
    return tau


def held(robot: Robot) -> np.ndarray:
    """What friction can hold at rest, (2, n): against motion backward and forward."""
    rest = np.zeros(robot.n)
    return np.array([sliding_friction(robot.tree, rest, np.full(robot.n, way)) for way in (-1.0, 1.0)], dtype=float)


class Code:
    """A tape of equations, its kernel, and the kernels of the steps made of it, by method."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.steps: dict[str, Any] = {}

    @cached_property
    def kernel(self) -> Any:
        """The tape, compiled."""
        return compile_tape(self.tape)

    def __call__(self, *rows: np.ndarray) -> list[np.ndarray]:
        """The results for rows of its inputs."""
        results = [np.zeros((len(rows[1]), o.size)) for o in self.tape.outputs]
        self.kernel([np.ascontiguousarray(x, dtype=float) for x in rows], results, len(rows[1]))
        return results


_CODES: WeakKeyDictionary[Robot, dict[Any, Code]] = WeakKeyDictionary()
KEPT = 32  # codes per robot


def _kept(robot: Robot, key: Any, make: Callable[[], Tape]) -> Code:
    """The code of a robot's equations, made once."""
    with LOCK:
        codes = _CODES.setdefault(robot, {})
        if key not in codes:
            while len(codes) >= KEPT:
                codes.pop(next(iter(codes)))
            codes[key] = Code(make())
        return codes[key]


class Equations:
    """What a robot does under its torques, wrenches and friction."""

    def __init__(
        self, robot: Robot, torques: Torques, external: Any, friction: bool, batch: tuple[int, ...], varied: Varied
    ) -> None:
        self.robot, self.torques, self.external, self.friction, self.batch = robot, torques, external, friction, batch
        self.varied, self._numbers = varied, varied.rows(batch)
        self.loads = self._given(0.0) if callable(external) else wrenches(external)
        limits = np.abs(held(robot)) if friction else np.zeros((2, robot.n))
        self.holds = limits if limits.any() else None  # backward, forward; None: nothing sticks
        self.sticky = limits.any(axis=0)  # joints that may stick

    @property
    def is_asked(self) -> bool:
        """Whether Python functions have to be asked at every stage."""
        return self.torques.function is not None or callable(self.external)

    @cached_property
    def inputs(self) -> list[tuple[str, int]]:
        """Names and lengths of what the tape reads after t, q and q̇."""
        n, given = self.robot.n, []
        if self.torques.samples is not None or self.torques.function is not None:
            given.append(("tau", n))
        if self.torques.numbers is not None:
            given.append(("law", len(self.torques.numbers)))
        given += [(f"wrench{k}", 9 if np.any(w.at) else 6) for k, w in enumerate(self.loads)]
        return given + ([("way", n)] if self.holds is not None else []) + self.tail

    @property
    def tail(self) -> list[tuple[str, int]]:
        """Of these the last: numbers of the robot, and which joints are free, if some may stick."""
        return [*self.varied.inputs, *([("free", self.robot.n)] if self.holds is not None else [])]

    @property
    def tape(self) -> Tape:
        """q̈, τ, the powers of the sources, and the efforts of friction."""
        return self.code.tape

    @cached_property
    def code(self) -> Code:
        """The tape and what is made of it; kept with the robot."""
        return self._code_under_load("rates", self._rates)

    @cached_property
    def momentum(self) -> Code:
        """Momenta, their rates and the powers; kept with the robot."""
        return self._code_under_load("momenta", self._momenta)

    @cached_property
    def velocity(self) -> Code:
        """Rates q̇ of momenta at q; kept with the robot."""

        def text(tree: Tree, given: dict[str, Any]) -> list[Any]:
            free = (given["free"],) if "free" in given else ()
            return [solve(_left_alone(dynamics.mass_matrix(tree, given["q"]), *free), given["p"], tree.joint_names)]

        return self._code(("velocity",), [("q", self.robot.n), ("p", self.robot.n), *self.tail], text)

    @cached_property
    def _energies(self) -> Code:
        def text(tree: Tree, given: dict[str, Any]) -> list[Any]:
            kinetic = dynamics.kinetic_energy(tree, given["q"], given["qd"])
            return [np.array([kinetic, dynamics.potential_energy(tree, given["q"])], dtype=object)]

        return self._code(("energies",), [("q", self.robot.n), ("qd", self.robot.n), *self.varied.inputs], text)

    def _code_under_load(self, what: str, text: Callable[..., list[Any]]) -> Code:
        n = self.robot.n

        def loaded(tree: Tree, given: dict[str, Any]) -> list[Any]:
            t, q, qd = (given[name] for name in ("t", "q", "qd"))
            loads = [filled(w, given[f"wrench{k}"]) for k, w in enumerate(self.loads)]
            seen = self._seen(qd, given["way"]) if "way" in given else qd
            tau = self._traced(tree, t[0], q, seen, given) if self.torques.law else given.get("tau", np.zeros(n))
            return text(tree, q, qd, tau, loads, given)

        key = (what, *(form(w) for w in self.loads), self.torques.law, self.friction)
        return self._code(key, [("t", 1), ("q", n), ("qd", n), *self.inputs], loaded)

    def _code(self, key: tuple[Any, ...], names: list[tuple[str, int]], text: Callable[..., list[Any]]) -> Code:
        def given(nodes: Any) -> dict[str, Any]:
            return dict(zip((name for name, _ in names), nodes, strict=True))

        def tree(*nodes: Any) -> Tree:
            return self.varied.robot(self.robot, given(nodes)).tree

        def run(tree: Tree, *nodes: Any) -> tuple[list[Any], None]:
            return text(tree, given(nodes)), None

        start = tree if self.varied.shapes else self.robot.tree
        return _kept(
            self.robot, (*key, *names, default_backend()), lambda: cheapest(run, start, names, n=self.robot.n).tape
        )

    def _seen(self, qd: Any, way: Any) -> Any:
        """The rates that a law of torques sees."""
        return np.where(self.sticky, way * larger(way * qd, BARELY + 0 * qd), qd)

    def _traced(self, tree: Tree, t: Any, q: Any, qd: Any, given: dict[str, Any]) -> Any:
        assert self.torques.law is not None
        numbers = (given["law"],) if "law" in given else ()
        try:
            tau = np.asarray(self.torques.law(tree, t, q, qd, *numbers), dtype=object)
        except (TraceError, TypeError, AttributeError) as error:
            raise TraceError(
                f"tau: f(robot, t, q, qd) is traced, and that fails: {error}; a function (t, q, qd) is asked in Python"
            ) from error
        if tau.shape != (self.robot.n,):
            raise ArgumentError(f"tau: expected {self.robot.n} efforts from f(robot, t, q, qd), got shape {tau.shape}")
        return tau

    def _rates(self, tree: Tree, q: Any, qd: Any, tau: Any, loads: Any, given: Any) -> list[Any]:
        if self.holds is not None:
            qdd, drag = _set_valued(tree, q, qd, tau, loads, given["way"], given["free"])
        else:
            qdd = dynamics.forward_dynamics(tree, q, qd, tau, external=loads, friction=self.friction)
            drag = dynamics.friction_forces(tree, q, qd) if self.friction else np.zeros(tree.n)
        return [qdd, np.asarray(tau), self._powers(tree, q, qd, tau, drag, loads)[0], np.asarray(drag)]

    def _momenta(self, tree: Tree, q: Any, qd: Any, tau: Any, loads: Any, given: Any) -> list[Any]:
        """p = ∂L/∂q̇, ṗ = ∂L/∂q + τ − friction + JᵀF, and the powers."""
        drag = np.zeros(tree.n)
        if self.friction:
            drag = sliding_friction(tree, qd, given["way"]) if "way" in given else dynamics.friction_forces(tree, q, qd)
        powers, push = self._powers(tree, q, qd, tau, drag, loads)
        force = kinetic_slope(tree, q, qd) - dynamics.static_torque(tree, q) + tau - drag + push
        free = (given["free"],) if "free" in given else ()
        M = _left_alone(dynamics.mass_matrix(tree, q), *free)
        return [M @ qd, force * free[0] if free else force, powers]

    def _powers(self, tree: Tree, q: Any, qd: Any, tau: Any, drag: Any, loads: Any) -> tuple[np.ndarray, Any]:
        push = -dynamics.external_forces(tree, q, external=loads) if loads else np.zeros(tree.n)
        powers = [sum(np.asarray(f, dtype=object) * qd) for f in (tau, -np.asarray(drag), push)]
        return np.array(powers, dtype=object), push

    # ---- numbers -------------------------------------------------------------------------------

    def acting(self, t: np.ndarray, rows: np.ndarray, q: Any, qd: Any, modes: Any) -> list[np.ndarray]:
        """What the tape reads after t, q and q̇, at times and rows of the batch; functions are asked at one time."""
        given: list[np.ndarray] = []
        if self.torques.function is not None:
            seen = qd if self.holds is None else self._seen(qd, modes[0])
            given.append(self._asked(self.torques.function, float(t[0]), q, seen))
        elif self.torques.samples is not None:
            given.append(np.ascontiguousarray(self.torques.at(t, rows)).reshape(-1, self.robot.n))
        elif self.torques.numbers is not None:
            given.append(self.torques.numbers.reshape(1, -1))
        loads = self._loads(float(t[0])) if callable(self.external) else self.loads
        for x in with_wrenches({}, loads).values():
            values = np.ascontiguousarray(floats_of("external", x, np.float64))
            size = values.shape[-1]
            if values.ndim > 1:
                values = np.broadcast_to(values, (*self.batch, size)).reshape(-1, size)[rows]
            given.append(values.reshape(-1, size))
        return [*given, *([modes[0]] if self.holds is not None else []), *self.last(rows, modes)]

    def last(self, rows: np.ndarray, modes: Any) -> list[np.ndarray]:
        """The values of the tail."""
        numbers = [np.take(x, rows, axis=0) for x in self._numbers]
        return [*numbers, *([modes[1]] if self.holds is not None else [])]

    def energies(self, rows: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Kinetic and potential energy at states (m, n), (m, 2)."""
        return self._energies(q, qd, *(np.take(x, rows, axis=0) for x in self._numbers))[0]

    def evaluate(self, t: np.ndarray, rows: np.ndarray, q: np.ndarray, qd: np.ndarray, modes: Any) -> list[np.ndarray]:
        """q̈, τ, powers and friction at states (m, n)."""
        if not len(q):
            return [np.zeros((0, o.size)) for o in self.tape.outputs]
        if self.is_asked and np.ptp(t):
            results = [np.zeros((len(q), o.size)) for o in self.tape.outputs]
            for k in (np.flatnonzero(t == x) for x in np.unique(t)):
                found = self.evaluate(t[k], rows[k], q[k], qd[k], [m[k] for m in modes])
                for result, part in zip(results, found, strict=True):
                    result[k] = part
            return results
        return self.code(t[:, None], q, qd, *self.acting(t, rows, q, qd, modes))

    def decide(self, t: float, q: np.ndarray, qd: np.ndarray) -> None:
        """What torques follow until the next break: a digital law is asked for the efforts of the coming period."""
        self.torques.begin(t)
        if self.torques.digital is not None:
            self.torques.samples = self._asked(self.torques.digital, t, q, qd)[None]

    def _asked(self, function: Any, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        shape = (*self.batch, self.robot.n) if len(q) == int(np.prod(self.batch)) else q.shape
        given = asked("tau", t, function, t, q.reshape(shape).copy(), qd.reshape(shape).copy())
        try:
            tau = np.broadcast_to(np.asarray(given, dtype=float), shape)
        except (TypeError, ValueError):
            raise ArgumentError(f"tau at t = {t:.6g} s: expected {shape} efforts, got {described(given)}") from None
        if not np.isfinite(tau).all():
            raise ArgumentError(f"tau at t = {t:.6g} s is not finite: {described(given)}")
        return np.ascontiguousarray(tau.reshape(-1, self.robot.n))

    def _given(self, t: float) -> Any:
        return asked("external", t, lambda: wrenches(self.external(t)))

    def _loads(self, t: float) -> Any:
        loads = self._given(t)
        if [form(w) for w in loads] != [form(w) for w in self.loads]:
            raise ArgumentError(f"external at t = {t:.6g} s acts on other links or axes than before; values may change")
        return loads


def _set_valued(
    tree: Tree, q: Any, qd: Any, tau: Any, loads: Any, way: Any, free: Any
) -> tuple[np.ndarray, np.ndarray]:
    """q̈ where some joints stick, and the efforts of friction: of those that stick, whatever holds them."""
    M = dynamics.mass_matrix(tree, q)
    drive = tau - dynamics.inverse_dynamics(tree, q, qd, [0] * tree.n, external=loads, friction=False)
    left = (drive - sliding_friction(tree, qd, way)) * free
    qdd = solve(_left_alone(M, free), left, tree.joint_names) * free
    return qdd, drive - M @ qdd


def _left_alone(M: np.ndarray, free: Any = None) -> np.ndarray:
    """M where joints that stick are left alone, each with a mass of one."""
    return M if free is None else M * np.outer(free, free) + np.diag(1 - free)


def kinetic_slope(tree: Tree, q: Any, qd: Any) -> np.ndarray:
    """∂K/∂q: the momentum of all that a joint moves, times V × S: a turn of the joint turns the twist against it."""
    joints = screws(tree, q, qd)
    T = poses_in_parent(tree, joints)
    motions = velocities(tree, T, joints)
    loads = [momenta(b.moments, v) for b, v in zip(tree.bodies, motions, strict=True)]
    carried = inward(tree, T, joints, loads)
    slope = np.zeros(tree.n, dtype=object)
    for body, j, (w, v), (n, f) in zip(tree.bodies, joints, motions, carried, strict=True):
        turning = n[0] * w[1] - n[1] * w[0] + f[0] * v[1] - f[1] * v[0]
        sliding = f[0] * w[1] - f[1] * w[0]
        slope[body.index] = slope[body.index] + body.joint.multiplier * (j.turn * turning + j.slide * sliding)
    return slope
