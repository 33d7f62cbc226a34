"""The numbers in a small arm's formulas as functions of what the arm is made of.

Formulas are linear in the numbers that are written in them.  Those of M and G follow from the values of both at some
poses, which any kernel computes; those of V follow from M by Christoffel, those of τ from all three.  So a page can
change a length or a load and write the same formulas anew; what they then lack (a new term) is told as a miss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from steiner import dynamics
from steiner.errors import SteinerError
from steiner.formulas.system import Cell, Equations
from steiner.formulas.writing import ACCELERATION, MASS, RATE, Atom, Sum, Term, sympy_of
from steiner.model.robot import Robot
from steiner.text.layout import Box

CLOSE = 1e-9  # of the largest: two formulas are the same
PLENTY = 3  # states for each number to be found
PROBES = 3  # rows of every entry of M and G that tell what the formulas miss


@dataclass(frozen=True, eq=False)
class Coefficients:
    """The formulas of a robot with a name for every number in them, and how the numbers are found."""

    equations: Equations  # whose numbers are boxes of kind "live"
    values: np.ndarray  # of the robot as it is
    poses: np.ndarray  # at which M and G are asked for
    asked: list[tuple[int, int]]  # pose and entry: those that determine the first numbers, then probes
    design: np.ndarray  # these entries from the first numbers
    others: np.ndarray  # all numbers from the first ones
    beyond: np.ndarray  # of the first ones, what V and τ as they are written cannot hold

    def of(self, robot: Any) -> dict[str, np.ndarray]:
        """All numbers; and the squares of what the formulas miss and of M and G.  Floats, or traced ones."""
        entries = {pose: _asked(robot, self.poses[pose]) for pose in sorted({pose for pose, _ in self.asked})}
        seen = np.array([entries[pose][entry] for pose, entry in self.asked], dtype=object)
        known = self.inverse.shape[1]
        first = self.shared + _product(self.inverse, seen[:known])
        lacking = seen[known:] - _product(self.design[known:], first)
        miss = np.concatenate([lacking, _product(self.beyond, first)])
        numbers = self.kept + _product(self.others, first)
        return {"numbers": numbers, "miss": np.array([miss @ miss, seen @ seen], dtype=object)}


    @cached_property
    def inverse(self) -> np.ndarray:
        """First numbers from the entries that determine them."""
        rank = np.linalg.matrix_rank(self.design)
        found = np.linalg.pinv(self.design[:rank])
        return np.where(np.abs(found) > 1e-12, found, 0.0)  # round-off of G would be seen in small numbers of M

    @cached_property
    def shared(self) -> np.ndarray:
        """What stays of the first numbers: where several say the same, one change is shared between them."""
        rank, count = self.inverse.shape[1], self.design.shape[1]
        if rank == count:
            return np.zeros(count)
        return self.values[:count] - self.inverse @ (self.design[:rank] @ self.values[:count])

    @cached_property
    def kept(self) -> np.ndarray:
        """What stays of all numbers, likewise."""
        left = self.values - self.others @ self.values[: self.design.shape[1]]
        return np.where(np.abs(left) > CLOSE * np.abs(self.values).max(initial=0.0), left, 0.0)


def coefficients(robot: Robot) -> Coefficients:
    """See `Coefficients`; of arms that are small enough to have formulas."""
    _check_joints(robot)
    eq, names = Equations(robot), _Names()
    if not eq.is_closed:
        raise SteinerError(f"{robot.name} has more than three joints: its formulas are sequences of names")
    M, G = (names.term(eq, name) for name in ("M", "G"))
    first = list(names.symbols)
    behind = [sum(len(eq.terms.writer.sum(x).terms) for x in row) for row in zip(eq.terms.S, eq.terms.F, strict=True)]
    V, tau = names.term(eq, "V"), names.term(eq, "tau", behind)
    speed = _christoffel(M, eq.q, eq.qd)
    states = np.random.default_rng(0).uniform(-2.5, 2.5, (PLENTY * max(len(names.symbols), 4), 3 * robot.n))
    others, beyond = [np.eye(len(first))], []
    for written, truth in ((V, speed), (tau, M * sympy.Matrix(eq.qdd) + speed + G)):
        mine = [s for s in names.symbols if s in written.free_symbols]
        have, want = (_slopes(x, s, [*eq.q, *eq.qd, *eq.qdd], states) for x, s in ((written, mine), (truth, first)))
        found = np.linalg.pinv(have) @ want
        others.append(np.where(np.abs(found) > CLOSE, found, 0.0))
        beyond.append(np.linalg.qr(have @ found - want, mode="r"))
    poses = states[: max(PLENTY * len(first) // robot.n, 4), : robot.n]
    entries = sympy.Matrix([*(M[i, j] for i in range(robot.n) for j in range(i, robot.n)), *G])
    design = _slopes(entries, first, eq.q, poses)
    rows = _telling(design, len(entries))
    left = np.linalg.qr(np.concatenate(beyond), mode="r")
    return Coefficients(
        eq, np.array(names.values), poses, [divmod(k, len(entries)) for k in rows], design[rows],
        np.concatenate(others), np.where(np.abs(left) > CLOSE, left, 0.0),
    )  # fmt: skip


def _telling(design: np.ndarray, entries: int) -> list[int]:
    """Rows on which all others depend, each the farthest from those before it; then probes of every entry."""
    rest, rows = design / np.abs(design).max(axis=0, initial=1e-300), list[int]()
    for _ in range(np.linalg.matrix_rank(design)):
        rows.append(int(np.linalg.norm(rest, axis=1).argmax()))
        along = rest[rows[-1]] / np.linalg.norm(rest[rows[-1]])
        rest = rest - np.outer(rest @ along, along)
    free = [k for k in range(len(design)) if k not in rows]
    return rows + [k for entry in range(entries) for k in [k for k in free if k % entries == entry][-PROBES:]]


def _check_joints(robot: Robot) -> None:
    """Springs and friction stay numbers: refuse a drawing whose parameters reach them."""

    def stated(arm: Robot) -> list[Any]:
        return [(b.joint.stiffness, b.joint.rest, b.joint.friction) for b in arm.bodies]

    for name, value in robot.parameters.items():
        if stated(robot.with_parameters({name: value * (1 + CLOSE) + CLOSE})) != stated(robot):
            raise SteinerError(f"{name} changes springs or friction, whose numbers stay as they are")


class _Names:
    """Gives a symbol to every number of a formula."""

    def __init__(self) -> None:
        self.symbols, self.values = list[sympy.Symbol](), list[float]()

    def term(self, eq: Equations, name: str, behind: Sequence[int] | None = None) -> sympy.Matrix:
        """A term with symbols, also as `eq` writes it; those `behind` in each row, springs and friction, stay."""
        cells: Any = eq.written(name)
        new: Any = np.zeros(cells.shape, dtype=object)
        for at in np.ndindex(*cells.shape):
            terms = cells[at].sum.terms
            count = len(terms) - (behind[at[0]] if behind else 0)
            mirrored = name == "M" and at[0] > at[1]
            named = new[at[::-1]].sum if mirrored else Sum(tuple(self._named(eq, t) for t in terms[:count]))
            new[at] = Cell(Sum((*named.terms, *terms[count:])))
        eq._written[name] = new
        own = [sympy_of(Sum(c.sum.terms[: len(c.sum.terms) - (behind[k] if behind else 0)])) for k, c in _rows(new)]
        return sympy.Matrix(len(cells), len(own) // len(cells), own)

    def _named(self, eq: Equations, term: Term) -> Term:
        """The term with a symbol for its number; before a bracket there is a sign only."""
        inner = [isinstance(f, Sum) and not _is_of_rates(f) for f, _ in term.factors]
        if any(inner):
            factors = [
                (Sum(tuple(self._named(eq, t) for t in f.terms)) if own else f, power)
                for (f, power), own in zip(term.factors, inner, strict=True)
            ]
            return Term(term.coefficient, tuple(factors))
        size, sign = abs(term.coefficient), -1 if term.coefficient < 0 else 1
        symbol = sympy.Dummy(f"x{len(self.symbols)}")
        eq.typesetter.call(symbol, Box("live", str(len(self.symbols)), (eq.typesetter.decimals(size),)))
        self.symbols.append(symbol)
        self.values.append(float(size))
        return Term(Fraction(sign), ((Atom((MASS, 0), symbol), 1), *term.factors))


def _rows(cells: np.ndarray) -> list[tuple[int, Any]]:
    return [(at[0], cells[at]) for at in np.ndindex(*cells.shape)]


def _is_of_rates(x: Sum) -> bool:
    """Whether a bracket holds rates and whole numbers only, as in (2 q̇₁q̇₂ + q̇₂²)."""
    kinds = {f.rank[0] if isinstance(f, Atom) else None for t in x.terms for f, _ in t.factors}
    return kinds <= {RATE, ACCELERATION}


def _christoffel(M: Any, q: Sequence[Any], qd: Sequence[Any]) -> sympy.Matrix:
    """Σ (∂m_ij/∂q_k − ½ ∂m_jk/∂q_i) q̇_j q̇_k."""
    n = range(len(q))
    pairs = [(j, k) for j in n for k in n]
    return sympy.Matrix([
        sum((M[i, j].diff(q[k]) - M[j, k].diff(q[i]) / 2) * qd[j] * qd[k] for j, k in pairs) for i in n
    ])  # fmt: skip


def _slopes(formula: sympy.Matrix, symbols: list[Any], inputs: list[Any], states: np.ndarray) -> np.ndarray:
    """d formula / d symbols, linear, at states: a row per state and entry."""
    if not symbols:
        return np.zeros((len(states) * len(formula), 0))
    names = [sympy.Symbol(f"in{k}") for k in range(len(inputs))]
    table = formula.reshape(len(formula), 1).jacobian(symbols).xreplace(dict(zip(inputs, names, strict=True)))
    at = sympy.lambdify(names, table, "numpy")
    return np.concatenate([np.asarray(at(*state), dtype=float).reshape(len(formula), -1) for state in states])


def _asked(robot: Any, q: np.ndarray) -> list[Any]:
    M = dynamics.mass_matrix(robot, q)
    return [*(M[i, j] for i in range(len(M)) for j in range(i, len(M))), *dynamics.gravity_forces(robot, q)]


def _product(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """matrix @ vector, where the vector may be traced: zeros of the matrix take no operation."""
    rows = [[(c, x) for c, x in zip(row, vector, strict=True) if c] for row in matrix.tolist()]
    return np.array([sum((x if c == 1 else c * x for c, x in row), 0.0) for row in rows], dtype=object)
