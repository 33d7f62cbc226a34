"""Independent proof: Newton-Euler = Lagrange = M q̈ + V + G + S, as an identity or at exact rational points.

Newton and Euler balance forces link by link; Lagrange's equations come from differentiating the energies (or,
at points, from the Jacobians of the centres of mass); M, V and G come from composite bodies and Christoffel
symbols.  The three share the robot and nothing else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy

from steiner import dynamics
from steiner.errors import SteinerError
from steiner.formulas.base import NAMES
from steiner.formulas.polynomials import Poly, Ring, derivative
from steiner.formulas.residues import PRIME, Residue
from steiner.formulas.terms import Terms, beyond, symbols_of
from steiner.model.robot import Robot
from steiner.scalar import is_number
from steiner.spatial import Pose
from steiner.spatial.poses import rotation_quaternion

POINTS = 2
FLOAT_POINTS = 3
LARGEST_EXACT, LARGEST_MODULAR = 12, 24  # joints
DECIMAL = 1e-12  # what rounding may leave where rotations are decimals
_EXACT_ENTRIES = (0.0, 0.5, 1.0, 0.5**0.5, 0.75**0.5)


class Proof(NamedTuple):
    """What was compared, how, and whether it agreed."""

    holds: bool
    how: str
    compared: int  # terms of the polynomials, or efforts at points
    residual: float
    sum: str = "M q̈ + V + G"

    def __str__(self) -> str:
        verdict = "agree" if self.holds else "DISAGREE"
        return f"Newton-Euler, Lagrange and {self.sum} {verdict}: {self.how}"


def by_identity(terms: Terms) -> Proof:
    """All three routes as polynomials; their differences are zero term by term."""
    newton = terms.run(dynamics.inverse_dynamics, terms.at, terms.rate, terms.acceleration, friction=False)
    lagrange = euler_lagrange(terms)
    summed = terms.M @ terms.acceleration + terms.V + terms.G + terms.S
    count = sum(len(x.terms) for x in newton if isinstance(x, Poly))
    residual = max(_size(a - b, a) for other in (lagrange, summed) for a, b in zip(newton, other, strict=True))
    if terms.ring.decimal:
        how = f"{count} terms in the robot's decimals" + (f", to {residual:.0e}" if residual else ", exactly")
        return Proof(residual <= DECIMAL, how, count, residual, _sum(terms.robot))
    return Proof(residual == 0, f"symbolic identity of {count} terms", count, residual, _sum(terms.robot))


def _sum(robot: Robot) -> str:
    return " + ".join(("M q̈", "V", "G", *(name for name in beyond(robot) if name == "S")))


def euler_lagrange(terms: Terms) -> np.ndarray:
    """d/dt ∂K/∂q̇ − ∂K/∂q + ∂P/∂q by differentiating the energies."""
    K, P = terms.run(dynamics.kinetic_energy, terms.at, terms.rate), terms.P
    result = []
    for q, qd in zip(terms.q, terms.qd, strict=True):
        momentum = derivative(K, qd)
        rate: Any = 0
        for k in range(terms.robot.n):
            rate = rate + derivative(momentum, terms.q[k]) * terms.rate[k]
            rate = rate + derivative(momentum, terms.qd[k]) * terms.acceleration[k]
        result.append(rate - derivative(K, q) + derivative(P, q))
    return np.array(result, dtype=object)


def _size(difference: Any, beside: Any) -> float:
    """Largest coefficient of a difference, relative to those of what was compared."""
    if not isinstance(difference, Poly):
        return abs(float(difference))
    scale = max((abs(float(c)) for c in beside.terms.values()), default=1.0) if isinstance(beside, Poly) else 1.0
    return max(abs(float(c)) for c in difference.terms.values()) / scale


# ---- points --------------------------------------------------------------------------------------


class Point(Ring):
    """Every symbol is a small fraction, every angle a rational point of the circle; √2, √3 and π stay exact."""

    def __init__(self, seed: int, kept: Collection[str] = ()) -> None:
        super().__init__()
        self._kept = kept  # names that stay symbols
        self._random = np.random.default_rng(seed)
        self._values: dict[Any, Any] = {}

    def _fraction(self) -> Fraction:
        """Never a whole number: those leave the ring, and their cosine would be a float."""
        return Fraction(int(self._random.integers(1, 11)), int(self._random.choice((11, 13, 17))))

    def symbol(self, expr: Any, kind: str = "symbol") -> Any:
        """A fraction for a symbol; what is made of symbols gets the value that belongs to theirs."""
        if kind == "root" or expr is sympy.pi or (expr.is_Symbol and expr.name in self._kept):
            return super().symbol(expr, kind)
        if expr.is_Symbol:
            if expr not in self._values:
                value = self._fraction()
                self._values[expr] = sympy.Rational(value.numerator, value.denominator)
            return self.lift(self._values[expr])
        for s in expr.free_symbols:
            self.symbol(s)
        value = expr.subs(self._values)
        return super().symbol(expr, kind) if value == expr else self.lift(value)

    def _turn_of(self, monomial: int, coefficient: Fraction) -> tuple[Any, Any]:
        if monomial:
            return super()._turn_of(monomial, coefficient)
        t = (coefficient - 1) / (coefficient + 2) if coefficient != -2 else Fraction(5, 3)
        return self.constant((1 - t * t) / (1 + t * t)), self.constant(2 * t / (1 + t * t))


def at_points(robot: Robot) -> Proof:
    """All three routes in exact arithmetic at random points of the joints, of their rates and of the symbols.

    Digits of fractions grow with every joint on the way: longer arms are proved modulo a prime.
    """
    upright = all(_along_axes(screw.axis) for link in robot.links for screw in link.joint.screws())
    if robot.n > LARGEST_EXACT or not upright:
        return _at_numbers(robot, exact=upright and robot.n <= LARGEST_MODULAR)
    rational = _with_rational_rotations(robot)
    compared, residual = 0, 0.0
    for seed in range(POINTS):
        terms = Terms(rational, ring=Point(seed))
        state = terms.at, terms.rate, terms.acceleration
        newton = terms.run(dynamics.inverse_dynamics, *state, friction=False)
        lagrange = terms.run(dynamics.lagrange_dynamics, *state, friction=False)
        C, g = terms.run(dynamics.coriolis_matrix, *state[:2]), terms.run(dynamics.gravity_by_jacobians, state[0])
        summed = terms.M @ state[2] + C @ state[1] + g + terms.S
        compared += 2 * robot.n
        residual = max(residual, *(_size(a - b, a) for x in (lagrange, summed) for a, b in zip(newton, x, strict=True)))
    how = f"exactly, in rational arithmetic, at {POINTS} random points ({compared} efforts)"
    return Proof(residual == 0, how, compared, residual, _sum(robot))


def base_parameters_in_use(robot: Robot) -> set[sympy.Expr] | None:
    """The base parameters that the efforts depend on, found exactly at a point; None where axes lie askew."""
    if not all(_along_axes(screw.axis) for link in robot.links for screw in link.joint.screws()):
        return None
    names = {f"{name}{i + 1}" for name in NAMES.values() for i in range(len(robot.bodies))}
    terms = Terms(_with_rational_rotations(robot), ring=Point(0, names), base=True)
    tau = terms.run(dynamics.inverse_dynamics, terms.at, terms.rate, terms.acceleration, friction=False)
    factors = [k for x in tau if isinstance(x, Poly) for m in x.terms for k, _ in terms.ring.factors(m)]
    return {terms.ring.generators[k].expr for k in factors}


def _at_numbers(robot: Robot, *, exact: bool) -> Proof:
    """Modulo a prime; or in floats: of still longer arms, and where an axis lies askew, so that no turn is rational."""
    values = {s: float(k + 2) / 3 for k, s in enumerate(sorted(_free(robot), key=str))}
    twin = robot.mapped(lambda x: float(sympy.sympify(x).subs(values)))
    chance, residual = np.random.default_rng(0), 0.0
    if exact:
        twin = _with_rational_rotations(twin, (0.0, 1.0)).mapped(_residue)
        points = [[[Residue(int(x)) for x in row] for row in chance.integers(1, PRIME, (3, robot.n))]]
        how = "exactly, modulo the prime 2⁶¹ − 1, at a random point"
    else:
        points = chance.uniform(-1, 1, (FLOAT_POINTS, 3, robot.n))
        how = f"in floating point at {FLOAT_POINTS} random points"
    for point in points:
        residual = max(residual, _disagreement(twin, *map(np.array, point)))
    count = 2 * robot.n * len(points)
    how += f" ({count} efforts)" if exact else f" ({count} efforts), to {residual:.0e} of the largest effort"
    return Proof(residual <= (0 if exact else DECIMAL), how, count, residual, _sum(robot))


def _residue(x: float) -> Any:
    """Modulo the prime, but for the entries of axes, whose directions are asked for."""
    return Fraction(x) if x in (-1, 0, 1) else Residue.of(x)


def _disagreement(robot: Robot, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> float:
    """Between the three routes: relative of floats, 0 or 1 of exact numbers."""
    newton = np.array(dynamics.inverse_dynamics(robot, q, qd, qdd, friction=False))
    lagrange = np.array(dynamics.lagrange_dynamics(robot, q, qd, qdd, friction=False))
    summed = dynamics.mass_matrix(robot, q) @ qdd + dynamics.coriolis_matrix(robot, q, qd) @ qd
    summed = summed + dynamics.gravity_by_jacobians(robot, q) + dynamics.spring_forces(robot, q)
    if isinstance(newton[0], Residue):
        return float(not (newton == lagrange).all() or not (newton == summed).all())
    others = np.array([lagrange, summed], dtype=float)
    return float(np.abs(others - newton.astype(float)).max() / np.abs(newton.astype(float)).max())


def _free(robot: Robot) -> set[sympy.Symbol]:
    return symbols_of(robot)


def _along_axes(axis: Any) -> bool:
    return all(is_number(x) for x in axis) and sorted(abs(float(x)) for x in axis) == [0.0, 0.0, 1.0]


def _with_rational_rotations(robot: Robot, kept: tuple[float, ...] = _EXACT_ENTRIES) -> Robot:
    """The robot with decimal rotations moved to exact rational ones nearby: the identity holds for any rotation."""

    def near(T: Pose) -> Pose:
        if not all(isinstance(x, float) for x in T.R.flat) or np.isin(np.abs(T.R.astype(float)), kept).all():
            return T
        w = np.array([_fraction_of(x) for x in _quaternion(T.R.astype(float))], dtype=object)
        return Pose.trusted(_rotation(*w), T.p)

    links = tuple(dataclasses.replace(k, mount=near(k.mount), origin=near(k.origin)) for k in robot.links)
    loads = tuple(dataclasses.replace(p, pose=near(p.pose)) for p in robot.payloads)
    return robot.replace(links=links, payloads=loads)


def _fraction_of(x: float) -> Fraction:
    return Fraction(x).limit_denominator(10**4)


def _quaternion(R: np.ndarray) -> np.ndarray:
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0],
            [R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
            [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1], 0],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], np.trace(R)],
        ]
    )
    values, vectors = np.linalg.eigh(K)  # the lower triangle; Bar-Itzhack 2000
    return vectors[:, np.argmax(values)]


def _rotation(x: Any, y: Any, z: Any, w: Any) -> np.ndarray:
    n = x * x + y * y + z * z + w * w
    if not isinstance(n, Fraction) or n == 0:
        raise SteinerError("a rotation has no quaternion")
    return rotation_quaternion(w, x, y, z)


__all__ = ["Proof", "at_points", "by_identity", "euler_lagrange"]
