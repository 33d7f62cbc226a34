"""The terms of the equations of motion: ONE table, for formulas, programs, pages and sequences alike.

Of a robot they become polynomials: the algorithms of `steiner.dynamics`, run on exact numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
import sympy

from steiner import dynamics
from steiner.errors import SteinerError, described, several, unknown
from steiner.formulas.base import check_names, with_base_parameters
from steiner.formulas.polynomials import Ring, derivative
from steiner.formulas.writing import ACCELERATION, COORDINATE, GRAVITY, LENGTH, MASS, RATE, Writer
from steiner.model.robot import Robot
from steiner.model.tree import Tree
from steiner.scalar import is_number, is_symbolic, is_zero


@dataclass(frozen=True)
class Term:
    """One term: what it is called on a page and in a program, what it depends on, which algorithm gives it."""

    title: str  # heading of a page
    meaning: str  # comment of a program
    letter: str
    arrays: tuple[str, ...]
    algorithm: Callable[..., Any]
    function: str = ""  # in a program; by default the algorithm's name
    entry: str = ""  # letter of a single entry
    by_rates: bool = False  # formulas are grouped by rates

    @property
    def name(self) -> str:
        """The function of a program."""
        return self.function or self.algorithm.__name__


def _centrifugal(robot: Any, q: Any) -> Any:
    return dynamics.centrifugal_coriolis(robot, q).C


def _coriolis(robot: Any, q: Any) -> Any:
    return dynamics.centrifugal_coriolis(robot, q).B


Q, QD, QDD = ("q",), ("q", "qd"), ("q", "qd", "qdd")
TERMS = {
    "M": Term("Mass matrix", "Mass matrix M(q)", "M", Q, dynamics.mass_matrix, entry="m"),
    "V": Term(
        "Centrifugal and Coriolis efforts", "Centrifugal and Coriolis efforts V(q, qd)", "V", QD,
        dynamics.velocity_forces, by_rates=True,
    ),
    "G": Term("Efforts against gravity", "Efforts against gravity G(q)", "G", Q, dynamics.gravity_forces),
    "S": Term("Efforts against springs", "Efforts against springs S(q)", "S", Q, dynamics.spring_forces),
    "F": Term("Efforts against friction", "Efforts against friction F(qd)", "F", QD, dynamics.friction_forces),
    "tau": Term(
        "Equations of motion", "Joint efforts tau = M qdd + V + G + S + F", "tau", QDD, dynamics.inverse_dynamics,
    ),
    "K": Term("Kinetic energy", "Kinetic energy", "K", QD, dynamics.kinetic_energy, by_rates=True),
    "P": Term("Potential energy", "Potential energy", "P", Q, dynamics.potential_energy),
    "christoffel": Term("Christoffel symbols", "Christoffel symbols b[i][j][k]", "b", Q, dynamics.christoffel),
    "centrifugal": Term(
        "Centrifugal matrix, which multiplies the squares of the rates",
        "C(q), which multiplies the squares of the rates", "C", Q, _centrifugal, "centrifugal",
    ),
    "coriolis": Term(
        "Coriolis matrix, which multiplies the products of two rates",
        "B(q), which multiplies the products of two rates", "B", Q, _coriolis, "coriolis",
    ),
    "coriolis_matrix": Term(
        "Coriolis matrix of the Christoffel symbols", "Coriolis matrix of the Christoffel symbols", "C", QD,
        dynamics.coriolis_matrix, by_rates=True,
    ),
}  # fmt: skip


def term(name: str) -> Term:
    """The term of that name."""
    if not isinstance(name, str) or name not in TERMS:
        raise SteinerError(unknown("term", name, TERMS))
    return TERMS[name]


def usual(robot: Any) -> tuple[str, ...]:
    """The terms that are shown of a robot."""
    return ("M", "V", "G", *beyond(robot), "tau")


def beyond(robot: Any) -> tuple[str, ...]:
    """What a robot's joints have beside M, V and G: springs, friction."""
    springs = any(not is_zero(body.joint.stiffness) for body in robot.bodies)
    friction = any(body.joint.friction for body in robot.bodies)
    return (*(["S"] if springs else []), *(["F"] if friction else []))


UP_TO_A_CONSTANT = "base parameters determine P up to a constant only; ask for it without base_parameters=True"


def coordinates(robot: Robot, names: Sequence[sympy.Symbol] | None) -> list[list[sympy.Symbol]]:
    """Symbols q1…, qd1…, qdd1… of the joints' coordinates, rates and accelerations."""
    if names is None:
        names = tuple(sympy.Symbol(f"q{k + 1}") for k in range(robot.n))
    else:
        names = several("q=", names, f"{robot.n} SymPy symbols")
    if len(names) != robot.n or any(not isinstance(q, sympy.Symbol) for q in names):
        got = described(names)
        raise SteinerError(f"q=: expected {robot.n} SymPy symbols, one per joint of {robot.name}, got {got}")
    rows = [list(names), *([_dotted(q.name, dots) for q in names] for dots in ("d", "dd"))]
    own = {symbol.name for row in rows for symbol in row}  # by name: assumptions do not show on paper
    taken = {symbol for symbol in symbols_of(robot) if symbol.name in own}
    if taken:
        raise SteinerError(
            f"{robot.name} has a parameter named {', '.join(sorted(s.name for s in taken))}, which is also the name of "
            "a joint's coordinate, rate or acceleration; give the coordinates other names: equations(robot, q=[...])"
        )
    return rows


def _dotted(name: str, dots: str) -> sympy.Symbol:
    head, tail = name.rstrip("0123456789_"), name[len(name.rstrip("0123456789_")) :]
    return sympy.Symbol(f"{head}{dots}{tail}")


def entries(robot: Robot) -> list[tuple[int, Any]]:
    """All numbers of a robot with their role, link by link: joint, place, mass, centre, tensor."""
    found: list[tuple[int, Any]] = []
    for link in robot.links:
        found += [(LENGTH, x) for x in [*link.mount.p, *link.mount.R.ravel()]]
        for screw in link.joint.screws():
            found += [(LENGTH, x) for x in (screw.multiplier, screw.offset, screw.slide, *screw.axis)]
        found += _body(link.body) + [(LENGTH, x) for x in [*link.origin.p, *link.origin.R.ravel()]]
        for screw in link.joint.screws():
            found += [(MASS, screw.armature), (MASS, screw.stiffness), (COORDINATE, screw.rest)]
            found += [(LENGTH, x) for x in screw.friction.coefficients] if screw.friction else []
    for load in robot.payloads:
        found += [(LENGTH, x) for x in [*load.pose.p, *load.pose.R.ravel()]] + _body(load.body)
    return found + [(GRAVITY, x) for x in robot.gravity]


def _body(body: Any) -> list[tuple[int, Any]]:
    return [(MASS, body.mass), *((LENGTH, x) for x in body.com), *((MASS, x) for x in body.inertia.ravel())]


def symbols_of(robot: Robot) -> set[sympy.Symbol]:
    """The free symbols of a robot; anything that cannot stand in a formula is named."""
    found: set[Any] = set()
    for _, x in entries(robot):
        if is_symbolic(x):
            if not isinstance(x, sympy.Expr) or x.has(sympy.nan, sympy.zoo, sympy.oo):
                raise SteinerError(f"{robot.name}: {x!r} is a {type(x).__name__}; a formula can hold expressions only")
            found |= x.free_symbols
        elif not is_number(x):
            raise SteinerError(
                f"{robot.name}: {x!r} is a {type(x).__name__}; a formula can hold numbers and symbols only"
            )
    return found


def ranks_of(robot: Robot) -> dict[Any, tuple[int, int]]:
    """Role and order of every symbol: a bare symbol has the role of its place, one inside an expression is a length."""
    ranks: dict[Any, tuple[int, int]] = {}
    inside: list[tuple[Any, int]] = []
    for k, (role, x) in enumerate(entries(robot)):
        if isinstance(x, sympy.Expr):
            bare = x if x.is_Symbol else -x
            if bare.is_Symbol:
                if bare not in ranks or ranks[bare][0] > role:
                    ranks[bare] = (role, k)
            else:
                inside += [(s, k) for s in sorted(x.free_symbols, key=str)]
    for s, k in inside:
        ranks.setdefault(s, (LENGTH, k))
    return ranks


class Terms:
    """The polynomials of one robot, each computed when first asked for."""

    def __init__(
        self, robot: Robot, q: Sequence[sympy.Symbol] | None = None, ring: Ring | None = None, *, base: bool = False
    ) -> None:
        self.robot, self.ring = robot, ring or Ring()
        self.q, self.qd, self.qdd = coordinates(robot, q)
        self.ranks = ranks_of(robot)
        for role, row in ((COORDINATE, self.q), (RATE, self.qd), (ACCELERATION, self.qdd)):
            self.ranks |= {s: (role, k) for k, s in enumerate(row)}
        self.at, self.rate, self.acceleration = (
            np.array([self.ring.lift(s) for s in row], dtype=object) for row in (self.q, self.qd, self.qdd)
        )
        for body in robot.bodies:  # a joint that turns half as fast as its coordinate needs half angles
            if is_number(body.joint.multiplier):
                monomial = next(iter(self.at[body.index].terms))
                part = Fraction(repr(float(body.joint.multiplier))).denominator
                self.ring.scales[monomial] = lcm(self.ring.scales.get(monomial, 1), part)
        self.is_base = base

    @cached_property
    def exact(self) -> Robot:
        """The robot in exact numbers."""
        return self.robot.mapped(self.ring.lift)

    @cached_property
    def _bodies(self) -> tuple[Tree, list[tuple[sympy.Symbol, Any]]]:
        exact = self.exact.tree
        if not self.is_base:
            return exact, []
        check_names(self.robot, self.ranks)
        regrouped, named = with_base_parameters(exact, self.ring.lift, self.ring.constant(Fraction(1, 2)))
        self.ranks |= {s: (MASS, k) for k, (s, _) in enumerate(named)}
        return regrouped, named

    @property
    def lifted(self) -> Tree:
        """The robot's tree in exact numbers."""
        return self._bodies[0]

    @property
    def base(self) -> list[tuple[sympy.Symbol, Any]]:
        """The base parameters and what they stand for, if these terms are written in them."""
        return self._bodies[1]

    @cached_property
    def writer(self) -> Writer:
        """Writes these polynomials."""
        return Writer(self.ring, self.ranks, self.q)

    def run(self, algorithm: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """An algorithm on this robot's exact numbers."""
        return algorithm(self.lifted, *arguments, **options)

    @cached_property
    def M(self) -> np.ndarray:
        """Mass matrix, by composite bodies."""
        return self.run(dynamics.mass_matrix, self.at)

    @cached_property
    def christoffel(self) -> np.ndarray:
        """b_ijk, from the polynomials of M: ½(∂m_ij/∂q_k + ∂m_ik/∂q_j − ∂m_jk/∂q_i)."""
        n, m = self.robot.n, self.slopes
        b = np.zeros((n, n, n), dtype=object)
        for i in range(n):
            for j in range(n):
                for k in range(j, n):
                    b[i, j, k] = b[i, k, j] = self.ring.constant(Fraction(1, 2)) * (
                        m[i, j, k] + m[i, k, j] - m[j, k, i]
                    )
        return b

    @cached_property
    def slopes(self) -> np.ndarray:
        """m_ijk = ∂m_ij/∂q_k."""
        n = self.robot.n
        m = np.zeros((n, n, n), dtype=object)
        for i in range(n):
            for j in range(i, n):
                for k in range(n):
                    m[i, j, k] = m[j, i, k] = derivative(self.M[i, j], self.q[k])
        return m

    @cached_property
    def V(self) -> np.ndarray:
        """Σ b_ijk q̇_j q̇_k."""
        return np.array([self.rate @ b @ self.rate for b in self.christoffel], dtype=object)

    @cached_property
    def coriolis_matrix(self) -> np.ndarray:
        """𝒞_ij = Σ_k b_ijk q̇_k."""
        return np.array([b @ self.rate for b in self.christoffel], dtype=object)

    @cached_property
    def G(self) -> np.ndarray:
        """∂P/∂q without springs; in base parameters, whose P is known up to a constant only, by Newton and Euler."""
        if self.is_base:
            return self.run(dynamics.gravity_forces, self.at)
        weight = dynamics.potential_energy(self.lifted.springless(), self.at)
        return np.array([derivative(weight, q) for q in self.q], dtype=object)

    @cached_property
    def centrifugal(self) -> np.ndarray:
        """C_ij = b_ijj."""
        return np.array([[b[j, j] for j in range(len(b))] for b in self.christoffel], dtype=object)

    @cached_property
    def coriolis(self) -> np.ndarray:
        """B_i,jk = 2 b_ijk, j < k."""
        n = self.robot.n
        pairs = [(j, k) for j in range(n) for k in range(j + 1, n)]
        B = np.array([[2 * b[j, k] for j, k in pairs] for b in self.christoffel], dtype=object)
        return B.reshape(n, len(pairs))

    @cached_property
    def S(self) -> np.ndarray:
        """Springs."""
        return self.run(dynamics.spring_forces, self.at)

    @cached_property
    def F(self) -> np.ndarray:
        """Friction."""
        return self.run(dynamics.friction_forces, self.at, self.rate)

    @cached_property
    def K(self) -> Any:
        """Kinetic energy ½ q̇ᵀ M q̇."""
        return self.rate @ self.M @ self.rate * self.ring.constant(Fraction(1, 2))

    @cached_property
    def P(self) -> Any:
        """Potential energy of everything, base and springs included; that of gravity is zero at the world's origin."""
        if self.is_base:
            raise SteinerError(UP_TO_A_CONSTANT)
        return self.run(dynamics.potential_energy, self.at)
