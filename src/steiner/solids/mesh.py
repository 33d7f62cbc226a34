"""Solids bounded by triangles: closed meshes and convex hulls, integrated exactly.

The integrals are sums over tetrahedra from a point inside the mesh (then again from its centroid), so a
part 1 km from the origin keeps its digits.  An open mesh is an error, an inside-out one is turned with
a warning, and a mesh whose faces disagree about the outside is refused.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from steiner.errors import GeometryError, ModelWarning
from steiner.scalar import array, frozen
from steiner.solids.base import Solid, Triangles
from steiner.solids.charts import Chart

MOST_SHELLS = 50  # beyond that the pairs are not compared
CHUNK = 1 << 20  # point × face pairs at once, when asking what lies inside


def tetrahedra(vertices: np.ndarray, faces: np.ndarray, apex: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
    """Volume, ∫ r dV and ∫ r rᵀ dV over a closed mesh, r from the apex; any kind of number.

    A tetrahedron (0, a, b, c) has ∫ r rᵀ dV = det/120 · (s sᵀ + a aᵀ + b bᵀ + c cᵀ), s = a + b + c.
    """
    a, b, c = (vertices[faces[:, k]] - apex for k in range(3))
    det = (
        a[:, 0] * (b[:, 1] * c[:, 2] - b[:, 2] * c[:, 1])
        + a[:, 1] * (b[:, 2] * c[:, 0] - b[:, 0] * c[:, 2])
        + a[:, 2] * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    )
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
        _check_closed(vertices, faces)
        if vertices.dtype == np.float64:
            volume, _, _ = tetrahedra(vertices, faces, vertices.mean(axis=0))
            size = float(np.ptp(vertices, axis=0).max())
            if abs(volume) <= 1e-12 * size**3:
                raise GeometryError(f"Mesh: {len(faces)} faces enclose no volume; expected a solid body")
            if volume < 0:
                warnings.warn(
                    f"Mesh: all {len(faces)} faces point inward (volume {volume:.6g} m³); they were turned outward",
                    ModelWarning,
                    stacklevel=3,
                )
                faces = faces[:, ::-1]
            _warn_of_overlaps(vertices, faces)
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
            hull = QHull(self.points - self.points.mean(axis=0))
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
    index = np.asarray(faces)
    if index.ndim != 2 or index.shape[1] != 3 or index.dtype.kind not in "iu":
        raise GeometryError(f"Mesh: expected faces (k, 3) of whole numbers, got shape {index.shape} of {index.dtype}")
    if len(index) < 4:
        raise GeometryError(f"Mesh: {len(index)} faces cannot enclose a volume; expected at least 4")
    if index.min() < 0 or index.max() >= len(vertices):
        bad = int(index.max() if index.max() >= len(vertices) else index.min())
        raise GeometryError(f"Mesh: a face uses vertex {bad}, but the vertices are 0 … {len(vertices) - 1}")
    return index.astype(np.int64)


def _check_closed(vertices: np.ndarray, faces: np.ndarray) -> None:
    n = len(vertices)
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    forward, backward = edges[:, 0] * n + edges[:, 1], edges[:, 1] * n + edges[:, 0]
    every, times = np.unique(forward, return_counts=True)
    open_edges = np.setdiff1d(backward, every)
    doubled = every[times > 1]
    if len(doubled):
        where = _where(vertices, int(doubled[0]) // n)
        raise GeometryError(
            f"Mesh: {len(doubled)} edges are run through twice in the same sense{where}: neighbouring faces disagree "
            "about which side is outside; make the winding consistent"
        )
    if len(open_edges):
        where = _where(vertices, int(open_edges[0]) % n)
        raise GeometryError(
            f"Mesh: {len(open_edges)} open edges{where}: the surface has a hole, so it encloses no volume; "
            "close it, or use ConvexHull(vertices) if a convex body is meant"
        )


def _shells(faces: np.ndarray, count: int) -> list[np.ndarray]:
    """Faces of each connected surface."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    edges = faces[:, [0, 1, 1, 2]].reshape(-1, 2)
    graph = coo_matrix((np.ones(len(edges)), edges.T), shape=(count, count))
    _, label = connected_components(graph, directed=False)
    owner = label[faces[:, 0]]
    return [faces[owner == k] for k in np.unique(owner)]


def _warn_of_overlaps(vertices: np.ndarray, faces: np.ndarray) -> None:
    """Several bodies in one mesh that share space: what they share is counted twice (cavities are not)."""
    shells = _shells(faces, len(vertices))
    if not 1 < len(shells) <= MOST_SHELLS:
        return
    signed = [tetrahedra(vertices, s, vertices[s[0, 0]])[0] for s in shells]
    bodies = [s for s, volume in zip(shells, signed, strict=True) if volume > 0]
    for k, first in enumerate(bodies):
        for second in bodies[k + 1 :]:
            points = [vertices[np.unique(s)] for s in (first, second)]
            low, high = np.maximum(*(p.min(axis=0) for p in points)), np.minimum(*(p.max(axis=0) for p in points))
            if (low >= high).any():
                continue
            size = 1e-9 * float(np.ptp(points[0], axis=0).max())
            if max(mesh_depth(vertices, s, p).max() for s, p in ((first, points[1]), (second, points[0]))) > size:
                warnings.warn(
                    f"Mesh: two of its {len(shells)} closed surfaces overlap near "
                    f"({low[0]:g}, {low[1]:g}, {low[2]:g}) m: what they share is counted twice",
                    ModelWarning,
                    stacklevel=4,
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
