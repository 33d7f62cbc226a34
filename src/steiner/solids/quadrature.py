"""Integrals of functions of which only values are known, each with an estimate of its error.

Many integrals over 0 ≤ t ≤ 1 are found at once.  A piece on which the 7-point Gauss rule and its 15-point Kronrod
extension disagree is halved, or cut where the function breaks, so that kinks, steps and peaks are run down to
round-off; what stays open is told as error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# Kronrod's 15 points on [−1, 1] and their weights; every second one is a point of Gauss's rule
_POINTS = np.array(
    [
        0.991455371120812639206854697526329,
        0.949107912342758524526189684047851,
        0.864864423359769072789712788640926,
        0.741531185599394439863864773280788,
        0.586087235467691130294144691693013,
        0.405845151377397166906606412076961,
        0.207784955007898467600689403773245,
    ]
)
_KRONROD = np.array(
    [
        0.022935322010529224963732008058970,
        0.063092092629978553290700663189204,
        0.104790010322250183839876322541518,
        0.140653259715525918745189590510238,
        0.169004726639267902826583426598550,
        0.190350578064785409913256402421014,
        0.204432940075298892414161999234649,
    ]
)
POINTS = (1 + np.concatenate([-_POINTS, [0.0], _POINTS[::-1]])) / 2  # on [0, 1]
WEIGHTS = np.concatenate([_KRONROD, [0.209482141084727828012999174891714], _KRONROD[::-1]]) / 2
GAUSS = np.polynomial.legendre.leggauss(7)[1] / 2
# the polynomial through the 15 values, at 0 and 1: a jump between the last point and the end shows there only
_LEGENDRE = np.polynomial.legendre.legvander(np.array([*(2 * POINTS - 1), -1.0, 1.0]), len(POINTS) - 1)
ENDS = np.linalg.solve(_LEGENDRE[:-2].T, _LEGENDRE[-2:].T).T
# a piece that ends at a break is run through as t², from there: a square root, as rims have it, becomes smooth
PLAIN, BREAK_ABOVE, BREAK_BELOW = 0, 1, 2
_X = np.concatenate([[0.0], POINTS, [1.0]])
PATHS = np.array([_X, 1 - (1 - _X) ** 2, _X**2])
RATES = np.array([np.ones(len(POINTS)), 2 * (1 - POINTS), 2 * POINTS])

FINEST = 2.0**-50  # a piece is halved no further: its points are neighbouring floats
STUBBORN = 1 / 32  # of its error a piece keeps after it was halved: there is a break in it
MOST_PLACES = 40  # that are worth pieces of their own
SIDE = 4  # values on either side of a break that foretell the next
HALVES = 2.0 ** -np.arange(2, 48)  # steps on the way to a place
EPS = float(np.finfo(float).eps)

Values = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class Integrals:
    """What was found for each integral: values (count, k), the error of the worst of the k, and where it comes from."""

    values: np.ndarray
    errors: np.ndarray
    spots: np.ndarray  # t where the largest part of the error is
    inherited: np.ndarray  # the part of the error that the function values brought with them


class Spent(Exception):
    """The function will not be asked any more: all the work that was allowed is done."""


class Unresolved(Exception):
    """A function was `Spent` while pieces were open: t in the middle of the narrowest, and whose integral it is of."""

    def __init__(self, owner: int, spot: float) -> None:
        super().__init__()
        self.owner, self.spot = owner, spot


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Pieces of the integrals: whose, from where to where, by which path, and the error of what each was cut from."""

    owner: np.ndarray
    low: np.ndarray
    high: np.ndarray
    path: np.ndarray
    before: np.ndarray

    @classmethod
    def between(cls, edges: np.ndarray, count: int) -> _Pieces:
        owner = np.repeat(np.arange(count), len(edges) - 1)
        low, high = np.tile(edges[:-1], count), np.tile(edges[1:], count)
        return cls(owner, low, high, np.zeros(len(owner), dtype=int), np.full(len(owner), np.inf))

    @property
    def width(self) -> np.ndarray:
        return self.high - self.low

    @property
    def middle(self) -> np.ndarray:
        return (self.low + self.high) / 2

    def points(self) -> np.ndarray:
        """The 15 points of each piece between its two ends, which are never those of the integral."""
        t = self.low[:, None] + self.width[:, None] * PATHS[self.path]
        t[:, 0], t[:, -1] = np.where(self.low == 0, t[:, 1], self.low), np.where(self.high == 1, t[:, -2], self.high)
        return t

    def those(self, chosen: np.ndarray) -> _Pieces:
        return _Pieces(*(v[chosen] for v in (self.owner, self.low, self.high, self.path, self.before)))

    def cut(self, left: np.ndarray, right: np.ndarray, broken: np.ndarray, error: np.ndarray) -> _Pieces:
        """Each in two, at a break in three: the break itself lies between left and right."""
        below = np.where(broken, BREAK_ABOVE, np.where(self.path == BREAK_BELOW, BREAK_BELOW, PLAIN))
        above = np.where(broken, BREAK_BELOW, np.where(self.path == BREAK_ABOVE, BREAK_ABOVE, PLAIN))
        before = np.where(broken, np.inf, error)
        return _Pieces(
            np.concatenate([self.owner, self.owner, self.owner[broken]]),
            np.concatenate([self.low, right, left[broken]]),
            np.concatenate([left, self.high, right[broken]]),
            np.concatenate([below, above, np.full(int(broken.sum()), PLAIN)]),
            np.concatenate([before, before, before[broken]]),
        )


def integrated(
    function: Callable[[np.ndarray, np.ndarray], Values], count: int, edges: np.ndarray, allowed: float, search: bool
) -> Integrals:
    """∫₀¹ of `count` functions with k components each, in pieces that begin as those between the edges.

    `function(owner, t)` gives values (n, k), their errors (n,), and for points where there is no value (it is then 0)
    what may be missing there (n,), else 0.  A piece may have the error `allowed`.
    With `search` breaks are found by bisection (values asked for one after the other), else pieces are halved.
    """
    pieces = _Pieces.between(edges, count)
    values: list[np.ndarray] = []
    errors, inherited, spots, worst = (np.zeros(count) for _ in range(4))
    while len(pieces.owner):
        t, owner, width = pieces.points(), pieces.owner, pieces.width
        try:
            given, doubt, missing = function(np.repeat(owner, t.shape[1]), t.ravel())
        except Spent:
            k = int(width.argmin())
            raise Unresolved(int(owner[k]), float(pieces.middle[k])) from None
        at, lost = given.reshape(*t.shape, -1), missing.reshape(t.shape)[:, 1:-1]
        rate = RATES[pieces.path] * width[:, None]
        error, fine, size = _compared(at[:, 1:-1] * rate[:, :, None])
        error = error + _hidden(pieces, at) + (lost * rate) @ WEIGHTS
        done = ~(error > np.maximum(allowed, 16 * EPS * size)) | (lost > 0).all(axis=1) | (width <= FINEST)
        values = values or [np.zeros((count, fine.shape[1]))]
        np.add.at(values[0], owner[done], fine[done])
        np.add.at(errors, owner[done], error[done])
        np.add.at(inherited, owner[done], ((doubt.reshape(t.shape)[:, 1:-1] * rate) @ WEIGHTS)[done])
        order = np.flatnonzero(done)[np.argsort(error[done])]  # the worst last, so that it stays
        heavier = order[error[order] >= worst[owner[order]]]
        worst[owner[heavier]], spots[owner[heavier]] = error[heavier], pieces.middle[heavier]
        rest = pieces.those(~done)
        points = t[~done, 1:-1]
        apart = (np.diff(points) > 0).all(axis=1)  # no two of them the same float
        broken = search & apart & (error[~done] > STUBBORN * rest.before)
        left, right = rest.middle, rest.middle
        if broken.any():
            seen = at[~done][broken, 1:-1]
            left[broken], right[broken] = _breaks(function, rest.owner[broken], points[broken], seen)
        pieces = rest.cut(left, right, broken, error[~done])
    return Integrals(values[0], errors + inherited, spots, inherited)


def _hidden(pieces: _Pieces, at: np.ndarray) -> np.ndarray:
    """What may be hidden beyond the first and the last point of each piece: a jump there shows at its end only."""
    jumps = np.abs(at[:, [0, -1]] - ENDS @ at[:, 1:-1]).max(axis=2)
    jumps[pieces.low == 0, 0], jumps[pieces.high == 1, 1] = 0, 0
    room = np.stack([PATHS[pieces.path, 1], 1 - PATHS[pieces.path, -2]], axis=1)
    return (jumps * room).sum(axis=1) * pieces.width


def _breaks(
    function: Callable[[np.ndarray, np.ndarray], Values], owner: np.ndarray, t: np.ndarray, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The two neighbouring floats between which each function jumps or bends, by bisection, from its values at t.

    A value belongs to the side that foretells it better, for so good a prophet; a wrong guess costs work, not digits.
    """
    rows = np.arange(len(owner))
    k = np.abs(np.diff(at, 4, axis=1)).max(axis=1).argmax(axis=1)  # the component with the roughest values
    y = at[rows, :, k]
    bend = np.abs(np.diff(y, 2, axis=1)).argmax(axis=1) + 1  # the break is before or behind this point
    step = np.abs(np.diff(y, axis=1))
    gap = np.where(step[rows, bend - 1] > step[rows, bend], bend - 1, bend)
    gap = np.clip(gap, SIDE, t.shape[1] - SIDE - 2)
    left, right = t[rows, gap], t[rows, gap + 1]
    start, unit = left, right - left
    noise = 16 * EPS * np.abs(y).max(axis=1)
    prophets = []
    for way, first in ((-1, gap), (1, gap + 1)):
        index = first[:, None] + way * np.arange(SIDE + 1)
        x, value = (t[rows[:, None], index] - start[:, None]) / unit[:, None], y[rows[:, None], index]
        terms = np.linalg.solve(np.vander(x[:, :-1].ravel(), SIDE).reshape(-1, SIDE, SIDE), value[:, :-1, None])[..., 0]
        prophets.append((terms, np.abs(_polynomial(terms, x[:, -1]) - value[:, -1]) + noise))
    while ((right - left) > FINEST / 2).any():
        middle = (left + right) / 2
        value = function(owner, middle)[0][rows, k]
        near, far = (np.abs(_polynomial(terms, (middle - start) / unit) - value) / trust for terms, trust in prophets)
        left, right = np.where(near <= far, middle, left), np.where(near <= far, right, middle)
    return left, right


def _polynomial(terms: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Polynomials at x, row by row, the highest power first (Horner)."""
    value = terms[:, 0]
    for c in terms.T[1:]:
        value = value * x + c
    return value


def _compared(at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The error of each piece, its integrals by Kronrod's rule, and its largest integral of an absolute value.

    The error is that of Kronrod's rule if the two rules differ by d: (200 d)^1.5 of the variation (QUADPACK, 1983).
    """
    mean = WEIGHTS @ at
    apart = np.abs(mean - GAUSS @ at[:, 1::2])
    spread = WEIGHTS @ np.abs(at - mean[:, None])
    ratio = np.divide(200 * apart, spread, out=np.zeros_like(apart), where=spread > 0)
    error = (spread * np.minimum(1, ratio * np.sqrt(ratio))).max(axis=1)
    return error, mean, (WEIGHTS @ np.abs(at)).max(axis=1)


def rough(function: Callable[[np.ndarray, np.ndarray], Values], count: int, pieces: int) -> np.ndarray:
    """Edges (of `pieces` equal ones) beside which one of `count` functions is not smooth."""
    edges = np.linspace(0, 1, pieces + 1)
    t = (edges[:-1, None] + POINTS / pieces).ravel()
    given = function(np.repeat(np.arange(count), len(t)), np.tile(t, count))[0].reshape(count * pieces, len(POINTS), -1)
    error, _, _ = _compared(given)
    bumpy = (error > 1e-9 * np.abs(given).max(initial=0)).reshape(count, pieces).any(axis=0)
    return edges[np.concatenate([bumpy, [False]]) | np.concatenate([[False], bumpy])]


def narrow(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where values (lines, n, k) at equal steps do not run on smoothly: line, last value before, first value behind.

    Nothing is told of values that are uneven all over: whoever looks at fewer of them sees that too.
    """
    uneven = np.abs(np.diff(values, 4, axis=1)).max(axis=2)
    odd = uneven > max(1e-7 * np.abs(values).max(initial=0), 100 * float(np.median(uneven)))
    changes = np.diff(np.pad(odd, ((0, 0), (1, 1))).astype(int), axis=1)
    line, first = np.nonzero(changes > 0)
    last = np.nonzero(changes < 0)[1] + 3  # values i … i + 4 make difference i
    few = slice(None) if len(line) <= MOST_PLACES else slice(0)
    return line[few], first[few], last[few]


def steep(function: Callable[[np.ndarray], np.ndarray], at: float) -> np.ndarray:
    """Edges beside a place where values (n, k) do not come to rest on the way to it, by halves: something is narrow.

    From one step to the next a smooth function changes half as much as before.
    """
    edges = []
    for side in (-1, 1):
        t = at + side * HALVES
        t = t[(t > 0) & (t < 1)]
        if len(t) < 3:
            continue
        values = function(t)
        change = np.abs(np.diff(values, axis=0))
        odd = (change[1:] > 0.75 * change[:-1]) & (change[1:] > 1e-9 * np.abs(values).max(axis=0))
        first = np.flatnonzero(odd.any(axis=1)) + 1
        edges += [t[first], t[first + 1]]
    found = np.concatenate([np.zeros(0), *edges])
    return np.append(found, at) if len(found) else found
