"""Limits of integration, one by one: numbers, expressions of the outer coordinates, or functions of them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from steiner.errors import GeometryError, described
from steiner.scalar import brief, is_any_number, is_number, is_symbolic, numbers
from steiner.solids.charts import Chart
from steiner.solids.exactness import has_value
from steiner.solids.polynomial import NotPolynomial, Polynomial, Powers
from steiner.spatial.poses import LARGEST

COORDINATES = "xyz"
TRIALS = ((0.37, -0.83, 0.59), (-1.7, 0.21, 1.9))  # places where a function must be the polynomial it seems to be

Place = tuple[float, ...]
Region = Sequence[tuple[int, Polynomial, Polynomial]]  # coordinate, from, to; outermost first


@dataclass(frozen=True, eq=False)
class Bound:
    """One of the three integrals of a region."""

    coordinate: int
    symbol: Any  # the SymPy symbol, if one was given
    low: Any
    high: Any


def is_function(limit: Any) -> bool:
    """Whether a limit is a Python function of the outer coordinates (SymPy's are expressions)."""
    return callable(limit) and not is_symbolic(limit)


def bound_of(triple: Any) -> Bound:
    """A limit of one coordinate from (coordinate, from, to), checked."""
    try:
        name, low, high = triple
    except (TypeError, ValueError):
        raise GeometryError(f"Limits: expected (coordinate, from, to), got {described(triple)}") from None
    letter = str(name)[:1].lower() if isinstance(name, str) or getattr(name, "is_Symbol", False) else ""
    if letter not in COORDINATES or not letter:
        raise GeometryError(f"Limits: the coordinate {described(name)} should begin with x, y or z")
    low, high = (v if is_function(v) else numbers(f"Limits: limit of {name}", v)[0] for v in (low, high))
    for v in (low, high):
        if not is_function(v) and has_value(v) and abs(v) > LARGEST:
            raise GeometryError(f"Limits: limit of {name} is {brief(v)}; expected at most {LARGEST:g} m")
    return Bound(COORDINATES.index(letter), name if is_symbolic(name) else None, low, high)


def written_of(limit: Any, outer: Sequence[Bound]) -> Any:
    """A limit as an expression, if it is one or is a function written with SymPy's; else itself."""
    known = is_function(limit) and "sympy" in sys.modules  # who writes with it has imported it
    return as_expression(limit, outer) if known else limit


def callable_of(limit: Any, outer: Sequence[Bound]) -> Any:
    """A limit as quadrature takes it: a number or a function of plain numbers."""
    if not is_symbolic(limit):
        return limit
    if limit.is_number:
        return float(limit)
    import sympy

    symbols = [symbol_of(b, limit) or sympy.Dummy() for b in outer]
    return sympy.lambdify(symbols, limit, "math")


def as_expression(limit: Callable[..., Any], outer: Sequence[Bound]) -> Any:
    """What a function makes of symbols, if it is written with SymPy (of floats it makes SymPy's); else itself."""
    import sympy

    symbols = sympy.symbols([COORDINATES[b.coordinate] for b in outer], real=True)
    try:
        value, sample = limit(*symbols), limit(*TRIALS[0][: len(outer)])
    except Exception:  # a function made for numbers raises what it likes
        return limit
    known = is_symbolic(sample) and is_symbolic(value) and is_any_number(value) and value.free_symbols <= set(symbols)
    return value if known and (value.free_symbols or value.is_comparable) else limit


def symbol_of(b: Bound, limit: Any) -> Any:
    """The symbol that stands for a coordinate in an expression; None if there is none."""
    if b.symbol is not None:
        return b.symbol
    return next((s for s in limit.free_symbols if str(s) == COORDINATES[b.coordinate]), None)


def expressions_of(region: Sequence[Bound]) -> list[Any]:
    """The limits that are expressions."""
    return [v for b in region for v in (b.low, b.high) if is_symbolic(v)]


def parameters_of(region: Sequence[Bound]) -> list[Any]:
    """Symbols in the limits that are no coordinates."""
    return sorted(
        {s for v in expressions_of(region) for s in v.free_symbols if s not in [symbol_of(b, v) for b in region]},
        key=str,
    )


def has_floats(region: Sequence[Bound]) -> bool:
    """Whether round-off plays a part: a limit that is a float with a fraction, or has one in it."""
    plain = [v for b in region for v in (b.low, b.high) if isinstance(v, float)]
    inside = [atom for v in expressions_of(region) for atom in v.atoms()]
    return any(not v.is_integer() for v in plain) or any(atom.is_Float for atom in inside if atom.is_number)


def check_floats(region: Sequence[Bound]) -> None:
    """SymPy takes exp(−1e7) out of an exponential and keeps it; as a float it would vanish, and its factor with it."""
    for limit in expressions_of(region):
        for atom in limit.atoms():
            if atom.is_Float and atom != 0 and not 0 < abs(float(atom)) < math.inf:
                raise GeometryError(
                    f"Limits: {atom} in a limit is no float; write the limit so that it does not come up, "
                    "exp(-((z - a)/b)**2) instead of its product of powers"
                )


def has_cases(region: Sequence[Bound]) -> bool:
    """Whether a limit jumps by its formula: SymPy's integrals of such are slow, or none."""
    import sympy

    jumps = (sympy.floor, sympy.ceiling, sympy.frac, sympy.Mod, sympy.sign, sympy.Heaviside)
    return any(v.has(*jumps) for v in expressions_of(region))


def middle_of(region: Sequence[Bound]) -> Place:
    """A point of a region of floats that lies far away, on a grid of its size so that limits move without round-off."""
    sides = [v for b in region for v in (b.low, b.high)]
    if not any(isinstance(v, float) or is_function(v) for v in sides) and not has_floats(region):
        return (0, 0, 0)
    chart = chart_of(region)
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


def rational_of(value: Any) -> Any:
    """A float as the fraction it is: z + 0.001 seen from z = 1000 is still 0.001 above it."""
    import sympy

    return sympy.Rational(*float(value).as_integer_ratio())


def seen_from(origin: Place, region: Sequence[Bound]) -> tuple[Bound, ...]:
    """The same region in coordinates that start at a point."""

    def moved(limit: Any, k: int, outside: Sequence[Bound]) -> Any:
        starts = [origin[b.coordinate] for b in outside]
        if is_function(limit):
            return lambda *at: limit(*(v + start for v, start in zip(at, starts, strict=True))) - origin[k]
        if is_symbolic(limit):
            symbols = [symbol_of(b, limit) for b in outside]
            steps = {s: s + rational_of(start) for s, start in zip(symbols, starts, strict=True) if s is not None}
            exact = limit.xreplace({f: rational_of(f) for f in limit.atoms() if f.is_Float})
            return exact.subs(steps, simultaneous=True) - rational_of(origin[k])
        return limit - origin[k]

    if not any(origin):
        return tuple(region)
    return tuple(
        Bound(b.coordinate, b.symbol, *(moved(v, b.coordinate, region[:depth]) for v in (b.low, b.high)))
        for depth, b in enumerate(region)
    )


def polynomial_bounds(limits: Any) -> list[Region]:
    """The regions with every limit as a polynomial in the outer coordinates; raises NotPolynomial."""
    return [
        [(b.coordinate, polynomial_of(b.low, r, k), polynomial_of(b.high, r, k)) for k, b in enumerate(r)]
        for r in limits.regions
    ]


def polynomial_of(limit: Any, region: Sequence[Bound], depth: int) -> Polynomial:
    """The limit as a polynomial in the coordinates outside it."""
    if is_function(limit):
        return polynomial_of_function(limit, [b.coordinate for b in region[:depth]])
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


def polynomial_of_function(limit: Callable[..., Any], outer: Sequence[int]) -> Polynomial:
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


def numeric_limits(b: Bound, region: Sequence[Bound], outer: Sequence[float]) -> tuple[float, float]:
    """Both limits as numbers, at numbers of the outer coordinates."""
    return value_of(b.low, region, outer), value_of(b.high, region, outer)


def value_of(limit: Any, region: Sequence[Bound], outer: Sequence[float]) -> float:
    """A limit as a number."""
    if is_function(limit):
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


def written_chart(region: Sequence[Bound]) -> Chart:
    """The integral as it is written, for derivations."""
    def limit(b: Bound) -> Callable[..., tuple[Any, Any]]:
        def pair(*outer: Any) -> tuple[Any, Any]:
            out = []
            for v in (b.low, b.high):
                if is_function(v):
                    out.append(of_symbols(v, outer))
                elif is_symbolic(v):
                    out.append(
                        v.subs({o.symbol or COORDINATES[o.coordinate]: w for o, w in zip(region, outer, strict=False)})
                    )
                else:
                    out.append(v)
            return out[0], out[1]

        return pair

    chart = chart_of(region)
    return Chart(chart.names, tuple(limit(b) for b in region), chart.point, chart.jacobian)


def of_symbols(limit: Callable[..., Any], outer: Sequence[Any]) -> Any:
    """A function of symbols, for a derivation."""
    try:
        return limit(*outer)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise GeometryError(
            f"Limits: a derivation needs limits that take symbols, and one does not: {error}; "
            "write it with SymPy's functions (sympy.sqrt for math.sqrt)"
        ) from None


def chart_of(region: Sequence[Bound]) -> Chart:
    """The integral in numbers."""
    def limit(b: Bound) -> Callable[..., tuple[Any, Any]]:
        return lambda *outer: numeric_limits(b, region, outer)

    order = [b.coordinate for b in region]

    def point(*values: Any) -> tuple[Any, Any, Any]:
        return tuple(values[order.index(k)] for k in range(3))  # type: ignore[return-value]

    names = tuple(COORDINATES[k] for k in order)
    return Chart(names, tuple(limit(b) for b in region), point, lambda *values: 1, curved=True)
