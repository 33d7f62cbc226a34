"""Where parts overlap and cavities stick out: found, reported by name, never repaired.

Boxes around the parts are compared first (sorted along x).  Two convex shapes are decided exactly by
their support points: a polytope inside the Minkowski difference grows until it holds a ball about the
origin (overlap) or a direction separates the shapes.  Other pairs are sampled through their
surfaces and the common box, where `depth` is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steiner.findings import Finding
from steiner.scalar import any_symbolic
from steiner.solids.base import Solid
from steiner.solids.compound import Compound, Placed

TOLERANCE = 1e-6  # of the size of the smaller part: faces that touch are no overlap
ROUNDS = 200
RESOLUTION = 24
GRID = 14


def penetration(a: Solid, b: Solid, tolerance: float) -> float:
    """How far two convex solids overlap [m]; 0 if they touch or lie apart.  Exact to the tolerance."""
    from scipy.spatial import ConvexHull as QHull
    from scipy.spatial import QhullError

    def difference(directions: np.ndarray) -> np.ndarray:
        return a.support(directions) - b.support(-directions)

    axes = np.vstack([np.eye(3), -np.eye(3), np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])])
    points = difference(axes / np.linalg.norm(axes, axis=1, keepdims=True))
    inner = 0.0
    for _ in range(ROUNDS):
        try:
            hull = QHull(points)
        except QhullError:
            return 0.0  # flat bodies share no volume
        offsets = -hull.equations[:, 3]  # distance of the origin to each face, > 0 inside
        nearest = int(offsets.argmin())
        normal = hull.equations[nearest : nearest + 1, :3]
        reach = difference(normal)
        inner, outer = float(offsets[nearest]), float((reach * normal).sum())
        if outer <= tolerance:
            return 0.0  # this direction separates them
        if outer - inner <= max(tolerance, 0.01 * outer):
            return outer if inner > tolerance / 2 else 0.0
        points = np.vstack([hull.points[hull.vertices], reach])
    return max(inner, 0.0)


def sampled_overlap(a: Solid, b: Solid, cavities: Sequence[Solid] = ()) -> float:
    """The deepest common point, outside the cavities, that a grid and both surfaces show [m]; 0 if none."""

    def shared(at: np.ndarray, beyond: float = -np.inf) -> np.ndarray:
        """How deep points lie in both, if deeper than `beyond`; else no deeper than that."""
        found = a.depth(at)
        for sign, solid in ((1, b), *((-1, c) for c in cavities)):
            deep = found > beyond
            found[deep] = np.minimum(found[deep], sign * solid.depth(at[deep]))
        return found

    low, high = _common_box(a.bounds, b.bounds)
    ticks = (np.arange(GRID) + 0.5) / GRID
    grid = np.stack(np.meshgrid(ticks, ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 3)
    inside = low + grid * (high - low)
    starts = [inside[shared(inside).argmax()]]
    for solid, other in ((a, b), (b, a)):  # and where a surface is deepest in the other: faces that touch hide nothing
        points = _surface_points(solid)
        within = np.minimum.reduce([other.depth(points), *(-c.depth(points) for c in cavities)])
        starts.append(points[within.argmax()])
    around = 2 * grid[:: max(1, GRID // 2)] - 1
    return max(0.0, *(_climbed(shared, start, around, (high - low).max() / GRID) for start in starts))


def _climbed(height: Callable[..., np.ndarray], start: np.ndarray, around: np.ndarray, step: float) -> float:
    """The highest value found by looking around the best point, closer each time."""
    best = float(height(start[None])[0])
    for _ in range(12):
        points = start + step * around
        found = height(points, best)
        if found.max() > best:
            best, start = float(found.max()), points[found.argmax()]
        step /= 2
    return best


def _surface_points(solid: Solid) -> np.ndarray:
    vertices, faces = solid.mesh(RESOLUTION)
    return np.vstack([vertices, vertices[faces].mean(axis=1)]) if len(faces) else vertices


def _common_box(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.maximum(a[0], b[0]), np.minimum(a[1], b[1])


def overlap(a: Solid, b: Solid, tolerance: float | None = None) -> float:
    """How far two solids overlap [m]: 0 if they touch or lie apart."""
    if min(a.dimension, b.dimension) < 3:
        return 0.0
    limit = _tolerance(a, b) if tolerance is None else tolerance
    low, high = _common_box(a.bounds, b.bounds)
    if (high - low).min() <= limit:
        return 0.0
    if a.convex and b.convex:
        return penetration(a, b, limit)
    deep = sampled_overlap(a, b)
    return deep if deep > limit else 0.0


def _tolerance(*solids: Solid) -> float:
    """Faces that touch are no overlap, nor is what triangles make of round ones (a hub in its seat)."""
    return TOLERANCE * min(float(np.ptp(s.bounds, axis=0).max()) for s in solids) + sum(s.roughness for s in solids)


def protrusion(cavity: Solid, hosts: list[Solid]) -> float:
    """How far a cavity sticks out of the solids it is cut from [m]; 0 if it lies inside."""
    points = _surface_points(cavity)
    inside = np.full(len(points), -np.inf)
    for host in hosts:
        inside = np.maximum(inside, host.depth(points))
    return max(0.0, -float(inside.min()))


# ---- over many solids --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Placed:
    path: str
    solid: Solid
    cavity: bool
    bounds: np.ndarray


def findings(named: Sequence[tuple[str, Solid, bool]], unchecked: Sequence[tuple[str, str]] = ()) -> list[Finding]:
    """Overlaps between solids (path, solid, is a cavity), and cavities that are not inside."""
    bodies = [_Placed(path, solid, cavity, solid.bounds) for path, solid, cavity in named]
    found = [
        Finding("unchecked", f"{path} was not checked for overlaps: {why}", "note", (path,)) for path, why in unchecked
    ]
    cavities = [b for b in bodies if b.cavity]
    for a, b in _neighbours(bodies):
        if a.cavity != b.cavity:
            continue
        deep = overlap(a.solid, b.solid)
        filled = [c.solid for c in cavities if _touching(c.bounds, a.bounds) and _touching(c.bounds, b.bounds)]
        if deep > 0 and not a.cavity and filled:  # a pin in its bore: the cavity has made room for it
            deep = sampled_overlap(a.solid, b.solid, filled)
        if deep > _tolerance(a.solid, b.solid):
            found.append(_pair(a, b, deep))
    solids = [b for b in bodies if not b.cavity]
    for cavity in cavities:
        near = [s.solid for s in solids if _touching(s.bounds, cavity.bounds)]
        out = protrusion(cavity.solid, near) if near else float(np.ptp(cavity.bounds, axis=0).max())
        if out > _tolerance(cavity.solid):
            text = f"the cavity {cavity.path} sticks {out:.3g} m out of the parts: it removes mass that is not there"
            found.append(Finding("cavity-outside", text, parts=(cavity.path,), depth=out))
    return found


def unknown_surface(solid: Solid) -> bool:
    """Whether symbols leave open where the solid is."""
    return any_symbolic(solid.centroid, solid.gyration, solid.measure)


def check(solid: Solid) -> list[Finding]:
    """See `Solid.check`."""
    return within("", solid)


def within(path: str, solid: Solid) -> list[Finding]:
    """Overlaps between the pieces of a joined or cut solid, and cuts that are not inside it."""
    found = pieces(solid)
    if len(found) == 1 or solid.dimension < 3:
        return []
    if unknown_surface(solid):
        return findings([], [(path or repr(solid), "it has symbols; substitute values first")])
    named = []
    for k, (sign, piece) in enumerate(found):
        kind = type(piece.solid if isinstance(piece, Placed) else piece).__name__
        named.append((f"{path}: {kind} {k + 1}".removeprefix(": "), piece, sign < 0))
    return findings(named)


def pieces(solid: Solid) -> list[tuple[int, Solid]]:
    """The simple solids it is made of, +1 added and −1 cut, where they are."""
    found: list[tuple[int, Solid]] = []
    stack: list[tuple[int, Solid]] = [(1, solid)]
    while stack:
        sign, piece = stack.pop()
        plain = piece.solid if isinstance(piece, Placed) else piece
        if isinstance(plain, Compound):
            both = [(sign * plain.sign, plain.second), (sign, plain.first)]
            stack += [(s, p.at(piece.pose)) for s, p in both] if isinstance(piece, Placed) else both
        else:
            found.append((sign, piece))
    return found


def _pair(a: _Placed, b: _Placed, deep: float) -> Finding:
    if a.cavity:
        text = f"the cavities {a.path} and {b.path} overlap by {deep:.3g} m: what they share is removed twice"
        return Finding("cavity-overlap", text, parts=(a.path, b.path), depth=deep)
    text = f"{a.path} and {b.path} overlap by {deep:.3g} m: the mass there is counted twice"
    return Finding("overlap", text, parts=(a.path, b.path), depth=deep)


def _touching(a: np.ndarray, b: np.ndarray) -> bool:
    low, high = _common_box(a, b)
    return bool((low <= high).all())


def _neighbours(bodies: list[_Placed]) -> Iterator[tuple[_Placed, _Placed]]:
    """Pairs whose boxes meet: sorted along x, so far parts are never compared."""
    order = sorted(bodies, key=lambda b: b.bounds[0, 0])
    active: list[_Placed] = []
    for body in order:
        active = [other for other in active if other.bounds[1, 0] > body.bounds[0, 0]]
        for other in active:
            low, high = _common_box(other.bounds, body.bounds)
            if (high > low).all():
                yield other, body
        active.append(body)
