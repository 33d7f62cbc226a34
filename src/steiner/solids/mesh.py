"""Solids bounded by triangles: closed meshes and convex hulls, integrated exactly.

The integrals are sums over tetrahedra from a point inside the mesh (then again from its centroid), so a
part 1 km from the origin keeps its digits.  An open mesh is an error, and a mesh whose faces disagree about the
outside is refused.  Each closed surface ("shell") that is inside out is turned with a warning, unless it lies in a
body, whose cavity it then is.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Self, final

import numpy as np

from steiner.errors import GeometryError, ModelWarning, described
from steiner.scalar import array, frozen
from steiner.solids.base import Solid, Triangles
from steiner.solids.charts import Chart
from steiner.solids.polygon import check_reach

MOST_SHELLS = 50  # beyond that overlaps are not looked for
MOST_POINTS = 32  # of a shell, to tell in which others it lies
TOUCH = 1e-9  # of its size: so near, surfaces touch
ROUNDING = 1e-15  # a body thinner than this part of its coordinates is none
CHUNK = 1 << 20  # point × face pairs at once, when asking what lies inside


def tetrahedra(vertices: np.ndarray, faces: np.ndarray, apex: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    """Volume, ∫ r dV and ∫ r rᵀ dV over a closed mesh, r from the apex; any kind of number.

    A tetrahedron (0, a, b, c) has ∫ r rᵀ dV = det/120 · (s sᵀ + a aᵀ + b bᵀ + c cᵀ), s = a + b + c.
    """
    a, b, c = (vertices[faces[:, k]] - apex for k in range(3))
    if vertices.dtype == np.float64:  # the cross product of the two shorter edges: a sliver keeps its digits
        longest = np.stack([((p - q) ** 2).sum(axis=1) for p, q in ((b, c), (c, a), (a, b))]).argmax(axis=0)
        a, b, c = (np.choose(longest[:, None], pick) for pick in ((a, b, c), (b, c, a), (c, a, b)))
    det = (a * np.cross(b - a, c - a)).sum(axis=1)
    s = a + b + c
    weighted = det[:, None]
    second = sum((weighted * p).T @ p for p in (s, a, b, c))
    return det.sum() / 6, (weighted * s).sum(axis=0) / 24, second / 120  # type: ignore[return-value]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Mesh(Solid):
    """Closed triangle mesh: vertices (n, 3) in metres and faces (k, 3), counterclockwise from outside."""

    vertices: Any
    faces: Any
    convex = False
    provenance = "mesh"
    frame = "the coordinates of the vertices"

    def __post_init__(self) -> None:
        vertices = array(self.vertices, what="Mesh: vertices")
        faces = _checked_faces(self.faces, vertices)
        check_reach("Mesh: vertices", vertices)
        _check_closed(vertices, faces)
        if vertices.dtype == np.float64:
            faces = _outward(vertices, faces)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", frozen(np.array(faces)))

    @classmethod
    def example(cls) -> Self:
        """A skew tetrahedron away from the origin."""
        corners = [[0.1, 0.2, 0.3], [0.3, 0.21, 0.28], [0.12, 0.35, 0.31], [0.15, 0.22, 0.5]]
        return cls(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])

    @cached_property
    def _moments(self) -> tuple[Any, np.ndarray, np.ndarray]:
        start = self.vertices[0] if self.vertices.dtype == object else self.vertices.mean(axis=0)
        volume, first, _ = tetrahedra(self.vertices, self.faces, start)
        centre = start + first / volume
        volume, _, second = tetrahedra(self.vertices, self.faces, centre)
        return volume, centre, second / volume

    def _measure(self) -> Any:
        return self._moments[0]

    def _centre(self) -> Any:
        return self._moments[1]

    def _gyration(self) -> Any:
        return self._moments[2]

    def _charts(self) -> list[Chart]:
        return [_tetrahedron(self.vertices[0], *self.vertices[face]) for face in self.faces]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return self.vertices[(directions @ self.vertices.T).argmax(axis=1)]

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return mesh_depth(self.vertices, self.faces, points)

    def _mesh(self, resolution: int) -> Triangles:
        """The mesh itself, whatever the resolution."""
        return self.vertices, self.faces

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces)"


@final
@dataclass(frozen=True, eq=False, repr=False)
class ConvexHull(Solid):
    """The smallest convex body around points (n, 3) in metres."""

    points: Any
    provenance = "mesh"
    frame = "the coordinates of the points"

    def __post_init__(self) -> None:
        points = array(self.points, what="ConvexHull: points")
        if points.dtype == object:
            raise GeometryError("ConvexHull: needs numbers; which points are corners depends on the values of symbols")
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4:
            raise GeometryError(
                f"ConvexHull: expected at least 4 points (x, y, z), got an array of shape {points.shape}"
            )
        check_reach("ConvexHull: points", points)
        object.__setattr__(self, "points", points)
        _ = self._hull

    @classmethod
    def example(cls) -> Self:
        """The hull of eight points, one of them inside."""
        return cls(
            np.array([[0, 0, 0], [3, 0, 0.2], [0, 2, 0], [0, 0.3, 1], [2, 2, 2], [1, 1, 0.5], [3, 0, 1], [2, -1, 1]])
            / 10
        )

    @cached_property
    def _hull(self) -> Mesh:
        from scipy.spatial import ConvexHull as QHull
        from scipy.spatial import QhullError

        try:
            middle, size = self.points.mean(axis=0), float(np.ptp(self.points, axis=0).max())
            hull = QHull((self.points - middle) / size)
        except QhullError:
            raise GeometryError(
                f"ConvexHull: the {len(self.points)} points lie in a plane (or are one); they enclose no volume"
            ) from None
        corners = hull.points[hull.simplices]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        turned = (normal * hull.equations[:, :3]).sum(axis=1) < 0
        faces = np.where(turned[:, None], hull.simplices[:, ::-1], hull.simplices)
        used, faces = np.unique(faces, return_inverse=True)
        return Mesh(self.points[used], faces.reshape(-1, 3))

    def _measure(self) -> Any:
        return self._hull.measure

    def _centre(self) -> Any:
        return self._hull.centroid

    def _gyration(self) -> Any:
        return self._hull.gyration

    def _charts(self) -> list[Chart]:
        return self._hull.charts

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return self.points[(directions @ self.points.T).argmax(axis=1)]

    def _depth(self, points: np.ndarray) -> np.ndarray:
        v, f = self._hull.vertices, self._hull.faces
        normal = np.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]])
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        return -(points @ normal.T - (normal * v[f[:, 0]]).sum(axis=1)).max(axis=1)

    def _mesh(self, resolution: int) -> Triangles:
        """The faces of the hull."""
        return self._hull.mesh(resolution)

    def __repr__(self) -> str:
        return f"ConvexHull({len(self.points)} points)"


def _tetrahedron(apex: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Chart:
    """The signed tetrahedron over one face, 0 ≤ s, t, u ≤ 1."""
    det = np.dot(a - apex, np.cross(b - apex, c - apex))
    return Chart(
        ("s", "t", "u"),
        ((0, 1), (0, 1), (0, 1)),
        lambda s, t, u: tuple(apex + s * ((a - apex) + t * ((b - a) + u * (c - b)))),  # type: ignore[return-value]
        lambda s, t, u: det * s**2 * t,
    )


def _checked_faces(faces: Any, vertices: np.ndarray) -> np.ndarray:
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise GeometryError(f"Mesh: expected vertices (n, 3), got an array of shape {vertices.shape}")
    try:
        index = np.asarray(faces)
    except ValueError:
        raise GeometryError(f"Mesh: expected faces (k, 3) of whole numbers, got {described(faces)}") from None
    if index.ndim != 2 or index.shape[1] != 3 or index.dtype.kind not in "iu":
        raise GeometryError(f"Mesh: expected faces (k, 3) of whole numbers, got shape {index.shape} of {index.dtype}")
    if len(index) < 4:
        raise GeometryError(f"Mesh: {len(index)} faces cannot enclose a volume; expected at least 4")
    if index.min() < 0 or index.max() >= len(vertices):
        bad = int(index.max() if index.max() >= len(vertices) else index.min())
        raise GeometryError(f"Mesh: a face uses vertex {bad}, but the vertices are 0 … {len(vertices) - 1}")
    return index.astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Edges:
    """The sides of all faces, three each: which face, which undirected edge, and the sense (±1) it is run through."""

    face: np.ndarray
    edge: np.ndarray
    sense: np.ndarray
    ends: np.ndarray  # of each edge: its two vertices
    times: np.ndarray  # of each edge: how many faces have it

    @classmethod
    def of(cls, faces: np.ndarray, count: int) -> _Edges:
        start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
        keys, edge, times = np.unique(
            np.minimum(start, end) * count + np.maximum(start, end), return_inverse=True, return_counts=True
        )
        face = np.repeat(np.arange(len(faces)), 3)
        return cls(face, edge, np.where(start < end, 1, -1), np.stack(np.divmod(keys, count), axis=1), times)


def _check_closed(vertices: np.ndarray, faces: np.ndarray) -> None:
    """Refuses a surface with a rim: each edge is run through as often one way as the other, also where bodies touch."""
    lowest = faces.argmin(axis=1)[:, None]
    _, times = np.unique(
        np.take_along_axis(faces, (lowest + np.arange(3)) % 3, axis=1), axis=0, return_counts=True
    )
    if times.max() > 1:
        raise GeometryError(f"Mesh: {int((times - 1).sum())} faces are listed twice; remove the copies")
    edges = _Edges.of(faces, len(vertices))
    uneven = np.bincount(edges.edge, weights=edges.sense) != 0
    twisted = uneven & (edges.times % 2 == 0)
    if twisted.any():
        where = _where(vertices, edges.ends[twisted][0, 0])
        raise GeometryError(
            f"Mesh: {twisted.sum()} edges are run through twice in the same sense{where}: neighbouring faces disagree "
            "about which side is outside; make the winding consistent"
        )
    if uneven.any():
        where = _where(vertices, edges.ends[uneven][0, 0])
        raise GeometryError(
            f"Mesh: {uneven.sum()} open edges{where}: the surface has a hole, so it encloses no volume; "
            "close it, or use ConvexHull(vertices) if a convex body is meant"
        )


def _shells(faces: np.ndarray, count: int) -> list[np.ndarray]:
    """Indices of the faces of each closed surface; where more than two faces meet in an edge, surfaces only touch."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    sides = _Edges.of(faces, count)
    n, m = len(faces), len(sides.times)

    def joined(across: np.ndarray) -> np.ndarray:
        """The surface of each face, if they hang together across these edges."""
        chosen = across[sides.edge]
        graph = coo_matrix((chosen[chosen], (sides.face[chosen], n + sides.edge[chosen])), shape=(n + m, n + m))
        return connected_components(graph, directed=False)[1][:n]

    plain = sides.times == 2
    label = joined(plain)
    pairs, side = np.unique(label[sides.face] * m + sides.edge, return_inverse=True)
    rims = pairs[np.bincount(side, weights=sides.sense) != 0] % m
    if len(rims):  # what does not close by itself is one with what it meets there
        plain[rims] = True
        label = joined(plain)
    order = np.argsort(label, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)


@dataclass(frozen=True, eq=False)
class _Shell:
    """One closed surface of a mesh."""

    rows: np.ndarray  # of the mesh's faces
    faces: np.ndarray
    volume: float  # signed
    points: np.ndarray  # a few of its corners and faces, and its middle
    box: np.ndarray

    @classmethod
    def of(cls, vertices: np.ndarray, faces: np.ndarray, rows: np.ndarray) -> _Shell:
        own = faces[rows]
        corners = vertices[np.unique(own)]
        middle = corners.mean(axis=0)
        points = np.vstack([corners, vertices[own].mean(axis=1)])
        few = points[:: -(-len(points) // MOST_POINTS)]
        return cls(rows, own, float(tetrahedra(vertices, own, middle)[0]), np.vstack([few, middle]),
                   np.array([corners.min(axis=0), corners.max(axis=0)]))

    def depth_of(self, vertices: np.ndarray, points: np.ndarray) -> np.ndarray:
        """How deep points lie in this surface, whichever way its faces look."""
        return mesh_depth(vertices, self.faces if self.volume > 0 else self.faces[:, ::-1], points)

    def holds(self, vertices: np.ndarray, other: _Shell) -> bool:
        """Whether another surface, no larger than this one and within its box, lies in it."""
        depth = self.depth_of(vertices, other.points[:-1])
        return bool(depth[np.abs(depth).argmax()] > TOUCH * self.size)

    @property
    def size(self) -> float:
        return float((self.box[1] - self.box[0]).max())


def _outward(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """The faces with every shell the right way round: bodies outward, cavities inward; warns of what it turned."""
    shells = [_Shell.of(vertices, faces, rows) for rows in _shells(faces, len(vertices))]
    shells.sort(key=lambda s: -abs(s.volume))  # what surrounds before what is inside
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2
    if abs(shells[0].volume) <= ROUNDING * float(np.abs(vertices).max()) * area:
        raise GeometryError(f"Mesh: {len(faces)} faces enclose no volume; expected a solid body")
    parents = _parents(vertices, shells)
    signs: list[int] = []
    for shell, parent in zip(shells, parents, strict=True):
        given = 1 if shell.volume >= 0 else -1
        if parent is None:
            signs.append(1)
        else:  # a cavity in a body, a body in a cavity; a body in a body stays: overlaps are told, not changed
            doubled = given > 0 and signs[parent] > 0 and shells[parent].volume > 0
            signs.append(1 if doubled else -signs[parent])
    turned = [s for s, sign in zip(shells, signs, strict=True) if sign * s.volume < 0]
    if turned:
        count = sum(len(s.rows) for s in turned)
        what = f"{len(turned)} of its {len(shells)} closed surfaces ({count} of {len(faces)} faces) are inside out"
        if len(turned) == len(shells):
            what = f"all {count} faces point inward (volume {sum(s.volume for s in shells):.6g} m³)"
        warnings.warn(f"Mesh: {what}; they were turned outward", ModelWarning, stacklevel=4)
        faces = faces.copy()
        rows = np.concatenate([s.rows for s in turned])
        faces[rows] = faces[rows][:, ::-1]
    if len(shells) <= MOST_SHELLS:
        bodies = [k for k, sign in enumerate(signs) if sign > 0]
        hosted = {k for k, parent in enumerate(parents) if parent is not None and signs[parent] < 0}
        pairs = [(i, j) for i, j in combinations(bodies, 2) if j not in hosted or parents[j] == parents[i]]
        _warn_of_overlaps(vertices, shells, pairs)
    return faces


def _parents(vertices: np.ndarray, shells: list[_Shell]) -> list[int | None]:
    """For each shell, from the largest to the smallest, the smallest one around it."""
    if all(s.volume > 0 for s in shells):
        return [None] * len(shells)
    boxes, slack = np.array([s.box for s in shells]), TOUCH * np.array([[s.size] for s in shells])
    parents: list[int | None] = []
    for k, shell in enumerate(shells):
        within = (boxes[:k, 0] - slack[:k] <= shell.box[0]) & (shell.box[1] <= boxes[:k, 1] + slack[:k])
        smallest_first = np.flatnonzero(within.all(axis=1))[::-1]
        parents.append(next((int(j) for j in smallest_first if shells[j].holds(vertices, shell)), None))
    return parents


def _warn_of_overlaps(vertices: np.ndarray, shells: list[_Shell], pairs: list[tuple[int, int]]) -> None:
    """Several bodies in one mesh that share space: what they share is counted twice (cavities are not)."""
    for i, j in pairs:
        first, second = shells[i], shells[j]
        low, high = np.maximum(first.box[0], second.box[0]), np.minimum(first.box[1], second.box[1])
        slack = TOUCH * first.size
        corners = [np.vstack([vertices[np.unique(s.faces)], s.points[-1]]) for s in (first, second)]
        if (low < high).all() and max(
            first.depth_of(vertices, corners[1]).max(), second.depth_of(vertices, corners[0]).max()
        ) > slack:
            warnings.warn(
                f"Mesh: two of its {len(shells)} closed surfaces overlap near "
                f"({low[0]:g}, {low[1]:g}, {low[2]:g}) m: what they share is counted twice",
                ModelWarning,
                stacklevel=5,
            )
            return


def _where(vertices: np.ndarray, index: int) -> str:
    x, y, z = vertices[index]
    return f" near ({x:g}, {y:g}, {z:g}) m" if vertices.dtype == np.float64 else f" at vertex {index}"


def mesh_depth(vertices: np.ndarray, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Distance to the nearest face, signed by the winding number (van Oosterom & Strackee 1983)."""
    out = np.zeros(len(points))
    step = max(1, CHUNK // max(len(faces), 1))
    for start in range(0, len(points), step):
        p = points[start : start + step, None, :]
        a, b, c = (vertices[faces[:, k]][None] - p for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
        det = (a * np.cross(b, c)).sum(axis=2)
        dots = ((a * b).sum(2) * lc, (b * c).sum(2) * la, (c * a).sum(2) * lb)
        solid_angle = 2 * np.arctan2(det, la * lb * lc + dots[0] + dots[1] + dots[2])
        turns = solid_angle.sum(axis=1) / (4 * np.pi)
        near = np.sqrt(_distance2(a, b, c).min(axis=1))
        out[start : start + step] = np.where(turns > 0.5, near, -near)
    return out


def _distance2(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Squared distance from the origin to triangles."""
    normal = np.cross(b - a, c - a)
    area = (normal * normal).sum(axis=2)
    above = [(np.cross(v - u, -u) * normal).sum(axis=2) >= 0 for u, v in ((a, b), (b, c), (c, a))]
    height = (a * normal).sum(axis=2) ** 2 / np.where(area == 0, 1, area)
    edges = []
    for u, v in ((a, b), (b, c), (c, a)):
        d = v - u
        t = np.clip(-(u * d).sum(axis=2) / np.where((d * d).sum(axis=2) == 0, 1, (d * d).sum(axis=2)), 0, 1)
        edges.append(((u + t[..., None] * d) ** 2).sum(axis=2))
    rim = np.minimum(np.minimum(edges[0], edges[1]), edges[2])
    return np.where(above[0] & above[1] & above[2] & (area > 0), height, rim)
