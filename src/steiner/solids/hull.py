"""The convex hull of points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from steiner.errors import GeometryError
from steiner.scalar import array
from steiner.solids.base import Solid, Triangles
from steiner.solids.charts import Chart
from steiner.solids.mesh import Mesh
from steiner.solids.polygon import check_reach


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
