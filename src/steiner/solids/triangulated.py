"""Solids whose surface is kept as triangles, and whose moments are known."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from steiner.errors import GeometryError, described
from steiner.solids.base import Solid, Triangles
from steiner.solids.charts import Chart
from steiner.solids.mesh_inside import mesh_depth
from steiner.solids.mesh_integrals import Moments


class Triangulated(Solid):
    """A solid of `vertices` (n, 3) and `faces` (k, 3), counterclockwise from outside.

    It states its `_moments`: volume, centre and gyration.
    """

    convex = False
    vertices: Any
    faces: Any

    @cached_property
    def _moments(self) -> Moments:
        raise TypeError(f"{type(self).__name__} states no moments")

    def _measure(self) -> Any:
        return self._moments[0]

    def _centre(self) -> Any:
        return self._moments[1]

    def _gyration(self) -> Any:
        return self._moments[2]

    def _charts(self) -> list[Chart]:
        raise GeometryError(
            f"{type(self).__name__}: only its moments are known, no limits of integration; "
            "integrate over its triangles: st.Mesh(*solid.mesh())"
        )

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return self.vertices[(directions @ self.vertices.T).argmax(axis=1)]

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return mesh_depth(self.vertices, self.faces, points)

    def _mesh(self, resolution: int) -> Triangles:
        """The surface itself, whatever the resolution."""
        return self.vertices, self.faces


def checked_faces(what: str, faces: Any, vertices: np.ndarray) -> np.ndarray:
    """Faces (k, 3) that use the vertices (n, 3), as whole numbers."""
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise GeometryError(f"{what}: expected vertices (n, 3), got an array of shape {vertices.shape}")
    try:
        index = np.asarray(faces)
    except Exception:  # ragged lists, or whatever an object's own conversion raises
        raise GeometryError(f"{what}: expected faces (k, 3) of whole numbers, got {described(faces)}") from None
    if index.ndim != 2 or index.shape[1] != 3 or index.dtype.kind not in "iu":
        raise GeometryError(f"{what}: expected faces (k, 3) of whole numbers, got shape {index.shape} of {index.dtype}")
    if len(index) < 4:
        raise GeometryError(f"{what}: {len(index)} faces cannot enclose a volume; expected at least 4")
    if index.min() < 0 or index.max() >= len(vertices):
        bad = int(index.max() if index.max() >= len(vertices) else index.min())
        raise GeometryError(f"{what}: a face uses vertex {bad}, but the vertices are 0 … {len(vertices) - 1}")
    return index.astype(np.int64, copy=False)
