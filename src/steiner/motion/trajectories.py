"""Motions that are asked for: q, q̇ and q̈ of time, with exact derivatives.

    path = st.trajectory.quintic(q0, q1, 2.0)
    q, qd, qdd = path(0.7)                     # one time or an array of times
    tau = robot.inverse_dynamics(*path.sample(0.001)[1:])

Before 0 and after `duration` a trajectory rests at its ends.  Units are those of the joints: rad or m, seconds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, factorial
from typing import Any, NamedTuple, final

import numpy as np

from steiner.errors import ArgumentError, described
from steiner.kernels.arguments import array_of
from steiner.motion.steps import where
from steiner.scalar import Frozen, cos, sin

MOST_SAMPLES = 50_000_000  # numbers of a sampled trajectory


class Samples(NamedTuple):
    """A trajectory at equal steps of time: t (k,), and q, q̇, q̈ (k, n)."""

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


class Trajectory(Frozen, ABC):
    """q, q̇, q̈ as functions of time."""

    duration: float
    n: int

    @abstractmethod
    def within(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, q̇, q̈ (k, n) at times (k,) from 0 to `duration`."""

    def __call__(self, t: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, q̇, q̈ at a time or at several: (…, n) each; at rest outside 0 … duration."""
        times = finite(t, "t")
        q, qd, qdd = self.within(np.clip(times.ravel(), 0.0, self.duration))
        outside = (times.ravel() < 0) | (times.ravel() > self.duration)
        shape = (*times.shape, self.n)
        qd, qdd = (np.where(outside[:, None], 0.0, x).reshape(shape) for x in (qd, qdd))
        return q.reshape(shape), qd, qdd

    def sample(self, dt: float) -> Samples:
        """At 0, dt, 2 dt, … and at the end."""
        step = positive(dt, "dt")
        count = ceil(self.duration / step * (1 - 1e-12)) + 1
        if count * self.n > MOST_SAMPLES:
            raise ArgumentError(f"dt={step:g} s gives {count} samples of {self.n} joints; take a longer step")
        t = np.minimum(np.arange(count) * step, self.duration)
        return Samples(t, *self(t))

    def then(self, other: Trajectory) -> Trajectory:
        """This one, and the other after it."""
        return _Joined(self, other)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower().lstrip('_')} of {self.n} joints, {self.duration:g} s>"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Piecewise(Trajectory):
    """Polynomials between knots: q = Σₖ cₖ (t − tᵢ)ᵏ, coefficients (pieces, powers, n)."""

    knots: np.ndarray
    coefficients: np.ndarray

    def __post_init__(self) -> None:
        self.__setstate__({name: np.array(x, float) for name, x in vars(self).items()})

    @property
    def duration(self) -> float:  # type: ignore[override]
        """Seconds."""
        return float(self.knots[-1])

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of joints."""
        return self.coefficients.shape[-1]

    def within(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The polynomials of the pieces that the times lie in."""
        piece = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.coefficients) - 1)
        since = (t - self.knots[piece])[:, None]
        c = self.coefficients[piece]
        return tuple(_derivative(c, since, order) for order in range(3))  # type: ignore[return-value]


def _resting(t: Any, first: Any, last: Any, within: Callable[[Any], Any]) -> list[np.ndarray]:
    """q, q̇, q̈ at a time that is traced; at rest outside, as every trajectory."""
    q, *rates = within(where(t - first, where(last - t, t, last), first))
    rests = np.zeros_like(q)
    return [q, *(where(first - t, rests, where(t - last, rests, x)) for x in rates)]


def traced_polynomials(t: Any, knots: Any, coefficients: Any) -> list[np.ndarray]:
    """q, q̇, q̈ of polynomials between knots at a time that is traced."""

    def within(time: Any) -> list[Any]:
        start, c = knots[0], coefficients[0]
        for knot, later in zip(knots[1:-1], coefficients[1:], strict=True):
            start, c = (where(knot - time, *x) for x in ((start, knot), (c, later)))
        return [_derivative(c[None], time - start, order)[0] for order in range(3)]

    return _resting(t, knots[0], knots[-1], within)


def traced_waves(t: Any, duration: Any, rate: Any, offset: Any, sines: Any, cosines: Any) -> list[np.ndarray]:
    """q, q̇, q̈ of a Fourier series of the angular frequency `rate` at a time that is traced."""

    def within(time: Any) -> list[Any]:
        q, qd, qdd = offset, np.zeros_like(offset), np.zeros_like(offset)
        for k, (a, b) in enumerate(zip(sines, cosines, strict=True), 1):
            s, c, w = sin(k * rate * time), cos(k * rate * time), k * rate
            q, qd, qdd = q + s * a + c * b, qd + w * (c * a - s * b), qdd - w * w * (s * a + c * b)
        return [q, qd, qdd]

    return _resting(t, 0 * duration, duration, within)


def _derivative(c: np.ndarray, x: np.ndarray, order: int) -> np.ndarray:
    """The derivative of Σ cₖ xᵏ, by Horner's rule."""
    value = np.zeros_like(c[:, 0])
    for k in reversed(range(order, c.shape[1])):
        value = value * x + c[:, k] * (factorial(k) // factorial(k - order))
    return value


@final
@dataclass(frozen=True, eq=False, repr=False)
class Fourier(Trajectory):
    """q = offset + Σₖ sines[k] sin kωt + cosines[k] cos kωt, k = 1, 2, …; coefficients (harmonics, n)."""

    offset: np.ndarray
    sines: np.ndarray
    cosines: np.ndarray
    frequency: float
    duration: float

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of joints."""
        return len(self.offset)

    def within(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sums, derived term by term."""
        rate = 2 * np.pi * self.frequency * np.arange(1, len(self.sines) + 1)
        s, c = np.sin(t[:, None] * rate), np.cos(t[:, None] * rate)
        a, b = self.sines, self.cosines
        return (
            self.offset + s @ a + c @ b,
            (c * rate) @ a - (s * rate) @ b,
            -(s * rate**2) @ a - (c * rate**2) @ b,
        )


@final
class _Joined(Trajectory):
    """One trajectory after another."""

    def __init__(self, first: Trajectory, second: Trajectory) -> None:
        if not isinstance(second, Trajectory) or first.n != second.n:
            raise ArgumentError(f"then: expected a trajectory of {first.n} joints, got {described(second)}")
        gap = np.abs(first(first.duration)[0] - second(0.0)[0]).max()
        if gap > 1e-9:
            raise ArgumentError(f"then: the second trajectory begins {gap:.3g} from where the first one ends")
        self.first, self.second, self.n = first, second, first.n
        self.duration = first.duration + second.duration

    def within(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        early = t < self.first.duration
        both = zip(self.first(t), self.second(t - self.first.duration), strict=True)
        return tuple(np.where(early[:, None], a, b) for a, b in both)  # type: ignore[return-value]


# ---- from point to point ---------------------------------------------------------------------------


def cubic(q0: Any, q1: Any, duration: float, *, qd0: Any = 0.0, qd1: Any = 0.0) -> Piecewise:
    """A cubic from q0 to q1 with the velocities given at its ends (at rest, if none are)."""
    T = positive(duration, "duration")
    a, b, v0, v1 = _vectors(q0, q1, qd0=qd0, qd1=qd1)
    D = b - a
    return Piecewise(np.array([0, T]), np.array([[a, v0, (3 * D / T - 2 * v0 - v1) / T, (v0 + v1 - 2 * D / T) / T**2]]))


def quintic(
    q0: Any, q1: Any, duration: float, *, qd0: Any = 0.0, qd1: Any = 0.0, qdd0: Any = 0.0, qdd1: Any = 0.0
) -> Piecewise:
    """A quintic from q0 to q1: position, velocity and acceleration at both ends (at rest, if none are given)."""
    T = positive(duration, "duration")
    ends = _vectors(q0, q1, qd0=qd0, qd1=qd1, qdd0=qdd0, qdd1=qdd1)
    q0, q1, v0, v1, a0, a1 = ends
    return Piecewise(np.array([0, T]), _quintics(np.array([T]), *(np.stack(x) for x in ((q0, q1), (v0, v1), (a0, a1)))))


def _quintics(steps: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Coefficients (pieces, 6, n) of the quintics through values, velocities and accelerations (pieces + 1, n)."""
    T = steps[:, None]
    D = q[1:] - q[:-1] - T * (qd[:-1] + T * qdd[:-1] / 2)
    V = qd[1:] - qd[:-1] - T * qdd[:-1]
    A = qdd[1:] - qdd[:-1]
    return np.stack([
        q[:-1], qd[:-1], qdd[:-1] / 2,
        (10 * D / T - 4 * V + A * T / 2) / T**2,
        (-15 * D / T + 7 * V - A * T) / T**3,
        (6 * D / T - 3 * V + A * T / 2) / T**4,
    ], axis=1)  # fmt: skip


def trapezoid(q0: Any, q1: Any, *, velocity: Any, acceleration: Any, duration: float | None = None) -> Piecewise:
    """Constant acceleration, constant speed, constant deceleration; all joints start and stop together.

    As quick as the slowest joint allows within `velocity` and `acceleration`, or as slow as `duration` asks.
    """
    a, b, v, acc = _vectors(q0, q1, velocity=velocity, acceleration=acceleration)
    _need_positive("trapezoid", velocity=v, acceleration=acc)
    D = np.abs(b - a)
    least = np.where(D * acc > v**2, D / v + v / acc, 2 * np.sqrt(D / acc))
    T = float(least.max())
    if duration is not None:
        asked = positive(duration, "duration")
        if asked < T * (1 - 1e-12):
            raise ArgumentError(f"trapezoid: {asked:g} s is too short; these limits need {T:.6g} s")
        T = max(T, asked)
    if T == 0:
        raise ArgumentError("trapezoid: q0 and q1 are the same; nothing moves")
    rise = (T - np.sqrt(np.maximum(T**2 - 4 * D / acc, 0))) / 2  # of each joint, at its full acceleration
    knots = np.unique(np.concatenate([[0, T], rise, T - rise]))
    start, middle = knots[:-1, None], (knots[:-1] + knots[1:])[:, None] / 2
    push = np.sign(b - a) * acc
    # position and speed are known in closed form; the piece's acceleration by where its middle lies
    q = np.where(start <= rise, start**2 / 2, rise**2 / 2 + rise * np.minimum(start - rise, T - 2 * rise))
    late = np.maximum(start - (T - rise), 0)
    q, speed = q + rise * late - late**2 / 2, np.minimum(start, rise) - late
    force = np.where(middle < rise, 1.0, np.where(middle > T - rise, -1.0, 0.0))
    return Piecewise(knots, np.stack([a + push * q, push * speed, push * force / 2], axis=1))


def jerk_limited(
    q0: Any, q1: Any, *, velocity: Any, acceleration: Any, jerk: Any, qd0: Any = 0.0, qd1: Any = 0.0
) -> Piecewise:
    """The quickest motion within limits of velocity, acceleration and jerk; all joints arrive together (by ruckig)."""
    limits = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk}
    a, b, v, acc, j, v0, v1 = _vectors(q0, q1, **limits, qd0=qd0, qd1=qd1)
    _need_positive("jerk_limited", velocity=v, acceleration=acc, jerk=j)
    try:
        import ruckig
    except ImportError:
        raise ArgumentError("jerk_limited needs ruckig: pip install 'steiner[motion]'") from None
    asked = ruckig.InputParameter(len(a))
    asked.current_position, asked.target_position = a.tolist(), b.tolist()
    asked.current_velocity, asked.target_velocity = v0.tolist(), v1.tolist()
    asked.max_velocity, asked.max_acceleration, asked.max_jerk = v.tolist(), acc.tolist(), j.tolist()
    found = ruckig.Trajectory(len(a))
    try:
        outcome = ruckig.Ruckig(len(a)).calculate(asked, found)
    except Exception as error:  # its own words say which limit cannot be
        raise ArgumentError(f"jerk_limited: {str(error).strip()}") from None
    if outcome not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise ArgumentError(f"jerk_limited: no such motion ({outcome.name}); check limits and end velocities")
    if not found.duration > 0:
        raise ArgumentError("jerk_limited: q0 and q1 are the same; nothing moves")
    ends = [np.cumsum([*p.brake.t, *p.t]) for p in found.profiles[0]]
    knots = np.unique(np.clip(np.concatenate([[0.0, found.duration], *ends]), 0, found.duration))
    knots = knots[np.concatenate([[True], np.diff(knots) > 1e-12 * found.duration])]
    knots[-1] = found.duration
    states = np.array([found.at_time(t) for t in knots])  # (knots, 3, n): jerk is constant between them
    jerks = np.diff(states[:, 2], axis=0) / np.diff(knots)[:, None]
    q, qd, qdd = np.moveaxis(states[:-1], 1, 0)
    return Piecewise(knots, np.stack([q, qd, qdd / 2, jerks / 6], axis=1))


# ---- through many points ---------------------------------------------------------------------------


def spline(t: Any, q: Any, *, degree: int = 3, ends: str = "rest") -> Piecewise:
    """The spline of odd degree (3 or 5) through q (k, n) at times t (k,), moved so that it starts at 0.

    ends="rest": it starts and stops at rest; "natural": its highest free derivatives are zero there.
    """
    from scipy.interpolate import make_interp_spline

    times = finite(t, "t")
    points = finite(q, "q")
    if times.ndim != 1 or len(times) < 2 or points.ndim != 2 or len(points) != len(times):
        raise ArgumentError(f"spline: expected t (k,) and q (k, n), got {times.shape} and {points.shape}")
    if np.any(np.diff(times) <= 0):
        where = int(np.argmax(np.diff(times) <= 0))
        raise ArgumentError(f"spline: time stands still or runs backwards after t[{where}] = {times[where]:g} s")
    if degree not in (3, 5):
        raise ArgumentError(f"spline: degree={described(degree)}; expected 3 or 5")
    if ends not in ("rest", "natural"):
        raise ArgumentError(f"spline: ends={described(ends)}; expected 'rest' or 'natural'")
    half = (degree - 1) // 2
    orders = range(1, half + 1) if ends == "rest" else range(half + 1, degree)
    zero = [(order, np.zeros(points.shape[1])) for order in orders]
    found = make_interp_spline(times - times[0], points, degree, bc_type=(zero, zero))  # type: ignore[arg-type]
    knots = np.unique(found.t)
    pieces = [found.derivative(k)(knots[:-1]) / factorial(k) if k else found(knots[:-1]) for k in range(degree + 1)]
    return Piecewise(knots, np.stack(pieces, axis=1))


def fourier(offset: Any, sines: Any, cosines: Any, frequency: float, duration: float | None = None) -> Fourier:
    """A sum of harmonics of `frequency` (Hz): sines and cosines (harmonics, n); one period, if no duration is given."""
    f = positive(frequency, "frequency")
    middle, a, b = (finite(x, name) for x, name in ((offset, "offset"), (sines, "sines"), (cosines, "cosines")))
    if middle.ndim != 1 or a.ndim != 2 or a.shape != b.shape or a.shape[1] != len(middle):
        raise ArgumentError(
            f"fourier: expected offset (n,), sines and cosines (harmonics, n), got {middle.shape}, {a.shape}, {b.shape}"
        )
    T = 1 / f if duration is None else positive(duration, "duration")
    return Fourier(middle, a, b, f, T)


def through(knots: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> Piecewise:
    """Quintics through positions, velocities and accelerations (k, n) at knots (k,)."""
    return Piecewise(knots, _quintics(np.diff(knots), q, qd, qdd))


@final
class Timed(Trajectory):
    """A path whose timing another program has chosen."""

    def __init__(self, found: Callable[[np.ndarray, int], np.ndarray], duration: float, n: int) -> None:
        self._found, self.duration, self.n = found, duration, n

    def within(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As the other program says."""
        return tuple(np.asarray(self._found(t, order)) for order in range(3))  # type: ignore[return-value]


# ---- what comes in ---------------------------------------------------------------------------------


def finite(given: Any, what: str) -> np.ndarray:
    """Finite floats."""
    values = array_of(what, given)
    if values.dtype.kind not in "iuf":
        raise ArgumentError(f"{what}: expected numbers, got {described(given)}")
    if not np.all(np.isfinite(values)):
        raise ArgumentError(f"{what}: expected finite numbers, got {described(values[~np.isfinite(values)][0])}")
    return values.astype(float)


def positive(value: Any, what: str) -> float:
    """A positive number."""
    number = finite(value, what)
    if number.ndim or not number > 0:
        raise ArgumentError(f"{what}: expected a positive number, got {described(value)}")
    return float(number)


def _need_positive(what: str, **limits: np.ndarray) -> None:
    for name, x in limits.items():
        if np.any(x <= 0):
            raise ArgumentError(f"{what}: {name} {x[x <= 0][0]:g}; expected positive limits")


def _vectors(q0: Any, q1: Any, **others: Any) -> list[np.ndarray]:
    """Joint vectors of one length; a single number stands for all joints."""
    first = finite(q0, "q0")
    if first.ndim != 1 or not len(first):
        raise ArgumentError(f"q0: expected one number per joint, got shape {first.shape}")
    result = [first]
    for name, value in {"q1": q1, **others}.items():
        given = finite(value, name)
        if given.shape != first.shape and (given.ndim or name == "q1"):
            raise ArgumentError(f"{name}: expected {len(first)} numbers as in q0, got shape {given.shape}")
        result.append(np.broadcast_to(given, first.shape))
    return result
