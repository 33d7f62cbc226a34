"""Solids given by nested limits of integration, numbers or symbols, signed (paper §6, C9).

    Limits(("z", -a/2, a/2), ("y", 0, a/2), ("x", 0, a/2))

reads as ∫dz ∫dy ∫dx, outermost first.  A limit is a number, an expression in the outer coordinates, or
a function of them.  Several regions may be given, each a list of three; their integrals add up *signed*:
limits that run backwards count negative, as they do on paper.

Polynomials are integrated exactly, other expressions by SymPy, other functions by quadrature: all ten moments to
`tolerance` of the region's own size, or an error that says where that fails.  Far from the frame's origin (x = 1000 m,
size 1 mm) what is lost is the round-off of the limits themselves, 1e-16 · 1000 m.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self, final

import numpy as np

from steiner.errors import GeometryError, described
from steiner.scalar import brief, is_any_number, is_number, is_symbolic, is_zero, numbers, total
from steiner.solids.base import LARGEST, Solid, has_value
from steiner.solids.charts import Chart
from steiner.solids.polynomial import MONOMIALS, NotPolynomial, Polynomial, Powers
from steiner.solids.sampled import Sampled

COORDINATES = "xyz"
TOLERANCE = 1e-12
TRIALS = ((0.37, -0.83, 0.59), (-1.7, 0.21, 1.9))  # places where a function must be the polynomial it seems to be

Place = tuple[float, ...]


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
        raise GeometryError(f"Limits: expected (coordinate, from, to), got {described(triple)}") from None
    letter = str(name)[:1].lower() if isinstance(name, str) or getattr(name, "is_Symbol", False) else ""
    if letter not in COORDINATES or not letter:
        raise GeometryError(f"Limits: the coordinate {described(name)} should begin with x, y or z")
    low, high = (v if _is_function(v) else numbers(f"Limits: limit of {name}", v)[0] for v in (low, high))
    for v in (low, high):
        if not _is_function(v) and has_value(v) and abs(v) > LARGEST:
            raise GeometryError(f"Limits: limit of {name} is {brief(v)}; expected at most {LARGEST:g} m")
    return _Bound(COORDINATES.index(letter), name if is_symbolic(name) else None, low, high)


@final
@dataclass(frozen=True, eq=False, init=False)
class Limits(Solid):
    """The region(s) between nested limits of integration; integrals are signed."""

    regions: tuple[tuple[_Bound, ...], ...]
    tolerance: float
    convex = False
    frame = "the coordinates of the integrals"

    def __init__(self, *bounds: Any, tolerance: float = TOLERANCE) -> None:
        """`tolerance`: to what part of the region's size quadrature must find the moments, if limits are functions."""
        if not bounds:
            raise GeometryError('Limits: expected three limits such as ("z", 0, 1), outermost first')
        (tolerance,) = numbers("Limits: tolerance", tolerance)
        if not is_number(tolerance) or not TOLERANCE <= tolerance < 1:
            raise GeometryError(f"Limits: tolerance is {brief(tolerance)}; expected {TOLERANCE:g} or more, and below 1")
        nested = isinstance(bounds[0], list) or (
            isinstance(bounds[0], tuple) and bounds[0] != () and isinstance(bounds[0][0], tuple | list)
        )
        regions = []
        for region in bounds if nested else [bounds]:
            if not isinstance(region, tuple | list):
                raise GeometryError(f"Limits: expected a list of three limits, got {described(region)}")
            regions.append(tuple(_bound(b) for b in region))
        for region in regions:
            if sorted(b.coordinate for b in region) != [0, 1, 2]:
                names = ", ".join(COORDINATES[b.coordinate] for b in region)
                raise GeometryError(f"Limits: expected one integral over each of x, y, z, got {names or 'none'}")
        object.__setattr__(self, "regions", tuple(regions))
        object.__setattr__(self, "tolerance", tolerance)

    @classmethod
    def example(cls) -> Self:
        """A corner cut off by a sloping plane."""
        return cls(("z", -0.1, 0.15), ("y", 0, 0.2), ("x", lambda z, y: 0 * y, lambda z, y: 0.3 - y - z / 2))

    # ---- moments -----------------------------------------------------------------------------------

    @cached_property
    def _integrals(self) -> list[_Integral]:
        return [_integral(region, self.tolerance) for region in self.regions]

    @cached_property
    def _moments(self) -> _Moments:
        """∫ x^i y^j z^k dV from `_origin`, i + j + k ≤ 2, signed, each when first asked for."""
        return _Moments(self._integrals, self._origin)

    @cached_property
    def _origin(self) -> Place:
        """A point in the first region if it is one of numbers, so that far away no digits are lost; else the origin."""
        return self._integrals[0].centre

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
            ),
            tolerance=self.tolerance,
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
    """Moments of all regions together about a point; only those that are asked for are integrated."""

    def __init__(self, integrals: Sequence[_Integral], origin: Place) -> None:
        super().__init__()
        self.integrals, self.origin = integrals, origin

    def __missing__(self, powers: Powers) -> Any:
        self[powers] = total(integral.moment(powers, self.origin) for integral in self.integrals)
        return self[powers]


class _Integral(Protocol):
    """How the moments of one region are found."""

    @property
    def centre(self) -> Place:
        """A point near the centroid if that is known and matters, else the origin."""
        ...

    def moment(self, powers: Powers, origin: Place) -> Any:
        """∫ x^i y^j z^k dV from a point."""
        ...


def _integral(region: Sequence[_Bound], tolerance: float) -> _Integral:
    """Exactly, by SymPy, or by quadrature."""
    exact = _Exact(region)
    try:
        _ = exact.centre
        return exact
    except NotPolynomial:
        free = _parameters(region)
        functions = any(_is_function(v) for b in region for v in (b.low, b.high))
        if functions and free:
            raise GeometryError(
                f"Limits: functions and expressions with {', '.join(map(str, free))} are mixed; write all limits as "
                "expressions, or substitute values for the symbols"
            ) from None
        if functions or (not free and (any(_middle(region)) or _has_floats(region))):
            return _Quadrature(region, tolerance)
        return _BySymPy(region)


class _Exact:
    """Limits that are polynomials."""

    def __init__(self, region: Sequence[_Bound]) -> None:
        self.region = region
        self.start = _middle(region)

    @cached_property
    def centre(self) -> Place:
        start, _ = self.start, self._bounds
        if not _has_floats(self.region) or _parameters(self.region):
            return start
        volume, *first = (self.moment(powers, start) for powers in MONOMIALS[:4])
        if not all(is_any_number(v) and math.isfinite(v) for v in (volume, *first)) or not volume:
            return start
        return tuple(v + float(mean / volume) for v, mean in zip(start, first, strict=True))

    @cached_property
    def _bounds(self) -> list[tuple[int, Polynomial, Polynomial]]:
        seen = _seen_from(self.start, self.region)
        return [(b.coordinate, _polynomial(b.low, seen, k), _polynomial(b.high, seen, k)) for k, b in enumerate(seen)]

    def moment(self, powers: Powers, origin: Place) -> Any:
        rest = tuple(o - s for o, s in zip(origin, self.start, strict=True))  # small: moved by it, limits stay exact
        integrand = Polynomial({powers: 1})
        for k, *ends in reversed(self._bounds):
            low, high = (end.seen_from(rest) - rest[k] if any(rest) else end for end in ends)
            integrand = integrand.integrated(k, low, high)
        found = integrand.constant
        return found.evalf() if getattr(found, "is_Rational", False) and _has_floats(self.region) else found


class _BySymPy:
    """Expressions that are no polynomials."""

    centre: Place = (0, 0, 0)

    def __init__(self, region: Sequence[_Bound]) -> None:
        self.region = region

    def moment(self, powers: Powers, origin: Place) -> Any:
        return _symbolic_moment(_seen_from(origin, self.region), powers)


class _Quadrature:
    """Functions, and expressions without symbols of their own, that are no polynomials."""

    def __init__(self, region: Sequence[_Bound], tolerance: float) -> None:
        start = (0, 0, 0) if any(_is_function(v) for b in region for v in (b.low, b.high)) else _middle(region)
        seen = _seen_from(start, region)
        order = [b.coordinate for b in seen]
        limits = [tuple(_callable(v, seen[:k]) for v in (b.low, b.high)) for k, b in enumerate(seen)]
        found = Sampled([COORDINATES[k] for k in order], limits, tolerance, [start[k] for k in order])
        self.centre = tuple(start[k] + float(found.centre[order.index(k)]) for k in range(3))
        powers = [tuple(p[order.index(k)] for k in range(3)) for p in MONOMIALS]
        self.found = dict(zip(powers, found.moments.tolist(), strict=True))

    def moment(self, powers: Powers, origin: Place) -> float:
        """About another point: (c + d)^p in powers of c, term by term."""
        away = [c - o for c, o in zip(self.centre, origin, strict=True)]
        return math.fsum(
            m * math.prod(math.comb(p, q) * d ** (p - q) for p, q, d in zip(powers, inner, away, strict=True))
            for inner, m in self.found.items()
            if all(q <= p for p, q in zip(powers, inner, strict=True))
        )


def _callable(limit: Any, outer: Sequence[_Bound]) -> Any:
    """A limit as quadrature takes it: a number or a function, of plain numbers if it is written with SymPy's."""
    if _is_function(limit) and "sympy" in sys.modules:  # who writes with it has imported it
        limit = _as_expression(limit, outer)
    if not is_symbolic(limit):
        return limit
    if limit.is_number:
        return float(limit)
    import sympy

    symbols = [_symbol(b, limit) or sympy.Dummy() for b in outer]
    return sympy.lambdify(symbols, limit, "math")


def _as_expression(limit: Callable[..., Any], outer: Sequence[_Bound]) -> Any:
    """What a function makes of symbols, if that is an expression in them; else the function."""
    import sympy

    symbols = sympy.symbols([COORDINATES[b.coordinate] for b in outer], real=True)
    try:
        value = limit(*symbols)
    except Exception:  # a function made for numbers raises what it likes
        return limit
    known = is_symbolic(value) and is_any_number(value) and value.free_symbols <= set(symbols)
    return value if known and (value.free_symbols or value.is_comparable) else limit


def _symbol(b: _Bound, limit: Any) -> Any:
    """The symbol that stands for a coordinate in an expression; None if there is none."""
    if b.symbol is not None:
        return b.symbol
    return next((s for s in limit.free_symbols if str(s) == COORDINATES[b.coordinate]), None)


def _expressions(region: Sequence[_Bound]) -> list[Any]:
    return [v for b in region for v in (b.low, b.high) if is_symbolic(v)]


def _parameters(region: Sequence[_Bound]) -> list[Any]:
    """Symbols in the limits that are no coordinates."""
    return sorted(
        {s for v in _expressions(region) for s in v.free_symbols if s not in [_symbol(b, v) for b in region]}, key=str
    )


def _has_floats(region: Sequence[_Bound]) -> bool:
    """Whether round-off plays a part: a limit that is a float with a fraction, or has one in it."""
    plain = [v for b in region for v in (b.low, b.high) if isinstance(v, float)]
    inside = [atom for v in _expressions(region) for atom in v.atoms()]
    return any(not v.is_integer() for v in plain) or any(atom.is_Float for atom in inside if atom.is_number)


def _middle(region: Sequence[_Bound]) -> Place:
    """A point of a region of floats that lies far away, on a grid of its size so that limits move without round-off."""
    sides = [v for b in region for v in (b.low, b.high)]
    if not any(isinstance(v, float) or _is_function(v) for v in sides) and not _has_floats(region):
        return (0, 0, 0)
    chart = _chart(region)
    values: list[float] = []
    grid = []
    try:
        for k in range(3):
            low, high = chart.bounds_of(k, values)
            values.append((low + high) / 2)
            grid.append(2.0 ** math.floor(math.log2(abs(high - low))) if high != low else 0.0)
        nearest = [round(v / g) * g if g else v for v, g in zip(values, grid, strict=True)]
    except (TypeError, ArithmeticError, ValueError):  # symbols, or functions that have no value there
        return (0, 0, 0)
    return tuple(nearest[[b.coordinate for b in region].index(k)] for k in range(3))


def _rational(value: Any) -> Any:
    """A float as the fraction it is: z + 0.001 seen from z = 1000 is still 0.001 above it."""
    import sympy

    return sympy.Rational(*float(value).as_integer_ratio())


def _seen_from(origin: Place, region: Sequence[_Bound]) -> tuple[_Bound, ...]:
    """The same region in coordinates that start at a point."""

    def moved(limit: Any, k: int, outside: Sequence[_Bound]) -> Any:
        starts = [origin[b.coordinate] for b in outside]
        if _is_function(limit):
            return lambda *at: limit(*(v + start for v, start in zip(at, starts, strict=True))) - origin[k]
        if is_symbolic(limit):
            symbols = [_symbol(b, limit) for b in outside]
            steps = {s: s + _rational(start) for s, start in zip(symbols, starts, strict=True) if s is not None}
            exact = limit.xreplace({f: _rational(f) for f in limit.atoms() if f.is_Float})
            return exact.subs(steps, simultaneous=True) - _rational(origin[k])
        return limit - origin[k]

    if not any(origin):
        return tuple(region)
    return tuple(
        _Bound(b.coordinate, b.symbol, *(moved(v, b.coordinate, region[:depth]) for v in (b.low, b.high)))
        for depth, b in enumerate(region)
    )


def _polynomial(limit: Any, region: Sequence[_Bound], depth: int) -> Polynomial:
    """The limit as a polynomial in the coordinates outside it."""
    if _is_function(limit):
        return _polynomial_of(limit, [b.coordinate for b in region[:depth]])
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


def _polynomial_of(limit: Callable[..., Any], outer: Sequence[int]) -> Polynomial:
    """What a function makes of polynomials, if it makes the same of numbers."""
    try:
        value = limit(*(Polynomial.coordinate(k) for k in outer))
        found = value if isinstance(value, Polynomial) else Polynomial.of(*numbers("Limits: what a limit gives", value))
        if any(has_value(c) and abs(c) > LARGEST for c in found.terms.values()):
            raise NotPolynomial("numbers that are no lengths")
        for at in TRIALS:
            given, wanted = limit(*(at[k] for k in outer)), found.at(at)
            if is_number(wanted) and not abs(given - wanted) <= 1e-9 * found.size_at(at):
                raise NotPolynomial("a function that tells numbers from polynomials")
    except NotPolynomial:
        raise
    except Exception as error:  # whatever a function raises that was made for numbers
        raise NotPolynomial(str(error)) from error
    return found


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


def _numeric(b: _Bound, region: Sequence[_Bound], outer: Sequence[float]) -> tuple[float, float]:
    return _value(b.low, region, outer), _value(b.high, region, outer)


def _value(limit: Any, region: Sequence[_Bound], outer: Sequence[float]) -> float:
    if _is_function(limit):
        try:
            return float(limit(*outer))
        except Exception as error:  # whatever a function raises
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
