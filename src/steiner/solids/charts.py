"""The integral that defines a solid: nested limits, a map to x, y, z and its Jacobian.

One description serves three purposes: quadrature of the definition, the derivation that is
written down with symbols, and the surface (the image of the boundary of the parameter box).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from steiner.errors import GeometryError
from steiner.records import record
from steiner.scalar import cos, is_number, pi_for, sin

Limit = tuple[Any, Any] | Callable[..., tuple[Any, Any]]

ANGLES = ("phi", "theta")
MERGE = 1e-9  # vertices closer than this part of the thickness are one
EPS = float(np.finfo(float).eps)


@record
class Chart:
    """∫…∫ f(x, y, z) |J| du dv dw; coordinates from the outermost to the innermost integral.

    A limit is a pair, or a function of the outer coordinates that gives one.  `sign` −1 counts
    the region as removed.
    """

    names: tuple[str, ...]
    limits: tuple[Limit, ...]
    point: Callable[..., tuple[Any, Any, Any]]
    jacobian: Callable[..., Any]
    sign: int = 1
    curved: bool = False  # the straight coordinates bend too: every face of the box needs segments

    def bounds_of(self, k: int, outer: Sequence[Any]) -> tuple[Any, Any]:
        """Limits of coordinate k, given the coordinates outside it."""
        limit = self.limits[k]
        return limit(*outer) if callable(limit) else limit

    def coordinates(self, parameters: Sequence[float]) -> list[float]:
        """Coordinates at parameters in the unit cube."""
        values: list[float] = []
        for k, t in enumerate(parameters):
            low, high = self.bounds_of(k, values)
            values.append(float(high) if t == 1 else low + t * (high - low))
        return values


def cartesian(x: Limit, y: Limit, z: Limit) -> Chart:
    """Nested limits z (outermost), then y, then x."""
    return Chart(("z", "y", "x"), (z, y, x), lambda z, y, x: (x, y, z), lambda z, y, x: 1)


def cylindrical(z: Limit, r: Limit, phi: Limit | None = None, a: Any = 1, b: Any = 1) -> Chart:
    """Nested limits z, φ, r; the circle may be stretched to semi-axes a, b."""
    turn = (0, 2 * pi_for(a)) if phi is None else phi
    return Chart(
        ("z", "phi", "r"),
        (z, turn, r),
        lambda z, phi, r: (a * r * cos(phi), b * r * sin(phi), z),
        lambda z, phi, r: a * b * r,
    )


def spherical(r: Limit, theta: Limit, stretch: tuple[Any, Any, Any] = (1, 1, 1), z: Any = 0) -> Chart:
    """Nested limits φ, θ (from the z axis), r, about a centre at height z."""
    a, b, c = stretch
    turn = (0, 2 * pi_for(a, b, c, *(v for v in (r if isinstance(r, tuple) else ()))))
    return Chart(
        ("phi", "theta", "r"),
        (turn, theta, r),
        lambda phi, theta, r: (
            a * r * sin(theta) * cos(phi),
            b * r * sin(theta) * sin(phi),
            z + c * r * cos(theta),
        ),
        lambda phi, theta, r: a * b * c * r**2 * sin(theta),
    )


def triangle_points(corners: Any) -> tuple[Callable[[Any, Any], tuple[Any, Any]], Any]:
    """Map of 0 ≤ s, t ≤ 1 to a triangle in the plane, and twice its signed area (Jacobian 2A·s)."""
    (x0, y0), (x1, y1), (x2, y2) = corners

    def point(s: Any, t: Any) -> tuple[Any, Any]:
        return x0 + s * (x1 - x0) + s * t * (x2 - x1), y0 + s * (y1 - y0) + s * t * (y2 - y1)

    return point, (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)


# ---- quadrature of the definition ------------------------------------------------------------------


def samples(chart: Chart, nodes: np.ndarray, weights: np.ndarray) -> Iterator[tuple[list[float], float]]:
    """Points and weights of the nested Gauss rule."""
    stack: list[tuple[list[float], float]] = [([], 1.0)]
    for k in range(len(chart.names)):
        deeper: list[tuple[list[float], float]] = []
        for values, weight in stack:
            low, high = (float(v) for v in chart.bounds_of(k, values))
            middle, reach = (low + high) / 2, (high - low) / 2
            deeper += [([*values, middle + reach * t], weight * reach * w) for t, w in zip(nodes, weights, strict=True)]
        stack = deeper
    yield from stack


def quadrature(charts: Sequence[Chart], order: int = 20) -> tuple[float, np.ndarray, np.ndarray]:
    """Measure, ∫ r dV and ∫ r rᵀ dV by nested Gauss-Legendre quadrature of the definition."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    measure, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for chart in charts:
        points, masses = [], []
        for values, weight in samples(chart, nodes, weights):
            points.append([float(x) for x in chart.point(*values)])
            masses.append(chart.sign * weight * float(chart.jacobian(*values)))
        p, m = np.array(points), np.array(masses)
        measure += m.sum()
        first += m @ p
        second += (p * m[:, None]).T @ p
    return float(measure), first, second


# ---- the surface -------------------------------------------------------------------------------------


def surface(charts: Sequence[Chart], resolution: int) -> tuple[np.ndarray, np.ndarray]:
    """Closed triangle mesh of the solid that the charts fill together."""
    vertices: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    count = 0
    for chart in charts:
        v, f = _boundary(chart, resolution)
        vertices.append(v)
        faces.append(f + count)
        count += len(v)
    return welded(np.vstack(vertices), np.vstack(faces))


def _boundary(chart: Chart, resolution: int) -> tuple[np.ndarray, np.ndarray]:
    """The six faces of the parameter box, mapped; oriented outward as one."""
    middle = chart.coordinates([0.5] * 3)
    if not all(is_number(x) for x in middle):
        raise GeometryError("a mesh needs numbers; substitute values for the symbols first")
    counts = []
    for k, name in enumerate(chart.names):
        low, high = (float(v) for v in chart.bounds_of(k, middle[:k]))
        turns = abs(high - low) / math.tau
        straight = resolution if chart.curved else 1
        counts.append(max(3 if turns > 0.999 else 1, round(resolution * turns)) if name in ANGLES else straight)
    vertices: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    for k in range(3):
        a, b = (j for j in range(3) if j != k)
        for end in (0, 1):
            start = sum(map(len, vertices))
            t = np.full((counts[a] + 1, counts[b] + 1, 3), float(end))
            t[..., a], t[..., b] = np.meshgrid(*(np.arange(c + 1) / c for c in (counts[a], counts[b])), indexing="ij")
            vertices.append(_points(chart, t.reshape(-1, 3)))
            row = counts[b] + 1
            forward = (end == 1) == (k != 1)  # (k, a, b) is a cyclic order except for k = 1
            q = (start + np.arange(counts[a])[:, None] * row + np.arange(counts[b])).ravel()
            side = (q + row, q + row + 1, q + 1) if forward else (q + 1, q + row + 1, q + row)
            faces.append(np.stack([q, side[0], side[1], q, side[1], side[2]], axis=1).reshape(-1, 3))
    v, f = np.vstack(vertices), np.vstack(faces)
    outward = chart.sign * np.einsum("ij,ij->i", v[f[:, 0]], np.cross(v[f[:, 1]], v[f[:, 2]])).sum()
    return v, f if outward > 0 else f[:, ::-1]


def _points(chart: Chart, t: np.ndarray) -> np.ndarray:
    """Points at parameters (k, 3) in the unit cube: all at once, or one by one where a limit is a plain function."""
    try:
        values: list[Any] = []
        for k in range(3):
            low, high = (np.asarray(v, float) for v in chart.bounds_of(k, values))
            values.append(np.where(t[:, k] == 1, high, low + t[:, k] * (high - low)))
        return np.stack(np.broadcast_arrays(*chart.point(*values)), axis=1).astype(float)
    except (TypeError, ValueError):
        return np.array([[float(x) for x in chart.point(*chart.coordinates(row))] for row in t.tolist()])


def welded(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coincident vertices as one, flat triangles and pairs back to back removed."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import KDTree

    across = np.ptp(vertices, axis=0)  # the thickness of a needle or a plate counts, down to round-off of its length
    near = max(MERGE * float(across[across > 0].min(initial=math.inf)), 16 * EPS * float(np.abs(vertices).max()))
    vertices, again = _distinct(vertices + 0.0)  # a centre met a thousand times, once
    faces = again[faces]
    pairs = KDTree(vertices).query_pairs(near, output_type="ndarray")
    n = len(vertices)
    graph = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    _, first = np.unique(label, return_index=True)
    faces = label[faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    ordered = np.sort(faces, axis=1)
    turned = np.argmin(faces, axis=1)
    second = faces[np.arange(len(faces)), (turned + 1) % 3]
    parity = np.where(second == ordered[:, 1], 1, -1)
    _, keys = _distinct(ordered)
    net = np.zeros(keys.max(initial=-1) + 1, dtype=int)
    np.add.at(net, keys, parity)
    kept = faces[net[keys] == parity]
    used, kept = np.unique(kept, return_inverse=True)
    return vertices[first][used], kept.reshape(-1, 3)


def _distinct(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows in order, each once, and where each row of the given is among them: `unique` of rows, ten times as fast."""
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(rows)]
    index = np.zeros(len(rows), dtype=np.intp)
    index[order] = np.cumsum(new) - 1
    return ordered[new], index
