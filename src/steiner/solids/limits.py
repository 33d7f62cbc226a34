"""Solids given by nested limits of integration, numbers or symbols, signed (paper §6, C9).

    Limits(("z", -a/2, a/2), ("y", 0, a/2), ("x", 0, a/2))

reads as ∫dz ∫dy ∫dx, outermost first.  A limit is a number, an expression in the outer coordinates, or
a function of them.  Several regions may be given, each a list of three; their integrals add up *signed*:
limits that run backwards count negative, as they do on paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any, ClassVar, Self, final

import numpy as np

from steiner.doors import door
from steiner.errors import GeometryError, SteinerError
from steiner.scalar import array, is_symbolic, is_zero, numbers, total
from steiner.solids.base import Solid
from steiner.solids.charts import Chart
from steiner.solids.polynomial import NotPolynomial, Polynomial, Powers
from steiner.spatial import Pose, Vector

COORDINATES = "xyz"
MONOMIALS: list[Powers] = [(0, 0, 0), *((int(k == 0), int(k == 1), int(k == 2)) for k in range(3))]
MONOMIALS += [tuple((k == i) + (k == j) for k in range(3)) for i, j in combinations_with_replacement(range(3), 2)]


@dataclass(frozen=True, eq=False)
class _Bound:
    """One of the three integrals of a region."""

    coordinate: int
    symbol: Any  # the SymPy symbol, if one was given
    low: Any
    high: Any


def _is_function(limit: Any) -> bool:
    """Whether a limit is a Python function of the outer coordinates (SymPy's are expressions)."""
    return callable(limit) and not is_symbolic(limit)


def _bound(triple: Any) -> _Bound:
    try:
        name, low, high = triple
    except (TypeError, ValueError):
        raise GeometryError(f"Limits: expected (coordinate, from, to), got {triple!r}") from None
    letter = str(name)[:1].lower()
    if letter not in COORDINATES or not letter:
        raise GeometryError(f"Limits: the coordinate {name!r} should begin with x, y or z")
    low, high = (v if _is_function(v) else numbers(f"Limits: limit of {name}", v)[0] for v in (low, high))
    return _Bound(COORDINATES.index(letter), name if is_symbolic(name) else None, low, high)


@final
@dataclass(frozen=True, eq=False, init=False)
class Limits(Solid):
    """The region(s) between nested limits of integration; integrals are signed."""

    regions: tuple[tuple[_Bound, ...], ...]
    convex = False
    frame = "the coordinates of the integrals"
    before: ClassVar[tuple[Limits, Pose] | None] = None  # what was turned into these
    tidy: ClassVar[Callable[[Any], Any] | None] = None

    def __init__(self, *bounds: Any) -> None:
        if not bounds:
            raise GeometryError('Limits: expected three limits such as ("z", 0, 1), outermost first')
        nested = isinstance(bounds[0], list) or (
            isinstance(bounds[0], tuple) and isinstance(bounds[0][0], tuple | list)
        )
        regions = [tuple(_bound(b) for b in region) for region in (bounds if nested else [bounds])]
        for region in regions:
            if sorted(b.coordinate for b in region) != [0, 1, 2]:
                names = ", ".join(COORDINATES[b.coordinate] for b in region)
                raise GeometryError(f"Limits: expected one integral over each of x, y, z, got {names or 'none'}")
        object.__setattr__(self, "regions", tuple(regions))

    @classmethod
    def example(cls) -> Self:
        """A corner cut off by a sloping plane."""
        return cls(("z", -0.1, 0.15), ("y", 0, 0.2), ("x", lambda z, y: 0 * y, lambda z, y: 0.3 - y - z / 2))

    # ---- moments -----------------------------------------------------------------------------------

    @cached_property
    def _moments(self) -> _Moments:
        """∫ x^i y^j z^k dV from `_origin`, i + j + k ≤ 2, signed, each when first asked for."""
        return _Moments([_seen_from(self._origin, region) for region in self.regions], self.tidy)

    @cached_property
    def _origin(self) -> tuple[float, ...]:
        """A point of a region of floats, so that far from the frame's origin no digits are lost; else the origin."""
        region = self.regions[0]
        if all(isinstance(v, float) or _is_function(v) for r in self.regions for b in r for v in (b.low, b.high)):
            try:
                return _chart(region).point(*_chart(region).coordinates([0.5] * 3))
            except (TypeError, SteinerError):  # symbols within functions
                pass
        return (0, 0, 0)

    def _measure(self) -> Any:
        return self._moments[(0, 0, 0)]

    def _centre(self) -> Any:
        return [start + mean if start else mean for start, mean in zip(self._origin, self._means(), strict=True)]

    def _means(self) -> list[Any]:
        volume = self._volume()
        return [self._moments[powers] / volume for powers in MONOMIALS[1:4]]

    def _volume(self) -> Any:
        volume = self._measure()
        if is_zero(volume):
            raise GeometryError("Limits: the signed volume is 0; nothing lies between these limits")
        return volume

    def _gyration(self) -> Any:
        volume, centre = self._volume(), self._means()
        xx, xy, xz, yy, yz, zz = (self._moments[powers] / volume for powers in MONOMIALS[4:])
        second = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        return [[second[i][j] - centre[i] * centre[j] for j in range(3)] for i in range(3)]

    @door
    def turned(self, pose: Pose | None = None, *, xyz: Vector | None = None, rpy: Vector | None = None) -> Limits:
        """The same region by limits of integration in another frame, as `at` has it: coordinates R r + p.

        A region between planes becomes one or several, piecewise, with limits that are formulas of the outer
        coordinates; an angle may be a symbol, and then the integrals are signed.  `derivation` of what comes out shows
        both ways to the tensor: the old limits with the integrand of eq. 26, and the new ones.
        """
        ...

    def carried(self, limits: Limits, pose: Pose, tidy: Callable[[Any], Any]) -> Limits:
        """These limits with the memory of those that they were before a pose was applied; `tidy` shortens integrals."""
        object.__setattr__(self, "before", (limits, pose))
        object.__setattr__(self, "tidy", tidy)
        return self

    def subs(self, change: Callable[[Any], Any]) -> Limits:
        """The same regions with every limit that is an expression changed."""
        return Limits(
            *(
                [
                    (
                        b.symbol or COORDINATES[b.coordinate],
                        *(v if _is_function(v) else change(v) for v in (b.low, b.high)),
                    )
                    for b in r
                ]
                for r in self.regions
            )
        )

    # ---- where its surface is ----------------------------------------------------------------------

    def _charts(self) -> list[Chart]:
        return [_chart(region) for region in self.regions]

    def symbolic_charts(self) -> list[Chart]:
        """The integrals as they were given, limits not yet evaluated (for the derivation)."""
        return [_written(region) for region in self.regions]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        vertices = self.mesh(24)[0]
        return vertices[(directions @ vertices.T).argmax(axis=1)]

    def _depth(self, points: np.ndarray) -> np.ndarray:
        deepest = np.full(len(points), -np.inf)
        for region in self.regions:
            for row, p in enumerate(points):
                outer: list[float] = []
                gaps = []
                for b in region:
                    low, high = _numeric(b, region, outer)
                    gaps += [p[b.coordinate] - low, high - p[b.coordinate]]
                    outer.append(p[b.coordinate])
                deepest[row] = max(deepest[row], min(gaps))
        return deepest

    def __repr__(self) -> str:
        regions = ["; ".join(f"{COORDINATES[b.coordinate]} from {b.low} to {b.high}" for b in r) for r in self.regions]
        return f"Limits({' and '.join(regions)})"


class _Moments(dict[Powers, Any]):
    """Moments of all regions together; only those that are asked for are integrated."""

    def __init__(self, regions: Sequence[Sequence[_Bound]], tidy: Callable[[Any], Any] | None = None) -> None:
        super().__init__()
        self.tidy = tidy
        self.integrals = [_integral(region) for region in regions]

    def __missing__(self, powers: Powers) -> Any:
        value = total(integral(powers) for integral in self.integrals)
        self[powers] = value if self.tidy is None else self.tidy(value)
        return self[powers]


def _seen_from(origin: tuple[float, ...], region: Sequence[_Bound]) -> tuple[_Bound, ...]:
    """The same region in coordinates that start at a point."""

    def moved(limit: Any, k: int, depth: int) -> Any:
        if not _is_function(limit):
            return limit - origin[k]
        outer = [origin[b.coordinate] for b in region[:depth]]
        return lambda *at: limit(*(v + start for v, start in zip(at, outer, strict=True))) - origin[k]

    if not any(origin):
        return tuple(region)
    return tuple(
        _Bound(b.coordinate, b.symbol, moved(b.low, b.coordinate, d), moved(b.high, b.coordinate, d))
        for d, b in enumerate(region)
    )


def _integral(region: Sequence[_Bound]) -> Callable[[Powers], Any]:
    """How moments of one region are found: exactly, by SymPy, or by quadrature."""
    try:
        bounds = [
            (b.coordinate, _polynomial(b.low, region, k), _polynomial(b.high, region, k)) for k, b in enumerate(region)
        ]
    except NotPolynomial:
        if any(is_symbolic(v) for b in region for v in (b.low, b.high)):
            return lambda powers: _symbolic_moment(region, powers)
        return _numeric_moments(region).__getitem__

    def exactly(powers: Powers) -> Any:
        integrand = Polynomial({powers: 1})
        for k, low, high in reversed(bounds):
            integrand = integrand.integrated(k, low, high)
        return integrand.constant

    return exactly


Region = Sequence[tuple[int, Polynomial, Polynomial]]  # coordinate, from, to; outermost first


def polynomial_bounds(limits: Limits) -> list[Region]:
    """The regions with every limit as a polynomial in the outer coordinates; raises NotPolynomial."""
    return [
        [(b.coordinate, _polynomial(b.low, r, k), _polynomial(b.high, r, k)) for k, b in enumerate(r)]
        for r in limits.regions
    ]


def _polynomial(limit: Any, region: Sequence[_Bound], depth: int) -> Polynomial:
    """The limit as a polynomial in the coordinates outside it."""
    if _is_function(limit):
        try:
            value = limit(*(Polynomial.coordinate(b.coordinate) for b in region[:depth]))
        except (TypeError, SteinerError) as error:
            raise NotPolynomial(str(error)) from error
        return value if isinstance(value, Polynomial) else Polynomial.of(*numbers("Limits: what a limit gives", value))
    if not is_symbolic(limit):
        return Polynomial.of(limit)
    present = {str(s): s for s in limit.free_symbols}
    inside = [(COORDINATES[b.coordinate], b.symbol) for b in region[depth:]]
    inner = [letter for letter, s in inside if (letter in present if s is None else s in limit.free_symbols)]
    if inner:
        raise GeometryError(f"Limits: the limit {limit} depends on {inner[0]}, which is integrated further inside")
    terms: dict[Powers, Any] = {(0, 0, 0): limit}
    for b in region[:depth]:
        symbol = b.symbol if b.symbol is not None else present.get(COORDINATES[b.coordinate])
        spread: dict[Powers, Any] = {}
        for powers, c in terms.items():
            if symbol is None or not is_symbolic(c) or symbol not in c.free_symbols:
                spread[powers] = spread.get(powers, 0) + c
                continue
            poly = c.as_poly(symbol)
            if poly is None:
                raise NotPolynomial(f"{limit} in {symbol}")
            for (n,), coefficient in poly.terms():
                raised = tuple(p + n * (i == b.coordinate) for i, p in enumerate(powers))
                spread[raised] = spread.get(raised, 0) + coefficient
        terms = spread
    return Polynomial(terms)


def _symbolic_moment(region: Sequence[_Bound], powers: Powers) -> Any:
    """Limits such as √(r² − y²): the innermost integral in closed form, the others by SymPy."""
    if any(b.symbol is None for b in region):
        raise GeometryError("Limits: give the coordinates as symbols, (x, from, to), when limits are not polynomials")
    inner = region[-1]
    n = powers[inner.coordinate] + 1
    integrand = (inner.high**n - inner.low**n) / n
    for b in reversed(region[:-1]):
        integrand = (b.symbol ** powers[b.coordinate] * integrand).expand()
        across = _over_a_chord(integrand, b)
        integrand = integrand.integrate((b.symbol, b.low, b.high)) if across is None else across
    return integrand


def _over_a_chord(integrand: Any, b: _Bound) -> Any:
    """∫ over −s ≤ v ≤ s of powers of v and √(s² − v²), by v = s sin t; None if it is anything else (SymPy's turn)."""
    import sympy

    s, v = sympy.sympify(b.high), b.symbol
    is_root = s.is_Pow and s.exp == sympy.Rational(1, 2)
    if sympy.expand(s + b.low) != 0 or not (is_root or s.is_nonnegative):
        return None
    sine, cosine = sympy.Dummy("sine"), sympy.Dummy("cosine")
    rest = sympy.expand(s**2 - v**2)
    roots = {p: (s * cosine) ** (2 * p.exp) for p in integrand.atoms(sympy.Pow) if sympy.expand(p.base - rest) == 0}
    turned = sympy.expand(integrand.xreplace(roots).xreplace({v: s * sine}) * s * cosine)
    if not turned.is_polynomial(sine, cosine):
        return None
    result = sympy.Integer(0)
    for (i, j), factor in sympy.Poly(turned, sine, cosine).terms():
        if i % 2 == 0:  # ∫ sin^i cos^j dt over half a turn
            p, q = sympy.Rational(i + 1, 2), sympy.Rational(j + 1, 2)
            result += factor * sympy.gamma(p) * sympy.gamma(q) / sympy.gamma(p + q)
    return sympy.expand(result)


def _double_exponential(step: float = 1 / 16) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of tanh-sinh quadrature on [−1, 1]: exact to round-off beside square roots."""
    t = np.arange(-3.2, 3.2 + step, step)
    u = np.pi / 2 * np.sinh(t)
    return np.tanh(u), step * np.pi / 2 * np.cosh(t) / np.cosh(u) ** 2


def _numeric(b: _Bound, region: Sequence[_Bound], outer: Sequence[float]) -> tuple[float, float]:
    return _value(b.low, region, outer), _value(b.high, region, outer)


def _value(limit: Any, region: Sequence[_Bound], outer: Sequence[float]) -> float:
    if _is_function(limit):
        try:
            return float(limit(*outer))
        except (TypeError, ValueError, ArithmeticError) as error:
            where = ", ".join(f"{v:g}" for v in outer)
            raise GeometryError(f"Limits: a limit fails at ({where}) of the outer coordinates: {error}") from None
    if not is_symbolic(limit):
        return float(limit)
    named = {str(s): s for s in limit.free_symbols}
    pairs = [(b.symbol or named.get(COORDINATES[b.coordinate]), v) for b, v in zip(region, outer, strict=False)]
    value = limit.subs([(s, v) for s, v in pairs if s is not None])
    if not value.is_number:
        raise GeometryError(f"Limits: {limit} is not a number; substitute values for the symbols first")
    return float(value)


def _numeric_moments(region: Sequence[_Bound]) -> dict[Powers, Any]:
    """Limits that are not polynomials: two integrals by quadrature, the innermost in closed form."""
    nodes, weights = _double_exponential()
    outer, middle, inner = region
    result = dict.fromkeys(MONOMIALS, 0.0)
    low0, high0 = _numeric(outer, region, ())
    for t0, w0 in zip(nodes, weights, strict=True):
        u = (low0 + high0) / 2 + (high0 - low0) / 2 * t0
        low1, high1 = _numeric(middle, region, (u,))
        for t1, w1 in zip(nodes, weights, strict=True):
            v = (low1 + high1) / 2 + (high1 - low1) / 2 * t1
            low, high = _numeric(inner, region, (u, v))
            weight = w0 * w1 * (high0 - low0) / 2 * (high1 - low1) / 2
            for powers in MONOMIALS:
                n = powers[inner.coordinate] + 1
                across = u ** powers[outer.coordinate] * v ** powers[middle.coordinate]
                result[powers] += weight * across * (high**n - low**n) / n
    if not np.isfinite(array(list(result.values()))).all():
        raise GeometryError("Limits: a limit is not a number somewhere between the outer limits")
    return result


def _written(region: Sequence[_Bound]) -> Chart:
    def limit(b: _Bound) -> Callable[..., tuple[Any, Any]]:
        def pair(*outer: Any) -> tuple[Any, Any]:
            out = []
            for v in (b.low, b.high):
                if _is_function(v):
                    out.append(_of_symbols(v, outer))
                elif is_symbolic(v):
                    out.append(
                        v.subs({o.symbol or COORDINATES[o.coordinate]: w for o, w in zip(region, outer, strict=False)})
                    )
                else:
                    out.append(v)
            return out[0], out[1]

        return pair

    chart = _chart(region)
    return Chart(chart.names, tuple(limit(b) for b in region), chart.point, chart.jacobian)


def _of_symbols(limit: Callable[..., Any], outer: Sequence[Any]) -> Any:
    try:
        return limit(*outer)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise GeometryError(
            f"Limits: a derivation needs limits that take symbols, and one does not: {error}; "
            "write it with SymPy's functions (sympy.sqrt for math.sqrt)"
        ) from None


def _chart(region: Sequence[_Bound]) -> Chart:
    def limit(b: _Bound) -> Callable[..., tuple[Any, Any]]:
        return lambda *outer: _numeric(b, region, outer)

    order = [b.coordinate for b in region]

    def point(*values: Any) -> tuple[Any, Any, Any]:
        return tuple(values[order.index(k)] for k in range(3))  # type: ignore[return-value]

    names = tuple(COORDINATES[k] for k in order)
    return Chart(names, tuple(limit(b) for b in region), point, lambda *values: 1, curved=True)
