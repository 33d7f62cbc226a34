"""Idealised bodies: a line and two surfaces; they need a mass, or a linear or area density."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np

from steiner.inertia import MassProperties
from steiner.scalar import cos, numbers, pi_for, sin
from steiner.solids.base import Solid, Triangles, diagonal
from steiner.solids.charts import Chart
from steiner.solids.primitives import circle_support


class _Surface(Solid):
    dimension = 2

    def with_area_density(self, density: Any) -> MassProperties:
        """Mass properties with a mass per area [kg/m²]."""
        (density,) = numbers("area density", density)
        return self.with_mass(density * self.measure)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return -np.abs(points[:, 2])  # nothing is inside a surface


@final
@dataclass(frozen=True)
class Rod(Solid):
    """Slender rod along z, centred."""

    length: Any
    axis: str = "z"
    dimension = 1
    POSITIVE = ("length",)

    @classmethod
    def example(cls) -> Self:
        """A rod."""
        return cls(0.4)

    def with_linear_density(self, density: Any) -> MassProperties:
        """Mass properties with a mass per length [kg/m]."""
        (density,) = numbers("linear density", density)
        return self.with_mass(density * self.length)

    def _measure(self) -> Any:
        return self.length

    def _gyration(self) -> Any:
        return diagonal(0 * self.length, 0 * self.length, self.length**2 / 12)

    def _charts(self) -> list[Chart]:
        return [Chart(("z",), ((-self.length / 2, self.length / 2),), lambda z: (0 * z, 0 * z, z), lambda z: 1)]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return np.sign(directions) * np.array([0, 0, float(self.length) / 2])

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return -np.hypot(points[:, 0], points[:, 1])

    def _mesh(self, resolution: int) -> Triangles:
        """The two ends and no faces: a line has no surface."""
        ends = np.array([[0, 0, -0.5], [0, 0, 0.5]]) * float(self.length)
        return self._outward(ends), np.zeros((0, 3), dtype=int)


@final
@dataclass(frozen=True)
class Plate(_Surface):
    """Thin rectangular plate x × y, normal z, centred."""

    x: Any
    y: Any
    axis: str = "z"
    POSITIVE = ("x", "y")

    @classmethod
    def example(cls) -> Self:
        """A thin plate."""
        return cls(0.3, 0.2)

    def _measure(self) -> Any:
        return self.x * self.y

    def _gyration(self) -> Any:
        return diagonal(self.x**2 / 12, self.y**2 / 12, 0 * self.x)

    def _charts(self) -> list[Chart]:
        limits = ((-self.y / 2, self.y / 2), (-self.x / 2, self.x / 2))
        return [Chart(("y", "x"), limits, lambda y, x: (x, y, 0 * x), lambda y, x: 1)]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return np.sign(directions) * np.array([float(self.x) / 2, float(self.y) / 2, 0])

    def _mesh(self, resolution: int) -> Triangles:
        """One side of the plate."""
        corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) / 2
        return self._outward(corners * [float(self.x), float(self.y), 1]), np.array([[0, 1, 2], [0, 2, 3]])


@final
@dataclass(frozen=True)
class Disk(_Surface):
    """Thin circular disk, normal z, centred."""

    radius: Any
    axis: str = "z"
    POSITIVE = ("radius",)

    @classmethod
    def example(cls) -> Self:
        """A thin disk."""
        return cls(0.15)

    def _measure(self) -> Any:
        return pi_for(self.radius) * self.radius**2

    def _gyration(self) -> Any:
        return diagonal(self.radius**2 / 4, self.radius**2 / 4, 0 * self.radius)

    def _charts(self) -> list[Chart]:
        limits = ((0, 2 * pi_for(self.radius)), (0, self.radius))
        return [Chart(("phi", "r"), limits, lambda phi, r: (r * cos(phi), r * sin(phi), 0 * r), lambda phi, r: r)]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return circle_support(directions, self.radius, self.radius)

    def _mesh(self, resolution: int) -> Triangles:
        """One side of the disk, a fan of triangles."""
        turn = np.arange(resolution) * (2 * np.pi / resolution)
        rim = float(self.radius) * np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
        k = np.arange(resolution)
        faces = np.stack([0 * k, 1 + k, 1 + (k + 1) % resolution], axis=1)
        return self._outward(np.vstack([np.zeros(3), rim])), faces
