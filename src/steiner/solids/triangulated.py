"""Solids whose surface is kept as triangles, and whose moments are known."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from steiner.solids.base import Solid, Triangles
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

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return self.vertices[(directions @ self.vertices.T).argmax(axis=1)]

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return mesh_depth(self.vertices, self.faces, points)

    def _mesh(self, resolution: int) -> Triangles:
        """The surface itself, whatever the resolution."""
        return self.vertices, self.faces
