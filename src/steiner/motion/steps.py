"""One step of time, written once: traced into a kernel, or run on arrays where a Python function gives the torques.

A state is q, q̇ and the work done so far.  `rate(t, q, qd)` gives q̈ and the powers of what does work; all arrays have
their numbers along the last axis, those of one number too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from steiner import scalar
from steiner.motion.tableaus import DOP853, GAUSS, RK4, Tableau

Rate = Callable[[Any, Any, Any], tuple[Any, Any]]
TINY = 1e-300  # beside what may be zero and divides
SAFETY, LEAST, MOST = 0.9, 0.2, 10.0  # of the next step's length
SWEEPS, CONVERGED = 10, 1e-9  # of an implicit step's fixed point; what the last may change


def larger(a: Any, b: Any) -> Any:
    """The larger of two numbers, element by element."""
    return np.maximum(a, b) if _are_floats(a, b) else scalar.select(a - b, a, b)


def where(condition: Any, positive: Any, otherwise: Any) -> Any:
    """`positive` where the condition is > 0, row by row."""
    if _are_floats(condition, positive, otherwise):
        return np.where(condition > 0, positive, otherwise)
    return scalar.select(np.asarray(condition, dtype=object), positive, otherwise)


def root(x: Any) -> Any:
    """Square root, element by element."""
    return np.sqrt(x) if _are_floats(x) else scalar.sqrt(x)


def _are_floats(*arrays: Any) -> bool:
    return all(np.asarray(a).dtype != object for a in arrays)


def _sum(weights: Any, terms: list[Any]) -> Any:
    """Σ wᵢ kᵢ; what has no weight is not there."""
    return sum((w * k for w, k in zip(weights, terms, strict=False) if w), start=0 * terms[0])


def explicit(table: Tableau, rate: Rate, t: Any, q: Any, qd: Any, work: Any, h: Any) -> tuple[Any, ...]:
    """A step of an explicit method: the new state, and per error estimate those of q and q̇ over h."""
    kq, kv, kw = [], [], []
    for c, a in zip(table.c, table.a, strict=True):
        at = t if not c else t + c * h
        here = (q, qd) if not a else (q + h * _sum(a, kq), qd + h * _sum(a, kv))
        force, power = rate(at, *here)
        kq.append(here[1])
        kv.append(force)
        kw.append(power)
    new = (q + h * _sum(table.b, kq), qd + h * _sum(table.b, kv), work + h * _sum(table.b, kw))
    return *new, [(_sum(e, kq), _sum(e, kv)) for e in table.errors]


def runge_kutta_4(rate: Rate, t: Any, q: Any, qd: Any, work: Any, h: Any) -> tuple[Any, ...]:
    """The classical method of order four."""
    return explicit(RK4, rate, t, q, qd, work, h)[:3]


def semi_implicit_euler(rate: Rate, t: Any, q: Any, qd: Any, work: Any, h: Any) -> tuple[Any, ...]:
    """First the rates, then the positions with the new rates: order one, and symplectic."""
    force, power = rate(t, q, qd)
    new = qd + h * force
    return q + h * new, new, work + h * power


def gauss(form: Any, t: Any, q: Any, qd: Any, work: Any, h: Any) -> tuple[Any, ...]:
    """Gauss's collocation of order four on positions and momenta: symplectic, so energy errors stay bounded.

    `form.momentum(t, q, qd)` gives p = ∂L/∂q̇, its rate and the powers, `form.velocity(q, p)` the rates of momenta.  The
    stages are found by sweeps; where these have not come together the result is not a number.
    """
    a, b = np.array(GAUSS.a), GAUSS.b
    p = form.momentum(t, q, qd)[0]
    speeds, last = [qd for _ in b], [qd for _ in b]
    forces, powers = [], []
    for _ in range(SWEEPS):
        last = speeds
        places = [q + h * _sum(row, speeds) for row in a]
        found = [form.momentum(t + c * h, x, v)[1:] for c, x, v in zip(GAUSS.c, places, speeds, strict=True)]
        forces, powers = [f for f, _ in found], [w for _, w in found]
        speeds = [form.velocity(x, p + h * _sum(row, forces)) for x, row in zip(places, a, strict=True)]
    change = sum(np.sum((x - y) * (x - y), axis=-1, keepdims=True) for x, y in zip(speeds, last, strict=True))
    size = sum(np.sum(x * x, axis=-1, keepdims=True) for x in speeds)
    doubt = TINY * root(CONVERGED * CONVERGED * (size + 1) - change)  # nothing, or the root of a negative number
    new = q + h * _sum(b, speeds) + doubt
    return new, form.velocity(new, p + h * _sum(b, forces)), work + h * _sum(b, powers)


def adaptive(
    rate: Rate, q: Any, qd: Any, work: Any, clock: Any, control: Any, worst: Callable[[Any], Any] = lambda error: error
) -> tuple[Any, ...]:
    """A step of DOP853 taken, or refused and shortened; clock is (t, h), control (end, rtol, atol, longest h)."""
    t, h = clock[..., :1], clock[..., 1:]
    end, rtol, atol, longest = (control[..., k : k + 1] for k in range(4))
    left = end - t
    step = where(h - left, left, h)
    *new, (five, three) = explicit(DOP853, rate, t, q, qd, work, step)

    def squares(errors: Any) -> Any:
        scales = (atol + rtol * larger(abs(x), abs(y)) for x, y in ((q, new[0]), (qd, new[1])))
        return sum(np.sum((e / s) * (e / s), axis=-1, keepdims=True) for e, s in zip(errors, scales, strict=True))

    a, b = squares(five), squares(three)
    error = worst(step * a / root((a + 0.01 * b) * (2 * q.shape[-1]) + TINY))  # Hairer, Nørsett, Wanner II.10
    factor = SAFETY / root(root(root(error + TINY)))
    factor = where(factor - MOST, MOST, where(factor - LEAST, factor, LEAST))
    taken, cut = 1 - error, h - left
    longer = where(cut, larger(h, step * factor), step * factor)
    length = where(taken, longer, step * factor)
    length = where(length - longest, longest, length)
    time = where(taken, where(cut, end, t + step), t)
    kept = (where(taken, x, old) for x, old in zip(new, (q, qd, work), strict=True))
    return *kept, np.concatenate([time, length], axis=-1)


def fixed(
    step: Callable[..., Any], rate: Rate, q: Any, qd: Any, work: Any, clock: Any, control: Any
) -> tuple[Any, ...]:
    """A step of fixed length; clock is the number of steps taken, control (start, h): t = start + k h has no drift."""
    start, h = control[..., :1], control[..., 1:]
    return *step(rate, start + clock * h, q, qd, work, h), clock + 1


@dataclass(frozen=True)
class Method:
    """A way to take steps."""

    title: str
    step: Callable[..., Any] | None = None  # of a fixed length; None: the method chooses
    is_stiff: bool = False  # implicit, one row at a time
    stages: int = 1  # how often the equations enter a step


METHODS = {
    "dop853": Method("Dormand and Prince of order 8, steps chosen by the error", stages=12),
    "rk4": Method("classical Runge-Kutta of order 4, fixed steps", runge_kutta_4, stages=4),
    "euler": Method("semi-implicit Euler, fixed steps", semi_implicit_euler),
    "gauss": Method("Gauss of order 4 on momenta, symplectic, fixed steps", gauss, stages=2 * SWEEPS),
    "stiff": Method("Radau of order 5, implicit, steps chosen by the error", is_stiff=True),
}
