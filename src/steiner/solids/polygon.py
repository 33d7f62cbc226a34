"""Plane polygons with holes: exact moments for any kind of number, checks, triangulation.

Loops are lists of (x, y); the outer loop runs counterclockwise, holes clockwise, so that all signed
integrals simply add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np

from steiner.errors import GeometryError, described
from steiner.scalar import array, brief, is_negative, is_number, is_zero, total
from steiner.solids.exactness import has_value, whole
from steiner.spatial.poses import LARGEST, box

Loop = tuple[tuple[Any, Any], ...]


def loop_moment(loop: Any, p: int, q: int) -> Any:
    """∫∫ x^p y^q dA over a loop, signed by its sense.

    Fan of triangles from the origin, each integrated in closed form (Steger, "On the calculation
    of arbitrary moments of polygons", TU München FGBV-96-05, 1996, eq. 11).
    """
    scale = (p + q + 2) * (p + q + 1) * comb(p + q, p)
    terms = []
    n = len(loop)
    for k in range(n):
        (ax, ay), (bx, by) = loop[k], loop[(k + 1) % n]
        cross = ax * by - bx * ay
        inner = total(
            comb(i + j, i) * comb(p + q - i - j, q - j) * ax**i * bx ** (p - i) * ay**j * by ** (q - j)
            for i in range(p + 1)
            for j in range(q + 1)
        )
        terms.append(cross * inner)
    return total(terms) / scale


def moment(loops: Sequence[Loop], p: int, q: int) -> Any:
    """∫∫ x^p y^q dA over a polygon with holes."""
    return total(loop_moment(loop, p, q) for loop in loops)


def shifted(loops: Sequence[Loop], x: Any, y: Any) -> list[Loop]:
    """The loops seen from the point (x, y)."""
    return [tuple((u - x, v - y) for u, v in loop) for loop in loops]


def reference(loops: Sequence[Loop]) -> tuple[Any, Any]:
    """A point near the polygon: moments are formed about it, never about a far origin."""
    return loops[0][0]


def exact_beside(loops: tuple[Loop, ...], size: Any) -> tuple[tuple[Loop, ...], Any]:
    """A section and its height (or angle): whole numbers are exact if anything beside them is."""
    if all(isinstance(v, float) for v in (size, *(v for loop in loops for point in loop for v in point))):
        return loops, size
    return tuple(tuple((whole(x), whole(y)) for x, y in loop) for loop in loops), whole(size)


def ahead(loops: Sequence[Loop]) -> list[int]:
    """Index of the vertex after each one, loop by loop."""
    out: list[int] = []
    for loop in loops:
        start = len(out)
        out += [start + (k + 1) % len(loop) for k in range(len(loop))]
    return out


# ---- checks at the door ------------------------------------------------------------------------------


def checked(what: str, outer: Any, holes: Any = ()) -> tuple[Loop, ...]:
    """Outer loop and holes as tuples, orientation put right; refuses what is not simple."""
    if not isinstance(holes, list | tuple) and getattr(holes, "ndim", 0) == 0:
        raise GeometryError(f"{what}: holes: expected a list of loops of points, got {described(holes)}")
    loops = [_loop(f"{what}: polygon", outer)]
    loops += [_loop(f"{what}: hole {k + 1}", hole) for k, hole in enumerate(holes)]
    areas = [loop_moment(shifted([loop], *loop[0])[0], 0, 0) for loop in loops]
    for k, area in enumerate(areas):
        if is_zero(area):
            raise GeometryError(f"{what}: the {'hole' if k else 'polygon'} {_short(loops[k])} has no area")
    if not all(is_number(v) for loop in loops for point in loop for v in point):
        return _oriented_symbols(what, loops, areas)
    pairs = enumerate(zip(loops, areas, strict=True))
    oriented = [loop if (area > 0) == (k == 0) else loop[::-1] for k, (loop, area) in pairs]
    _check_simple(what, oriented)
    return tuple(oriented)


def _oriented_symbols(what: str, loops: list[Loop], areas: list[Any]) -> tuple[Loop, ...]:
    """Loops with symbols: the outer one counterclockwise if its sign can be told (else as given), holes against it."""
    outer, *holes = loops
    oriented = [outer[::-1] if is_negative(_factored(areas[0])) else outer]
    for k, (hole, area) in enumerate(zip(holes, areas[1:], strict=True)):
        same = _factored(area / areas[0])
        if not (is_negative(same) or is_negative(-same)):
            raise GeometryError(
                f"{what}: which way hole {k + 1} at {_short(hole)} runs depends on the values of the symbols; "
                "declare them positive (symbols(…, positive=True))"
            )
        oriented.append(hole if is_negative(same) == (oriented[0] is outer) else hole[::-1])
    _check_scaled(what, oriented)
    left = _factored(1 - total(abs(_factored(area / areas[0])) for area in areas[1:]))
    if is_negative(left) or is_zero(left):
        raise GeometryError(f"{what}: the holes are as large as the polygon {_short(outer)}; nothing is left")
    return tuple(oriented)


def _check_scaled(what: str, loops: list[Loop]) -> None:
    """Loops whose x are multiples of one expression, and whose y too: what they are does not depend on its value."""
    plain = []
    for column in zip(*(point for loop in loops for point in loop), strict=True):
        unit = next(v for v in column if not is_zero(v))
        ratios = [v if is_zero(v) else _factored(v / unit) for v in column]
        if not all(is_number(r) or r.is_number for r in ratios):
            return
        plain.append([float(r) for r in ratios])
    points = iter(zip(*plain, strict=True))
    scaled = [tuple(next(points) for _ in loop) for loop in loops]
    turned = [loop if (loop_moment(loop, 0, 0) > 0) == (k == 0) else loop[::-1] for k, loop in enumerate(scaled)]
    _check_simple(what, turned)


def _factored(x: Any) -> Any:
    return x if is_number(x) else x.factor()


def _loop(what: str, points: Any) -> Loop:
    values = array(points, what=what)
    if values.ndim != 2 or values.shape[1] != 2:
        raise GeometryError(f"{what}: expected points (x, y), got an array of shape {values.shape}")
    loop = tuple((x, y) for x, y in values.tolist())
    if len(loop) > 1 and loop[0] == loop[-1]:
        loop = loop[:-1]
    if len(loop) < 3:
        raise GeometryError(f"{what}: {len(loop)} points are not a polygon; expected at least 3")
    check_reach(what, values)
    return loop


def check_reach(what: str, points: np.ndarray) -> None:
    """Refuses coordinates whose fifth powers, or those of their differences, are no floats."""
    if points.dtype == np.float64:  # of millions of points only the furthest are looked at
        known = [points.min(initial=0.0), points.max(initial=0.0)]
    else:
        known = [v for v in points.ravel() if has_value(v)]
    if any(abs(v) > LARGEST for v in known):
        raise GeometryError(f"{what}: the coordinate {brief(max(known, key=abs))} is too large; expected {LARGEST:g} m")
    extent = np.ptp(box(points), axis=0).max() if points.dtype == np.float64 else 1
    if extent < 1 / LARGEST:
        raise GeometryError(f"{what}: all points lie within {extent:g} m; expected at least {1 / LARGEST:g} m")


def _short(loop: Loop) -> str:
    text = ", ".join(f"({brief(x)}, {brief(y)})" for x, y in loop[:4])
    return f"[{text}{', …' if len(loop) > 4 else ''}]"


def _check_simple(what: str, loops: Sequence[Loop]) -> None:
    starts = np.array([p for loop in loops for p in loop], dtype=float)
    ends = np.array([loop[(k + 1) % len(loop)] for loop in loops for k in range(len(loop))], dtype=float)
    for k in range(len(starts) - 1):
        a, b, c, d = starts[k], ends[k], starts[k + 1 :], ends[k + 1 :]
        crossing = _side(a, b, c) * _side(a, b, d) < 0
        crossing &= _side(c, d, a) * _side(c, d, b) < 0
        if crossing.any():
            other = k + 1 + int(crossing.argmax())
            raise GeometryError(
                f"{what}: the edges from ({a[0]:g}, {a[1]:g}) to ({b[0]:g}, {b[1]:g}) and from "
                f"({starts[other][0]:g}, {starts[other][1]:g}) to ({ends[other][0]:g}, {ends[other][1]:g}) cross; "
                "expected a polygon that does not cross itself, with its holes inside"
            )
    outer = [loops[0]]
    for k, hole in enumerate(loops[1:]):
        if inside(outer, np.array(hole, dtype=float)[:1])[0] < 0:
            raise GeometryError(f"{what}: hole {k + 1} at {_short(hole)} lies outside the polygon")
    for k in range(len(starts)):
        if not _bounds_once(starts, ends, k):
            (a, b), (c, d) = starts[k], ends[k]
            raise GeometryError(
                f"{what}: the edge from ({a:g}, {b:g}) to ({c:g}, {d:g}) does not have the polygon on one side and "
                "nothing on the other: the polygon runs over itself there, or a hole lies in another hole"
            )


def _bounds_once(starts: np.ndarray, ends: np.ndarray, k: int) -> bool:
    """Whether the polygon lies to the left of an edge, once, and nothing to its right: winding numbers 1 and 0.

    A ray from the middle of the edge along x (along y beside a flat edge) counts how often the others wind about it.
    """
    (a, b), (c, d) = starts[k], ends[k]
    if (a, b) == (c, d):
        return True
    along, across = (0, 1) if abs(d - b) >= abs(c - a) else (1, 0)
    x, y = (starts[k] + ends[k])[[along, across]] / 2
    u, v = starts[:, [along, across]], ends[:, [along, across]]
    up, down = (u[:, 1] <= y) & (y < v[:, 1]), (v[:, 1] <= y) & (y < u[:, 1])
    rise = np.where(up | down, v[:, 1] - u[:, 1], 1.0)
    beyond = u[:, 0] + (y - u[:, 1]) * (v[:, 0] - u[:, 0]) / rise > x
    beyond[k] = False
    winds = int((up & beyond).sum()) - int((down & beyond).sum())
    rising = ends[k, across] > starts[k, across]
    return winds == (0 if rising else 1) if along == 0 else winds == (-1 if rising else 0)


def _side(a: np.ndarray, b: np.ndarray, p: np.ndarray) -> np.ndarray:
    return (b[..., 0] - a[..., 0]) * (p[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (p[..., 0] - a[..., 0])


def is_convex(loops: Sequence[Loop]) -> bool:
    """Whether a polygon of numbers has no holes and turns left at every corner."""
    if len(loops) > 1 or not all(is_number(v) for point in loops[0] for v in point):
        return False
    corners = np.array(loops[0], dtype=float)
    return bool((_side(np.roll(corners, 1, axis=0), corners, np.roll(corners, -1, axis=0)) >= 0).all())


# ---- where the boundary is ---------------------------------------------------------------------------


def inside(loops: Sequence[Loop], points: np.ndarray) -> np.ndarray:
    """Distance to the boundary, > 0 inside (even-odd rule), < 0 outside."""
    near = np.full(len(points), np.inf)
    odd = np.zeros(len(points), dtype=bool)
    for loop in loops:
        corners = np.array(loop, dtype=float)
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            edge = b - a
            t = np.clip((points - a) @ edge / (edge @ edge or 1.0), 0, 1)
            near = np.minimum(near, np.linalg.norm(points - a - t[:, None] * edge, axis=1))
            if a[1] == b[1]:
                continue
            level = (a[1] > points[:, 1]) != (b[1] > points[:, 1])
            at = a[0] + (points[:, 1] - a[1]) * edge[0] / edge[1]
            odd ^= level & (points[:, 0] < at)
    return np.where(odd, near, -near)


# ---- triangulation -----------------------------------------------------------------------------------


def triangulated(loops: Sequence[Loop]) -> np.ndarray:
    """Triangles (k, 3) over the vertices of all loops in order, by clipping ears.

    Holes are joined to the outer loop by bridges first; collinear vertices are kept (as flat
    triangles), so that the caps of a prism match its walls.
    """
    points = np.array([p for loop in loops for p in loop], dtype=float)
    first = np.cumsum([0, *(len(loop) for loop in loops)])
    rings = [list(range(first[k], first[k + 1])) for k in range(len(loops))]
    ring, waiting = rings[0], sorted(rings[1:], key=lambda r: -points[r, 0].max())
    while waiting:
        ring = _bridged(points, ring, waiting[0], waiting[1:])
        waiting = waiting[1:]
    triangles = []
    while len(ring) > 3:
        k = _ear(points, ring)
        triangles.append((ring[k - 1], ring[k], ring[(k + 1) % len(ring)]))
        del ring[k]
    return np.array([*triangles, tuple(ring)])


def _bridged(points: np.ndarray, ring: list[int], hole: list[int], others: list[list[int]]) -> list[int]:
    start = max(range(len(hole)), key=lambda k: points[hole[k], 0])
    p = points[hole[start]]
    edges = [(r[k - 1], r[k]) for r in (ring, hole, *others) for k in range(len(r))]
    a, b = points[[e[0] for e in edges]], points[[e[1] for e in edges]]
    for k in sorted(range(len(ring)), key=lambda k: float(np.linalg.norm(points[ring[k]] - p))):
        q = points[ring[k]]
        free = ~((a == p).all(1) | (b == p).all(1) | (a == q).all(1) | (b == q).all(1))
        blocked = (_side(a, b, p) * _side(a, b, q) <= 0) & (_side(p, q, a) * _side(p, q, b) <= 0) & free
        if not blocked.any():
            return [*ring[: k + 1], *hole[start:], *hole[: start + 1], *ring[k:]]
    raise GeometryError("the holes of the polygon touch each other or its rim; no bridge between them was found")


def _ear(points: np.ndarray, ring: list[int]) -> int:
    """Index of a vertex that can be cut off; the flattest one if only flat ones are left."""
    corners = points[ring]
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    turn = _side(before, corners, after)
    for k in np.nonzero(turn > 0)[0]:
        a, b, c = before[k], corners[k], after[k]
        within = (_side(a, b, corners) >= 0) & (_side(b, c, corners) >= 0) & (_side(c, a, corners) >= 0)
        own = (corners == a).all(1) | (corners == b).all(1) | (corners == c).all(1)
        if not (within & ~own).any():
            return int(k)
    return int(np.abs(turn).argmin())
