"""Moments of regions between limits: exactly for polynomials, by SymPy for expressions, else by quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Protocol

from steiner.errors import GeometryError, SteinerError
from steiner.scalar import is_any_number, is_symbolic, total
from steiner.solids.bounds import (
    COORDINATES,
    Bound,
    Place,
    callable_of,
    check_floats,
    has_cases,
    has_floats,
    is_function,
    middle_of,
    parameters_of,
    polynomial_of,
    seen_from,
    symbol_of,
    written_of,
)
from steiner.solids.features import Range, Spot, spots
from steiner.solids.polynomial import MONOMIALS, NotPolynomial, Polynomial, Powers
from steiner.solids.sampled import Sampled


class Moments(dict[Powers, Any]):
    """Moments of all regions together about a point; only those that are asked for are integrated."""

    def __init__(self, integrals: Sequence[Integral], origin: Place, tidy: Callable[[Any], Any] | None = None) -> None:
        super().__init__()
        self.integrals, self.origin, self.tidy = integrals, origin, tidy

    def __missing__(self, powers: Powers) -> Any:
        value = total(integral.moment(powers, self.origin) for integral in self.integrals)
        self[powers] = _plain(value if self.tidy is None else self.tidy(value))
        return self[powers]


def _plain(value: Any) -> Any:
    """A number that is no longer exact as a float; fractions, roots and symbols as they are."""
    inexact = is_symbolic(value) and not value.free_symbols and any(x.is_Float for x in value.atoms())
    return float(value) if inexact else value


class Integral(Protocol):
    """How the moments of one region are found."""

    @property
    def centre(self) -> Place:
        """A point near the centroid if that is known and matters, else the origin."""
        ...

    def moment(self, powers: Powers, origin: Place) -> Any:
        """∫ x^i y^j z^k dV from a point."""
        ...


def integral_of(region: Sequence[Bound], tolerance: float) -> Any:
    """Exactly, by SymPy, or by quadrature."""
    check_floats(region)
    exact = _Exact(region)
    try:
        _ = exact.centre
        return exact
    except NotPolynomial:
        free = parameters_of(region)
        functions = any(is_function(v) for b in region for v in (b.low, b.high))
        if functions and free:
            raise GeometryError(
                f"Limits: functions and expressions with {', '.join(map(str, free))} are mixed; write all limits as "
                "expressions, or substitute values for the symbols"
            ) from None
        if functions or (not free and (any(middle_of(region)) or has_floats(region) or has_cases(region))):
            return _Quadrature(region, tolerance)
        return _BySymPy(region, None if free else tolerance)


class _Exact:
    """Limits that are polynomials."""

    def __init__(self, region: Sequence[Bound]) -> None:
        self.region = region
        self.start = middle_of(region)

    @cached_property
    def centre(self) -> Place:
        start, _ = self.start, self._bounds
        if not has_floats(self.region) or parameters_of(self.region):
            return start
        volume, *first = (self.moment(powers, start) for powers in MONOMIALS[:4])
        if not all(is_any_number(v) and math.isfinite(v) for v in (volume, *first)) or not volume:
            return start
        return tuple(v + float(mean / volume) for v, mean in zip(start, first, strict=True))

    @cached_property
    def _bounds(self) -> list[tuple[int, Polynomial, Polynomial]]:
        seen = seen_from(self.start, self.region)
        return [
            (b.coordinate, polynomial_of(b.low, seen, k), polynomial_of(b.high, seen, k)) for k, b in enumerate(seen)
        ]

    def moment(self, powers: Powers, origin: Place) -> Any:
        rest = tuple(o - s for o, s in zip(origin, self.start, strict=True))  # small: moved by it, limits stay exact
        integrand = Polynomial({powers: 1})
        for k, *ends in reversed(self._bounds):
            low, high = (end.seen_from(rest) - rest[k] if any(rest) else end for end in ends)
            integrand = integrand.integrated(k, low, high)
        found = integrand.constant
        return found.evalf() if getattr(found, "is_Rational", False) and has_floats(self.region) else found


class _BySymPy:
    """Expressions that are no polynomials; by quadrature after all if SymPy finds no number where there must be one."""

    centre: Place = (0, 0, 0)

    def __init__(self, region: Sequence[Bound], tolerance: float | None) -> None:
        """`tolerance`: of quadrature, if there are no symbols but the coordinates."""
        self.region, self.tolerance = region, tolerance

    def moment(self, powers: Powers, origin: Place) -> Any:
        try:
            found = _symbolic_moment(seen_from(origin, self.region), powers)
        except SteinerError:
            raise
        except Exception as error:  # whatever SymPy has to say
            if self.tolerance is None:
                raise GeometryError(f"Limits: SymPy does not find the integral ({error}); substitute numbers") from None
            found = None
        if self.tolerance is None or (found is not None and _is_real(found)):
            return found
        return self._numeric.moment(powers, origin)

    @cached_property
    def _numeric(self) -> _Quadrature:
        return _Quadrature(self.region, self.tolerance or 0)


def _is_real(value: Any) -> bool:
    """Whether a closed form is a real number: no integral is left in it, no i, no infinity."""
    import sympy

    try:
        return not sympy.sympify(value).atoms(sympy.Integral) and math.isfinite(float(value))
    except (TypeError, ValueError, ArithmeticError):
        return False


class _Quadrature:
    """Functions, and expressions without symbols of their own, that are no polynomials."""

    def __init__(self, region: Sequence[Bound], tolerance: float) -> None:
        start = (0, 0, 0) if any(is_function(v) for b in region for v in (b.low, b.high)) else middle_of(region)
        seen = seen_from(start, region)
        order = [b.coordinate for b in seen]
        written = [tuple(written_of(v, seen[:k]) for v in (b.low, b.high)) for k, b in enumerate(seen)]
        limits = [tuple(callable_of(v, seen[:k]) for v in pair) for k, pair in enumerate(written)]
        names = [COORDINATES[k] for k in order]
        found = Sampled(names, limits, tolerance, [start[k] for k in order], partial(_spots, seen, written))
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


def _spots(region: Sequence[Bound], limits: Sequence[Sequence[Any]], ranges: Sequence[Range]) -> list[Spot]:
    """Where limits that are expressions may be narrow."""
    found = []
    for limit in (v for pair in limits for v in pair if is_symbolic(v) and not v.is_number):
        symbols = [symbol_of(b, limit) for b in region[:2]]
        found += spots(limit, symbols, ranges)
    return found


def _symbolic_moment(region: Sequence[Bound], powers: Powers) -> Any:
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


def _over_a_chord(integrand: Any, b: Bound) -> Any:
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
