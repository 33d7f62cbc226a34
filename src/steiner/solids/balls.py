"""Shapes with spherical surfaces: ball, shell, ellipsoid, hemisphere, capsule."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Self, final

import numpy as np

from steiner.records import record
from steiner.scalar import is_number, pi_for
from steiner.solids.base import Solid, diagonal
from steiner.solids.charts import Chart, cylindrical, spherical
from steiner.solids.primitives import check_hollow, circle_support, lifted


def _ball_support(d: np.ndarray, stretch: Any) -> np.ndarray:
    s = np.asarray(stretch, dtype=float)
    scaled = d * s
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    length[length == 0] = 1.0
    return s * scaled / length


@final
@record
class Sphere(Solid):
    """Ball, centred."""

    radius: Any
    POSITIVE = ("radius",)

    @classmethod
    def example(cls) -> Self:
        """A ball."""
        return cls(0.07)

    def _measure(self) -> Any:
        return 4 * pi_for(self.radius) * self.radius**3 / 3

    def _gyration(self) -> Any:
        return diagonal(*[self.radius**2 / 5] * 3)

    def _charts(self) -> list[Chart]:
        return [spherical((0, self.radius), (0, pi_for(self.radius)))]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return _ball_support(directions, [self.radius] * 3)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return float(self.radius) - np.linalg.norm(points, axis=1)


@final
@record
class SphericalShell(Solid):
    """Hollow ball with an outer and an inner radius, centred."""

    outer: Any
    inner: Any
    convex = False
    POSITIVE = ("outer",)
    NONNEGATIVE = ("inner",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_hollow(self, self.outer, self.inner)

    @classmethod
    def example(cls) -> Self:
        """A hollow ball."""
        return cls(0.07, 0.05)

    def _measure(self) -> Any:
        o, i = self.outer, self.inner
        return 4 * pi_for(o, i) * (o - i) * (o**2 + o * i + i**2) / 3

    def _gyration(self) -> Any:
        o, i = self.outer, self.inner
        # (o⁵ − i⁵)/(5 (o³ − i³)) divided by o − i, so that thin shells keep their digits
        each = (o**4 + o**3 * i + o**2 * i**2 + o * i**3 + i**4) / (5 * (o**2 + o * i + i**2))
        return diagonal(each, each, each)

    def _charts(self) -> list[Chart]:
        return [spherical((self.inner, self.outer), (0, pi_for(self.inner, self.outer)))]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return _ball_support(directions, [self.outer] * 3)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        r = np.linalg.norm(points, axis=1)
        return np.minimum(float(self.outer) - r, r - float(self.inner))


@final
@record
class Ellipsoid(Solid):
    """Ellipsoid with semi-axes a (x), b (y), c (z), centred."""

    a: Any
    b: Any
    c: Any
    POSITIVE = ("a", "b", "c")

    @classmethod
    def example(cls) -> Self:
        """An ellipsoid with three different semi-axes."""
        return cls(0.09, 0.06, 0.04)

    def _measure(self) -> Any:
        return 4 * pi_for(self.a, self.b, self.c) * self.a * self.b * self.c / 3

    def _gyration(self) -> Any:
        return diagonal(self.a**2 / 5, self.b**2 / 5, self.c**2 / 5)

    def _charts(self) -> list[Chart]:
        return [spherical((0, 1), (0, pi_for(self.a, self.b, self.c)), (self.a, self.b, self.c))]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return _ball_support(directions, [self.a, self.b, self.c])

    def _depth(self, points: np.ndarray) -> np.ndarray:
        s = np.array([self.a, self.b, self.c], dtype=float)
        return s.min() * (1 - np.linalg.norm(points / s, axis=1))


@final
@record
class Hemisphere(Solid):
    """Half ball: z ≥ 0, flat at z = 0."""

    radius: Any
    axis: str = "z"
    frame = "flat face at z = 0, dome towards +z"
    POSITIVE = ("radius",)

    @classmethod
    def example(cls) -> Self:
        """A half ball."""
        return cls(0.07)

    def _measure(self) -> Any:
        return 2 * pi_for(self.radius) * self.radius**3 / 3

    def _centre(self) -> Any:
        return (0, 0, 3 * self.radius / 8)

    def _gyration(self) -> Any:
        r2 = self.radius**2
        return diagonal(r2 / 5, r2 / 5, Fraction(19, 320) * r2)

    def _charts(self) -> list[Chart]:
        return [spherical((0, self.radius), (0, pi_for(self.radius) / 2))]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        dome = _ball_support(directions, [self.radius] * 3)
        return np.where(directions[:, 2:] >= 0, dome, circle_support(directions, self.radius, self.radius))

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return np.minimum(float(self.radius) - np.linalg.norm(points, axis=1), points[:, 2])


@final
@record
class Capsule(Solid):
    """Cylinder with two half balls as caps, axis z, centred; `height` excludes the caps."""

    radius: Any
    height: Any
    axis: str = "z"
    POSITIVE = ("radius",)
    NONNEGATIVE = ("height",)

    @classmethod
    def example(cls) -> Self:
        """A capsule."""
        return cls(0.04, 0.15)

    def _length(self) -> Any:
        """Height of the cylinder of the same radius and volume."""
        return self.height + Fraction(4, 3) * self.radius

    def _measure(self) -> Any:
        return pi_for(self.radius, self.height) * self.radius**2 * self._length()

    def _gyration(self) -> Any:
        r, h = self.radius, self.height
        across = r**2 * (h / 4 + 4 * r / 15) / self._length()
        caps = Fraction(4, 3) * r * (Fraction(19, 320) * r**2 + (h / 2 + 3 * r / 8) ** 2)
        return diagonal(across, across, (h**3 / 12 + caps) / self._length())

    def _charts(self) -> list[Chart]:
        r, h, pi = self.radius, self.height, pi_for(self.radius, self.height)
        caps = [spherical((0, r), (0, pi / 2), z=h / 2), spherical((0, r), (pi / 2, pi), z=-h / 2)]
        body = [] if is_number(h) and h == 0 else [cylindrical((-h / 2, h / 2), (0, r), (0, 2 * pi))]
        return caps + body

    def _support(self, directions: np.ndarray) -> np.ndarray:
        ball = _ball_support(directions, [self.radius] * 3)
        return lifted(ball, np.sign(directions[:, 2]) * float(self.height) / 2)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        reach = float(self.height) / 2
        nearest = points.copy()
        nearest[:, 2] -= np.clip(points[:, 2], -reach, reach)
        return float(self.radius) - np.linalg.norm(nearest, axis=1)
