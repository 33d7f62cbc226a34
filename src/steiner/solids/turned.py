"""Limits of integration carried to a turned frame (paper §6, eqs 50-57, tables 1-3; M2).

A region between planes is again one in any other frame: slabs of the outermost coordinate between corners, in each
slab strips between edges, in each strip the innermost coordinate between two faces.  Which corners, edges and faces
these are is seen at numbers; the limits themselves are formulas of whatever the region and the pose are made of.
With symbols they are found for some values of them and hold for all others as *signed* integrals: limits that then
run backwards count negative (eq. 56 for α > π/4), because both sides are analytic.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, NamedTuple, final

import numpy as np
import sympy

from steiner.errors import GeometryError
from steiner.scalar import array, is_symbolic
from steiner.solids.base import place
from steiner.solids.bounds import COORDINATES, Region, polynomial_bounds
from steiner.solids.exactness import exact_pose
from steiner.solids.limits import Limits
from steiner.solids.polynomial import NotPolynomial, Polynomial
from steiner.spatial import Pose, Vector, cross, dot

TRIES = 200
ANGLE = 0.3  # where the order of corners is seen, if an angle is a symbol: before π/4, as in the paper's figures
SAME = 1e-9  # beside the size of the region


class Plane(NamedTuple):
    """n · r ≤ d."""

    n: Any
    d: Any

    def moved(self, pose: Pose) -> Plane:
        """The same plane in the frame that the region is carried to."""
        n = pose.R @ self.n
        return Plane(n, self.d + dot(n, pose.p))


@final
@dataclass(frozen=True, repr=False)
class Linear:
    """A limit in numbers: constant + Σ slope · outer coordinate."""

    constant: Any
    slopes: tuple[Any, ...]
    names: str

    def __call__(self, *outer: Any) -> Any:
        """Its value there."""
        result = self.constant
        for slope, value in zip(self.slopes, outer, strict=True):
            result = result + slope * value if slope else result
        return result

    def __repr__(self) -> str:
        terms = [f"{s:+.6g} {n}" for s, n in zip(self.slopes, self.names, strict=True) if s]
        return " ".join([f"{self.constant:.6g}", *terms])


def turned(
    limits: Limits, pose: Pose | None = None, *, xyz: Vector | None = None, rpy: Vector | None = None
) -> Limits:
    """See `Limits.turned`."""
    pose = place(pose, xyz, rpy)
    try:
        bounds = polynomial_bounds(limits)
    except NotPolynomial as error:
        raise _not_flat(str(error)) from None
    numbers = _values(bounds, pose)
    pieces = [piece for region in bounds for piece in _pieces(region, pose, numbers)]
    return Limits(*pieces).carried(limits, pose, in_sines_and_cosines)


def _not_flat(what: str) -> GeometryError:
    return GeometryError(
        f"Limits.turned: {what} is no plane; only regions between planes have limits in a turned frame that can be "
        "written down. Use at(pose), which carries volume, centre and tensor of any region"
    )


# ---- a region as planes ----------------------------------------------------------------------------------


def planes_of(region: Region) -> list[tuple[Plane, Plane]]:
    """Of each coordinate, outermost first, the planes below and above."""
    found = []
    for k, low, high in region:
        below, above = (_plane(k, limit) for limit in (low, high))
        found.append((Plane(-below.n, -below.d), above))
    return found


def _plane(k: int, limit: Polynomial) -> Plane:
    """coordinate k ≤ limit."""
    n = np.array([int(i == k) for i in range(3)], dtype=object)
    d: Any = 0
    for powers, c in limit.terms.items():
        if sum(powers) > 1:
            raise _not_flat(f"a limit of {COORDINATES[k]} of degree {sum(powers)}")
        if sum(powers) == 0:
            d = c
        else:
            n[powers.index(1)] -= c
    return Plane(n, d)


def _values(bounds: Sequence[Region], pose: Pose) -> Callable[[Any], float]:
    """What a number or an expression is where the order of corners is seen."""
    given = [v for region in bounds for pair in planes_of(region) for p in pair for v in (*p.n, p.d)]
    turning = {s for v in pose.R.ravel() if is_symbolic(v) for s in v.free_symbols}
    symbols = {s for v in (*given, *pose.p) if is_symbolic(v) for s in v.free_symbols} | turning
    if not symbols:
        return float
    draw = random.Random(1)
    for _ in range(TRIES):
        at = {s: ANGLE * draw.uniform(0.9, 1.1) if s in turning else draw.uniform(0.5, 1.5)
              for s in sorted(symbols, key=str)}  # fmt: skip
        at = {s: -v if s.is_negative else v for s, v in at.items()}

        def numbers(value: Any, at: dict[Any, float] = at) -> float:
            return float(sympy.sympify(value).subs(at)) if is_symbolic(value) else float(value)

        if all(_orientation(region, numbers) for region in bounds):
            return numbers
    listed = ", ".join(sorted(map(str, symbols)))
    raise GeometryError(
        f"Limits.turned: no values of {listed} were found for which the limits bound something; substitute numbers"
    )


def _orientation(region: Region, numbers: Callable[[Any], float]) -> int:
    """+1 or −1 as the region counts; 0 if a pair of limits meets or crosses inside the outer ones."""
    corners: list[tuple[float, ...]] = [()]
    sign, outside = 1, []
    for k, low, high in region:
        ends, gaps = [], []
        for corner in corners:
            at = dict(zip(outside, corner, strict=True))
            pair = [_at(limit, at, numbers) for limit in (low, high)]
            gaps.append(pair[1] - pair[0])
            ends += [(*corner, v) for v in pair]
        least = SAME * max(map(abs, gaps))
        if not (all(g >= -least for g in gaps) or all(g <= least for g in gaps)) or max(map(abs, gaps)) == 0:
            return 0
        sign *= 1 if sum(gaps) > 0 else -1
        corners = ends
        outside.append(k)
    return sign


def _at(limit: Polynomial, at: dict[int, float], numbers: Callable[[Any], float]) -> float:
    total = 0.0
    for powers, c in limit.terms.items():
        total += numbers(c) * float(np.prod([at.get(k, 0.0) ** p for k, p in enumerate(powers)]))
    return total


# ---- pieces between corners, edges and faces -----------------------------------------------------------------


def _pieces(region: Region, pose: Pose, numbers: Callable[[Any], float]) -> Iterator[list[Any]]:
    """Nested limits in the turned frame, in the order in which the region has them."""
    sign = _orientation(region, numbers)
    if sign == 0:
        raise GeometryError(
            "Limits.turned: two limits meet or cross inside the outer ones, so that a part of the region counts "
            "negative; give the parts as regions of their own"
        )
    order = [k for k, _, _ in region]
    pairs = [(low, high) if forward else (Plane(-high.n, -high.d), Plane(-low.n, -low.d))
             for (low, high), forward in zip(planes_of(region), _forward(region, numbers), strict=True)]  # fmt: skip
    is_exact = any(is_symbolic(v) for p in (q for pair in pairs for q in pair) for v in (*p.n, p.d)) or any(
        is_symbolic(v) for v in (*pose.R.ravel(), *pose.p)
    )
    frame = exact_pose(pose) if is_exact else pose
    planes = [p.moved(frame) for pair in pairs for p in pair]
    planes = [Plane(p.n[order], p.d) for p in planes]  # outermost coordinate first
    seen = [Plane(np.array([numbers(v) for v in p.n]), numbers(p.d)) for p in planes]
    writer = _Writer(planes, order, is_exact)
    levels = _corners(seen)
    for (low, at), (high, beyond) in pairwise(levels):
        outer = (low + high) / 2
        strips = _edges(seen, outer)
        for (left, edge), (right, next_edge) in pairwise(strips):
            inner = _faces(seen, outer, (left + right) / 2)
            ends = (writer.corner(at), writer.corner(beyond))
            yield [
                (writer.names[0], *(ends if sign > 0 else ends[::-1])),
                (writer.names[1], writer.edge(edge), writer.edge(next_edge)),
                (writer.names[2], *(writer.face(k) for k in inner)),
            ]


def _forward(region: Region, numbers: Callable[[Any], float]) -> list[bool]:
    """Of each pair of limits, whether it runs forward."""
    return [_orientation(region[: k + 1], numbers) * (_orientation(region[:k], numbers) if k else 1) > 0
            for k in range(len(region))]  # fmt: skip


def _distinct(found: list[tuple[float, Any]], size: float) -> list[tuple[float, Any]]:
    """Sorted, those at the same place once."""
    result: list[tuple[float, Any]] = []
    for value, what in sorted(found, key=lambda item: item[0]):
        if not result or value - result[-1][0] > SAME * size:
            result.append((value, what))
    return result


def _inside(seen: Sequence[Plane], point: np.ndarray, size: float) -> bool:
    return all(p.n @ point <= p.d + SAME * size * max(1.0, float(np.abs(p.n).max())) for p in seen)


def _size(seen: Sequence[Plane]) -> float:
    """The largest extent between opposite planes, which come in pairs."""
    corners = [_meeting([seen[i] for i in three]) for three in combinations(range(len(seen)), 3)]
    known = np.array([c for c in corners if c is not None])
    return float(np.abs(known - known.mean(axis=0)).max())


def _meeting(planes: Sequence[Plane]) -> np.ndarray | None:
    normals = np.array([p.n / np.linalg.norm(p.n) for p in planes])
    if abs(np.linalg.det(normals)) < 1e-10:
        return None
    return np.linalg.solve(np.array([p.n for p in planes]), np.array([p.d for p in planes]))


def _corners(seen: Sequence[Plane]) -> list[tuple[float, tuple[int, int, int]]]:
    """Where the outermost coordinate passes corners, and the planes that meet there."""
    found, size = [], _size(seen)
    for three in combinations(range(len(seen)), 3):
        point = _meeting([seen[i] for i in three])
        if point is not None and _inside(seen, point, size):
            found.append((float(point[0]), three))
    return _distinct(found, size)


def _edges(seen: Sequence[Plane], outer: float) -> list[tuple[float, tuple[int, int]]]:
    """Where, at a value of the outermost coordinate, the middle one passes edges, and the planes that meet there."""
    found, size = [], _size(seen)
    for i, j in combinations(range(len(seen)), 2):
        normals = np.array([seen[i].n[1:], seen[j].n[1:]])
        if abs(np.linalg.det(normals)) <= 1e-10 * np.abs(normals).max() ** 2:
            continue
        rest = np.array([seen[k].d - seen[k].n[0] * outer for k in (i, j)])
        y, x = np.linalg.solve(normals, rest)
        if _inside(seen, np.array([outer, y, x]), size):
            found.append((float(y), (i, j)))
    return _distinct(found, size)


def _faces(seen: Sequence[Plane], outer: float, middle: float) -> tuple[int, int]:
    """The planes between which the innermost coordinate lies there."""
    low, high = (-np.inf, -1), (np.inf, -1)
    for k, p in enumerate(seen):
        if abs(p.n[2]) < 1e-10 * np.abs(p.n).max():
            continue
        at = (p.d - p.n[0] * outer - p.n[1] * middle) / p.n[2]
        if p.n[2] < 0:
            low = max(low, (at, k))
        else:
            high = min(high, (at, k))
    return low[1], high[1]


class _Writer:
    """Corners, edges and faces as limits: expressions of the outer coordinates, or linear functions in numbers."""

    def __init__(self, planes: Sequence[Plane], order: Sequence[int], is_exact: bool) -> None:
        self.planes, self.is_exact = planes, is_exact
        self.letters = "".join(COORDINATES[k] for k in order)
        taken = {s.name for p in planes for v in (*p.n, p.d) if is_symbolic(v) for s in v.free_symbols}
        mark = "'" if taken & set(COORDINATES) else ""
        self.symbols = [sympy.Symbol(f"{c}{mark}", real=True) for c in self.letters]
        self.names: list[Any] = self.symbols if is_exact else list(self.letters)

    def corner(self, three: tuple[int, int, int]) -> Any:
        """The outermost coordinate where three planes meet, by Cramer's rule."""
        a, b, c = (self.planes[i] for i in three)
        whole = dot(a.n, cross(b.n, c.n))
        bc, ca, ab = cross(b.n, c.n)[0], cross(c.n, a.n)[0], cross(a.n, b.n)[0]
        return self._tidy((a.d * bc + b.d * ca + c.d * ab) / whole)

    def edge(self, two: tuple[int, int]) -> Any:
        """The middle coordinate where two planes meet, the innermost eliminated."""
        a, b = (self.planes[i] for i in two)
        whole = a.n[1] * b.n[2] - b.n[1] * a.n[2]
        constant = (a.d * b.n[2] - b.d * a.n[2]) / whole
        return self._linear(constant, (-(a.n[0] * b.n[2] - b.n[0] * a.n[2]) / whole,))

    def face(self, one: int) -> Any:
        """The innermost coordinate on a plane."""
        n, d = self.planes[one]
        return self._linear(d / n[2], (-n[0] / n[2], -n[1] / n[2]))

    def _linear(self, constant: Any, slopes: tuple[Any, ...]) -> Any:
        constant, slopes = self._tidy(constant), tuple(self._tidy(s) for s in slopes)
        if self.is_exact:
            return constant + sum(s * v for s, v in zip(slopes, self.symbols, strict=False))
        slopes = tuple(0.0 if abs(s) < 1e-15 else s for s in slopes)
        return Linear(constant, slopes, self.letters[: len(slopes)]) if any(slopes) else constant

    def _tidy(self, value: Any) -> Any:
        return in_sines_and_cosines(value) if self.is_exact else float(value)


def in_sines_and_cosines(value: Any) -> Any:
    """A rational function of sines and cosines in lowest terms, by sin² = 1 − cos² of every angle."""
    if not is_symbolic(value):
        return value
    value = value.replace(sympy.tan, lambda a: sympy.sin(a) / sympy.cos(a))
    value = value.replace(sympy.cot, lambda a: sympy.cos(a) / sympy.sin(a))
    for sine in sorted(value.atoms(sympy.sin), key=str):
        cosine = sympy.cos(sine.args[0])
        top, bottom = sympy.fraction(sympy.together(value))
        if sympy.degree(bottom, sine) % 2:
            top, bottom = top * sine, bottom * sine
        even, odd = _halves(top, sine, cosine)
        below, rest = _halves(bottom, sine, cosine)
        if rest != 0:
            return sympy.factor(value)
        value = sympy.factor(even / below) + sine * sympy.factor(odd / below)
        value = _shorter(value, sine, cosine)
    return sympy.factor(value)


def _halves(value: Any, sine: Any, cosine: Any) -> tuple[Any, Any]:
    """P and Q of P + Q sin, both without sin."""
    even, odd = sympy.Integer(0), sympy.Integer(0)
    for (n,), c in sympy.Poly(sympy.expand(value), sine).terms():
        c = c * (1 - cosine**2) ** (n // 2)
        even, odd = (even, odd + c) if n % 2 else (even + c, odd)
    return sympy.expand(even), sympy.expand(odd)


def _shorter(value: Any, sine: Any, cosine: Any) -> Any:
    """1 − cos² in a denominator is sin² again."""
    factored = sympy.factor(value)
    pairs = {(cosine - 1) * (cosine + 1): -(sine**2)}
    top, bottom = sympy.fraction(factored)
    return sympy.cancel(top / bottom.subs(pairs)) if bottom.has(cosine) else factored


def corners_of(limits: Limits) -> list[np.ndarray]:
    """Corners of the region(s) as their limits give them: eq. 33, table 1."""
    found: list[np.ndarray] = []
    for region in polynomial_bounds(limits):
        corners: list[dict[int, Any]] = [{}]
        for k, low, high in region:
            corners = [at | {k: _exactly(limit, at)} for at in corners for limit in (low, high)]
        found += [array([at[k] for k in range(3)]) for at in corners]
    return found


def _exactly(limit: Polynomial, at: dict[int, Any]) -> Any:
    total: Any = 0
    for powers, c in limit.terms.items():
        for k, p in enumerate(powers):
            c = c * at[k] ** p if p else c
        total = total + c
    return total
