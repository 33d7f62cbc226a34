"""Where expressions may change within very little: places that quadrature would step over, but their text shows them.

A peak, a step or a kink of a formula comes from a function (a power, an exponential, a case) whose argument passes
zero or an extremum there, however narrow it is; the argument itself is not narrow, or has such a function inside.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Range = tuple[float, float]
Spot = tuple[float | None, float | None]  # of the outer and of the middle coordinate; None: wherever that is

GRID = 2000  # places at which an argument is asked for its sign
MOST = 60  # arguments of a limit that are looked at
STARTS = (0.2, 0.5, 0.8)  # of the search for an extremum in both coordinates, as parts of their ranges


def spots(limit: Any, symbols: Sequence[Any], ranges: Sequence[Range]) -> list[Spot]:
    """Where an expression of one or two coordinates may be narrow."""
    found: dict[Spot, None] = {}
    for argument in itertools.islice(dict.fromkeys(_arguments(limit)), MOST):
        inside = [k for k, s in enumerate(symbols) if s in argument.free_symbols]
        if len(inside) == 1:
            k = inside[0]
            places = _zeros(argument, symbols[k], ranges[k])
            found.update(dict.fromkeys((place, None) if k == 0 else (None, place) for place in places))
        elif inside:
            found.update(dict.fromkeys(_extrema(argument, symbols, ranges)))
            found.update(dict.fromkeys(_crossings(argument, symbols, ranges)))
    return list(found)


def _arguments(expression: Any) -> Iterator[Any]:
    """What decides how a formula runs on: arguments of its functions, bases of its powers, sides of its conditions."""
    import sympy

    nodes: Iterator[Any] = sympy.preorder_traversal(expression)  # type: ignore[assignment]
    for node in nodes:
        if isinstance(node, sympy.Max | sympy.Min):
            yield from (a - b for a, b in itertools.combinations(node.args, 2))  # type: ignore[operator]
        elif node.is_Relational:
            yield node.args[0] - node.args[1]  # type: ignore[operator]
        elif node.is_Pow or (node.is_Function and not node.is_Piecewise):
            yield from node.args


def _zeros(argument: Any, symbol: Any, limits: Range) -> list[float]:
    """Zeros and extrema in a range, as far as they are seen by a change of sign."""
    x = np.linspace(*limits, GRID + 1)
    places: list[float] = []
    for function in map(_numeric([symbol]), (argument, argument.diff(symbol))):
        y = function(x)
        places += x[y == 0].tolist()
        left = np.flatnonzero(y[:-1] * y[1:] < 0)
        low, high, sign = x[left], x[left + 1], np.sign(y[left])
        for _ in range(60 if len(left) else 0):  # by bisection
            middle = (low + high) / 2
            before = np.sign(function(middle)) == sign
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        places += ((low + high) / 2).tolist()
    return places if len(places) < GRID / 8 else []  # zero all along, or it oscillates: no place of its own


def _crossings(argument: Any, symbols: Sequence[Any], ranges: Sequence[Range]) -> Iterator[Spot]:
    """Where a curve of zeros or extrema is met on the way through the middle coordinate, for some outer ones."""
    (low, high), across = ranges
    for u in (low + (high - low) * part for part in STARTS):
        yield from ((u, v) for v in _zeros(argument.subs(symbols[0], u), symbols[1], across))


def _extrema(argument: Any, symbols: Sequence[Any], ranges: Sequence[Range]) -> Iterator[Spot]:
    """Where both slopes of an argument vanish, by Newton's method: of a quadratic form at once."""
    numeric = _numeric(symbols)
    slope = [numeric(argument.diff(s)) for s in symbols]
    bend = [[numeric(argument.diff(s, t)) for t in symbols] for s in symbols]
    low, high = np.array(ranges).T
    for start in itertools.product(STARTS, repeat=2):
        at = low + (high - low) * start
        for _ in range(8):
            matrix = np.array([[float(f(*at)) for f in row] for row in bend])
            if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-200:
                break
            step = np.linalg.solve(matrix, [float(f(*at)) for f in slope])
            at = at - step
            if (np.abs(step) <= 1e-13 * (high - low)).all():
                if ((low < at) & (at < high)).all():
                    yield float(at[0]), float(at[1])
                break


def _numeric(symbols: Sequence[Any]) -> Any:
    """Makes functions of arrays; where one has no value, or is none that NumPy knows, it is NaN."""
    import sympy

    def made(expression: Any) -> Any:
        function = sympy.lambdify(symbols, expression, "numpy")

        def values(*at: Any) -> np.ndarray:
            with np.errstate(all="ignore"):
                try:
                    return np.broadcast_to(np.asarray(function(*at), dtype=float), np.shape(at[0]))
                except Exception:  # a stranger's function, or one of SymPy's own
                    return np.full(np.shape(at[0]), np.nan)

        return values

    return made
