"""Straight and round shapes: one class each, closed forms, exact constants.

Lengths in metres.  Axial shapes have their axis along z and take axis="x" | "y" | "z", which
permutes the axes cyclically.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Self, final

import numpy as np

from steiner.errors import GeometryError
from steiner.records import record
from steiner.scalar import brief, is_negative, is_zero, pi_for
from steiner.solids.base import Solid, diagonal
from steiner.solids.charts import Chart, cartesian, cylindrical


def _both(x: Any) -> tuple[Any, Any]:
    return (-x / 2, x / 2)


def circle_support(d: np.ndarray, a: Any, b: Any) -> np.ndarray:
    """Furthest points of an ellipse with semi-axes a, b in the xy plane."""
    x, y = float(a) * d[:, 0], float(b) * d[:, 1]
    length = np.hypot(x, y)
    length[length == 0] = 1.0
    return np.stack([float(a) * x / length, float(b) * y / length, np.zeros(len(d))], axis=1)


def furthest(d: np.ndarray, *candidates: np.ndarray) -> np.ndarray:
    """For each direction, the candidate point that lies furthest along it."""
    reach = np.stack([(c * d).sum(axis=1) for c in candidates])
    return np.stack(candidates)[reach.argmax(axis=0), np.arange(len(d))]


def lifted(points: np.ndarray, z: Any) -> np.ndarray:
    """Points raised by z (a number or one per point)."""
    out = points.copy()
    out[:, 2] += z
    return out


def radius_of(p: np.ndarray) -> np.ndarray:
    """Distance of points to the z axis."""
    return np.hypot(p[:, 0], p[:, 1])


def _ends(p: np.ndarray, height: Any) -> np.ndarray:
    return float(height) / 2 - np.abs(p[:, 2])


@final
@record
class Box(Solid):
    """Rectangular prism x × y × z, centred at the origin."""

    x: Any
    y: Any
    z: Any
    POSITIVE = ("x", "y", "z")

    @classmethod
    def example(cls) -> Self:
        """A box with three different edges."""
        return cls(0.3, 0.2, 0.1)

    def _measure(self) -> Any:
        return self.x * self.y * self.z

    def _gyration(self) -> Any:
        return diagonal(self.x**2 / 12, self.y**2 / 12, self.z**2 / 12)

    def _charts(self) -> list[Chart]:
        return [cartesian(_both(self.x), _both(self.y), _both(self.z))]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return np.sign(directions) * np.array([self.x, self.y, self.z], dtype=float) / 2

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return (np.array([self.x, self.y, self.z], dtype=float) / 2 - np.abs(points)).min(axis=1)


@final
@record
class Cylinder(Solid):
    """Circular cylinder, axis z, centred."""

    radius: Any
    height: Any
    axis: str = "z"
    POSITIVE = ("radius", "height")

    @classmethod
    def example(cls) -> Self:
        """A cylinder."""
        return cls(0.05, 0.2)

    def _measure(self) -> Any:
        return pi_for(self.radius, self.height) * self.radius**2 * self.height

    def _gyration(self) -> Any:
        return diagonal(self.radius**2 / 4, self.radius**2 / 4, self.height**2 / 12)

    def _charts(self) -> list[Chart]:
        turn = (0, 2 * pi_for(self.radius, self.height))
        return [cylindrical(_both(self.height), (0, self.radius), turn)]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        rim = circle_support(directions, self.radius, self.radius)
        return lifted(rim, np.sign(directions[:, 2]) * float(self.height) / 2)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return np.minimum(float(self.radius) - radius_of(points), _ends(points, self.height))


@final
@record
class Tube(Solid):
    """Hollow circular cylinder, axis z, centred; outer and inner radius."""

    outer: Any
    inner: Any
    height: Any
    axis: str = "z"
    convex = False
    POSITIVE = ("outer", "height")
    NONNEGATIVE = ("inner",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_hollow(self, self.outer, self.inner)

    @classmethod
    def example(cls) -> Self:
        """A tube."""
        return cls(0.05, 0.03, 0.2)

    def _measure(self) -> Any:
        pi = pi_for(self.outer, self.inner, self.height)
        return pi * (self.outer - self.inner) * (self.outer + self.inner) * self.height

    def _gyration(self) -> Any:
        across = (self.outer**2 + self.inner**2) / 4
        return diagonal(across, across, self.height**2 / 12)

    def _charts(self) -> list[Chart]:
        turn = (0, 2 * pi_for(self.outer, self.inner, self.height))
        return [cylindrical(_both(self.height), (self.inner, self.outer), turn)]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        rim = circle_support(directions, self.outer, self.outer)
        return lifted(rim, np.sign(directions[:, 2]) * float(self.height) / 2)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        r = radius_of(points)
        wall = np.minimum(float(self.outer) - r, r - float(self.inner))
        return np.minimum(wall, _ends(points, self.height))


def check_hollow(solid: Any, outer: Any, inner: Any) -> None:
    """Refuses a wall without thickness."""
    wall = outer - inner
    if is_negative(wall) or is_zero(wall):
        raise GeometryError(
            f"{type(solid).__name__}: inner is {brief(inner)} and outer {brief(outer)}; expected inner < outer "
            "(the order is outer, inner)"
        )


@final
@record
class EllipticCylinder(Solid):
    """Cylinder over an ellipse with semi-axes a (x) and b (y), axis z, centred."""

    a: Any
    b: Any
    height: Any
    axis: str = "z"
    POSITIVE = ("a", "b", "height")

    @classmethod
    def example(cls) -> Self:
        """An elliptic cylinder."""
        return cls(0.06, 0.04, 0.2)

    def _measure(self) -> Any:
        return pi_for(self.a, self.b, self.height) * self.a * self.b * self.height

    def _gyration(self) -> Any:
        return diagonal(self.a**2 / 4, self.b**2 / 4, self.height**2 / 12)

    def _charts(self) -> list[Chart]:
        turn = (0, 2 * pi_for(self.a, self.b, self.height))
        return [cylindrical(_both(self.height), (0, 1), turn, self.a, self.b)]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        rim = circle_support(directions, self.a, self.b)
        return lifted(rim, np.sign(directions[:, 2]) * float(self.height) / 2)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        a, b = float(self.a), float(self.b)
        wall = min(a, b) * (1 - np.hypot(points[:, 0] / a, points[:, 1] / b))
        return np.minimum(wall, _ends(points, self.height))


@final
@record
class HalfCylinder(Solid):
    """Half of a circular cylinder: y ≥ 0, axis z, centred in z."""

    radius: Any
    height: Any
    axis: str = "z"
    frame = "axis at the origin, y ≥ 0, centred in z"
    POSITIVE = ("radius", "height")

    @classmethod
    def example(cls) -> Self:
        """A half cylinder."""
        return cls(0.05, 0.12)

    def _measure(self) -> Any:
        return pi_for(self.radius, self.height) * self.radius**2 * self.height / 2

    def _centre(self) -> Any:
        return (0, 4 * self.radius / (3 * pi_for(self.radius, self.height)), 0)

    def _gyration(self) -> Any:
        r2 = self.radius**2
        centre2 = 16 * r2 / (9 * pi_for(self.radius, self.height) ** 2)
        return diagonal(r2 / 4, r2 / 4 - centre2, self.height**2 / 12)

    def _charts(self) -> list[Chart]:
        turn = (0, pi_for(self.radius, self.height))
        return [cylindrical(_both(self.height), (0, self.radius), turn)]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        r = float(self.radius)
        rim = circle_support(directions, r, r)
        flat = np.zeros_like(rim)
        flat[:, 0] = r * np.sign(directions[:, 0])
        best = np.where(directions[:, 1:2] >= 0, rim, flat)
        return lifted(best, np.sign(directions[:, 2]) * float(self.height) / 2)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        inside = np.minimum(float(self.radius) - radius_of(points), points[:, 1])
        return np.minimum(inside, _ends(points, self.height))


@final
@record
class Wedge(Solid):
    """Right triangular prism: 0 ≤ x ≤ a, 0 ≤ y ≤ b (1 − x/a), |z| ≤ height/2."""

    a: Any
    b: Any
    height: Any
    axis: str = "z"
    frame = "right angle at the origin, legs along +x and +y, centred in z"
    POSITIVE = ("a", "b", "height")

    @classmethod
    def example(cls) -> Self:
        """A wedge."""
        return cls(0.12, 0.08, 0.05)

    def _measure(self) -> Any:
        return self.a * self.b * self.height / 2

    def _centre(self) -> Any:
        return (self.a / 3, self.b / 3, 0)

    def _gyration(self) -> Any:
        a, b, h = self.a, self.b, self.height
        return [[a**2 / 18, -a * b / 36, 0], [-a * b / 36, b**2 / 18, 0], [0, 0, h**2 / 12]]

    def _charts(self) -> list[Chart]:
        a, b = self.a, self.b
        return [
            Chart(
                ("z", "x", "y"),
                (_both(self.height), (0, a), lambda z, x: (0, b * (1 - x / a))),
                lambda z, x, y: (x, y, z),
                lambda z, x, y: 1,
            )
        ]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        corners = np.array([[0, 0, 0], [self.a, 0, 0], [0, self.b, 0]], dtype=float)
        best = corners[(directions @ corners.T).argmax(axis=1)]
        return lifted(best, np.sign(directions[:, 2]) * float(self.height) / 2)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        x, y = points[:, 0], points[:, 1]
        a, b = float(self.a), float(self.b)
        slope = (a * b - b * x - a * y) / np.hypot(a, b)
        return np.minimum(np.minimum(np.minimum(x, y), slope), _ends(points, self.height))


@final
@record
class Cone(Solid):
    """Circular cone, axis z: base at z = 0, apex at z = height."""

    radius: Any
    height: Any
    axis: str = "z"
    frame = "base at z = 0, apex at z = height"
    POSITIVE = ("radius", "height")

    @classmethod
    def example(cls) -> Self:
        """A cone."""
        return cls(0.05, 0.12)

    def _measure(self) -> Any:
        return pi_for(self.radius, self.height) * self.radius**2 * self.height / 3

    def _centre(self) -> Any:
        return (0, 0, self.height / 4)

    def _gyration(self) -> Any:
        across = Fraction(3, 20) * self.radius**2
        return diagonal(across, across, Fraction(3, 80) * self.height**2)

    def _charts(self) -> list[Chart]:
        r, h = self.radius, self.height
        return [cylindrical((0, h), lambda z, phi: (0, r * (1 - z / h)), (0, 2 * pi_for(r, h)))]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        apex = lifted(np.zeros_like(directions), float(self.height))
        return furthest(directions, circle_support(directions, self.radius, self.radius), apex)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return _taper(points, self.radius, 0.0, self.height)


def _taper(points: np.ndarray, r0: Any, r1: Any, height: Any) -> np.ndarray:
    r0, r1, h = float(r0), float(r1), float(height)
    z = points[:, 2]
    wall = (r0 + (r1 - r0) * z / h - radius_of(points)) * h / np.hypot(h, r1 - r0)
    return np.minimum(wall, np.minimum(z, h - z))


@final
@record
class Frustum(Solid):
    """Truncated cone, axis z: radius r0 at z = 0, r1 at z = height."""

    r0: Any
    r1: Any
    height: Any
    axis: str = "z"
    frame = "r0 at z = 0, r1 at z = height"
    POSITIVE = ("height",)
    NONNEGATIVE = ("r0", "r1")

    def __post_init__(self) -> None:
        super().__post_init__()
        if is_zero(self.r0) and is_zero(self.r1):
            raise GeometryError("Frustum: r0 and r1 are both 0; expected at least one radius > 0 m")

    @classmethod
    def example(cls) -> Self:
        """A truncated cone."""
        return cls(0.06, 0.03, 0.1)

    def _square(self) -> Any:
        return self.r0**2 + self.r0 * self.r1 + self.r1**2

    def _measure(self) -> Any:
        return pi_for(self.r0, self.r1, self.height) * self.height * self._square() / 3

    def _centre(self) -> Any:
        a, b = self.r0, self.r1
        return (0, 0, self.height * (a**2 + 2 * a * b + 3 * b**2) / (4 * self._square()))

    def _gyration(self) -> Any:
        a, b, q = self.r0, self.r1, self._square()
        across = 3 * (a**4 + a**3 * b + a**2 * b**2 + a * b**3 + b**4) / (20 * q)
        along = 3 * self.height**2 * (a**4 + 4 * a**3 * b + 10 * a**2 * b**2 + 4 * a * b**3 + b**4) / (80 * q**2)
        return diagonal(across, across, along)

    def _charts(self) -> list[Chart]:
        a, b, h = self.r0, self.r1, self.height
        return [cylindrical((0, h), lambda z, phi: (0, a + (b - a) * z / h), (0, 2 * pi_for(a, b, h)))]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        top = lifted(circle_support(directions, self.r1, self.r1), float(self.height))
        return furthest(directions, circle_support(directions, self.r0, self.r0), top)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return _taper(points, self.r0, self.r1, self.height)
