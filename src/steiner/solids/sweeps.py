"""What is swept about an axis: the torus, and bodies of revolution over any profile."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self, final

import numpy as np

from steiner.errors import GeometryError
from steiner.scalar import brief, cos, is_negative, is_number, is_symbolic, is_zero, numbers, pi_for, sin
from steiner.solids import polygon as plane
from steiner.solids.base import Solid, Triangles
from steiner.solids.charts import Chart, triangle_points, welded
from steiner.solids.primitives import lifted, radius_of

FULL_TURN = 1e-12  # an angle this near to 2π is a full turn
NARROWEST = 1e-50  # [rad] its square is still a float


def turn_of(kind: str, angle: Any, *beside: Any) -> Any:
    """The angle of a sweep, checked; a full turn becomes exact beside symbols."""
    (angle,) = numbers(f"{kind}: angle", angle)
    if is_full(angle):
        return 2 * pi_for(angle, *beside)
    if is_zero(angle) or is_negative(angle) or is_negative(2 * pi_for(angle) - angle):
        raise GeometryError(f"{kind}: angle is {brief(angle)} rad; expected 0 < angle ≤ 2π (radians)")
    if is_number(angle) and angle < NARROWEST:
        raise GeometryError(f"{kind}: angle is {brief(angle)} rad; expected at least {NARROWEST:g}")
    return angle


def is_full(angle: Any) -> bool:
    """Whether the sweep closes on itself."""
    if is_number(angle):
        return abs(angle - math.tau) < FULL_TURN
    return is_symbolic(angle) and is_zero(angle - 2 * pi_for(angle))


def _lag(angle: Any) -> Any:
    """1 − sin(a)/a; of numbers by its series, where the difference would lose digits."""
    if not is_number(angle) or abs(angle) > 2:
        return 1 - sin(angle) / angle
    return math.fsum((-1) ** (k + 1) * float(angle) ** (2 * k) / math.factorial(2 * k + 1) for k in range(1, 15))


def _sagging(angle: Any) -> Any:
    """Variance of cos over an arc of this angle about its middle: (1 + sin(a)/a)/2 − (sin(a/2)/(a/2))² = a⁴/720 − …"""
    if not is_number(angle) or abs(angle) > 2:
        return Fraction(1, 2) + sin(angle) / (2 * angle) - (2 * sin(angle / 2) / angle) ** 2
    terms = ((-1) ** k * Fraction(k - 1, 2 * (k + 1) * math.factorial(2 * k + 1)) for k in range(2, 15))
    return math.fsum(float(c) * float(angle) ** (2 * k) for k, c in enumerate(terms, start=2))


def swept(angle: Any, r: Any, rr: Any, zz: Any, rz: Any) -> tuple[list[Any], list[list[Any]]]:
    """Centre (x, y) and gyration of a section swept about z.

    The arguments are weighted with the radius: the mean of r, then the variances (r−r̄)², (z−z̄)² and (r−r̄)(z−z̄).
    They are formed in axes along and across the middle of the arc, where nothing cancels however narrow it is.
    """
    if is_full(angle):
        both = (rr + r**2) / 2
        return [0, 0], [[both, 0, 0], [0, both, 0], [0, 0, zz]]
    c, s, reach = cos(angle / 2), sin(angle / 2), sin(angle / 2) / (angle / 2)
    lag = _lag(angle)
    along = rr * (1 - lag / 2) + r**2 * _sagging(angle)
    across = (rr + r**2) * lag / 2
    xy, radial = (along - across) * s * c, rz * reach
    xz, yz = radial * c, radial * s
    xx, yy = along * c**2 + across * s**2, along * s**2 + across * c**2
    return [r * reach * c, r * reach * s], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def _arc_support(d: np.ndarray, r: Any, angle: Any) -> np.ndarray:
    """Furthest points of an arc of radius r from +x, in the xy plane."""
    towards = np.mod(np.arctan2(d[:, 1], d[:, 0]), math.tau)
    end = float(angle)
    past = towards > end
    nearest = np.where(towards - end < math.tau - towards, end, 0.0)
    phi = np.where(past, nearest, towards)
    return float(r) * np.stack([np.cos(phi), np.sin(phi), 0 * phi], axis=1)


def _sector(p: np.ndarray, angle: Any) -> np.ndarray:
    """How deep points lie in the sector 0 ≤ φ ≤ angle."""
    if is_full(angle):
        return np.full(len(p), np.inf)
    a = float(angle)
    start, end = p[:, 1], p[:, 0] * math.sin(a) - p[:, 1] * math.cos(a)
    return np.minimum(start, end) if a <= math.pi else np.maximum(start, end)


@final
@dataclass(frozen=True)
class Torus(Solid):
    """Ring with major radius (of the centre line) and minor radius, axis z, swept from +x."""

    major: Any
    minor: Any
    angle: Any = math.tau
    axis: str = "z"
    convex = False
    frame = "centre of the ring at the origin, swept from +x towards +y"
    POSITIVE = ("major", "minor")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "angle", turn_of("Torus", self.angle, self.major, self.minor))
        if is_negative(self.major - self.minor):
            raise GeometryError(
                f"Torus: minor is {brief(self.minor)} and major {brief(self.major)}; expected minor ≤ major "
                "(else the ring cuts itself)"
            )

    @classmethod
    def example(cls) -> Self:
        """A bend of a pipe, a little over a third of a turn."""
        return cls(0.1, 0.03, 2.3)

    def _measure(self) -> Any:
        return pi_for(self.major, self.minor, self.angle) * self.minor**2 * self.major * self.angle

    def _swept(self) -> tuple[list[Any], list[list[Any]]]:
        R, r2 = self.major, self.minor**2
        return swept(self.angle, R + r2 / (4 * R), r2 / 4 * (1 - r2 / (4 * R**2)), r2 / 4, 0)

    def _centre(self) -> Any:
        return [*self._swept()[0], 0]

    def _gyration(self) -> Any:
        return self._swept()[1]

    def _charts(self) -> list[Chart]:
        R, full = self.major, 2 * pi_for(self.major, self.minor, self.angle)
        return [
            Chart(
                ("phi", "theta", "r"),
                ((0, self.angle), (0, full), (0, self.minor)),
                lambda phi, theta, r: (
                    (R + r * cos(theta)) * cos(phi),
                    (R + r * cos(theta)) * sin(phi),
                    r * sin(theta),
                ),
                lambda phi, theta, r: r * (R + r * cos(theta)),
            )
        ]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        if is_full(self.angle):
            return _tube_support(directions, self.major, self.minor)
        fine = np.linspace(0, float(self.angle), 721)
        ring = float(self.major) * np.stack([np.cos(fine), np.sin(fine), 0 * fine], axis=1)
        out = []
        for d in directions:  # the section at φ is a flat disk: its reach is r·|d − (d·t) t|
            tangent = np.stack([-np.sin(fine), np.cos(fine), 0 * fine], axis=1)
            across = d - (tangent @ d)[:, None] * tangent
            length = np.linalg.norm(across, axis=1, keepdims=True)
            points = ring + float(self.minor) * across / np.where(length == 0, 1, length)
            out.append(points[(points @ d).argmax()])
        return np.array(out)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        tube = float(self.minor) - np.hypot(radius_of(points) - float(self.major), points[:, 2])
        return np.minimum(tube, _sector(points, self.angle))


def _tube_support(d: np.ndarray, major: Any, minor: Any) -> np.ndarray:
    length = np.linalg.norm(d, axis=1, keepdims=True)
    return _arc_support(d, major, math.tau) + float(minor) * d / np.where(length == 0, 1, length)


@final
@dataclass(frozen=True)
class Revolution(Solid):
    """A profile of points (r, z), r ≥ 0, turned about z from the +x half-plane by an angle."""

    profile: Any
    angle: Any = math.tau
    holes: Any = ()
    axis: str = "z"
    convex = False
    frame = "profile (r, z) in the xz half-plane x ≥ 0, turned about z from +x towards +y"

    def __post_init__(self) -> None:
        super().__post_init__()
        loops = plane.checked("Revolution", self.profile, self.holes)
        for r, z in (point for loop in loops for point in loop):
            if is_negative(r):
                where = f"({brief(r)}, {brief(z)})"
                raise GeometryError(f"Revolution: the profile point (r, z) = {where} has r < 0; expected r ≥ 0")
        angle = turn_of("Revolution", self.angle, *(v for loop in loops for point in loop for v in point))
        loops, _ = plane.exact_beside(loops, self.angle)
        object.__setattr__(self, "profile", loops[0])
        object.__setattr__(self, "holes", loops[1:])
        object.__setattr__(self, "angle", angle)

    @property
    def loops(self) -> tuple[plane.Loop, ...]:
        """Outer loop and holes of the profile."""
        return (self.profile, *self.holes)

    @classmethod
    def example(cls) -> Self:
        """A flange with a groove, three quarters of a turn."""
        outer = [(0.02, 0), (0.08, 0), (0.08, 0.01), (0.04, 0.015), (0.04, 0.06), (0.02, 0.05)]
        return cls(outer, 4.7, [[(0.05, 0.003), (0.06, 0.003), (0.06, 0.008)]])

    def _section(self) -> tuple[Any, list[Any]]:
        """∫ r dA, and weighted with r: r̄, z̄, the variances (r−r̄)², (z−z̄)² and (r−r̄)(z−z̄).

        Numbers are taken from the middle of the section, so that a thin ring keeps its digits; symbols from the axis.
        """
        r, z = plane.reference(self.loops)
        if all(is_number(v) for loop in self.loops for point in loop for v in point):
            near = plane.shifted(self.loops, r, z)
            area = plane.moment(near, 0, 0)
            r, z = r + plane.moment(near, 1, 0) / area, z + plane.moment(near, 0, 1) / area
        else:
            r = 0
        loops = plane.shifted(self.loops, r, z)

        def weighted(p: int, q: int) -> Any:
            outside = plane.moment(loops, p + 1, q)
            return outside if isinstance(r, int) else r * plane.moment(loops, p, q) + outside

        weight = weighted(0, 0)
        dr, dz, rr, zz, rz = (weighted(p, q) / weight for p, q in ((1, 0), (0, 1), (2, 0), (0, 2), (1, 1)))
        return weight, [r + dr, z + dz, rr - dr**2, zz - dz**2, rz - dr * dz]

    def _swept(self) -> tuple[Any, list[Any], list[list[Any]]]:
        r, z, *variances = self._section()[1]
        centre, gyration = swept(self.angle, r, *variances)
        return z, centre, gyration

    def _measure(self) -> Any:
        return self.angle * self._section()[0]  # Pappus

    def _centre(self) -> Any:
        z, (x, y), _ = self._swept()
        return [x, y, z]

    def _gyration(self) -> Any:
        return self._swept()[2]

    def _charts(self) -> list[Chart]:
        corner = self.profile[0]
        charts = []
        for loop in self.loops:
            for k in range(len(loop)):
                point, twice = triangle_points((corner, loop[k], loop[(k + 1) % len(loop)]))

                def place(phi: Any, s: Any, t: Any, point: Any = point) -> tuple[Any, Any, Any]:
                    r, z = point(s, t)
                    return r * cos(phi), r * sin(phi), z

                def jacobian(phi: Any, s: Any, t: Any, point: Any = point, twice: Any = twice) -> Any:
                    return twice * s * point(s, t)[0]

                charts.append(Chart(("phi", "s", "t"), ((0, self.angle), (0, 1), (0, 1)), place, jacobian))
        return charts

    def _support(self, directions: np.ndarray) -> np.ndarray:
        corners = [lifted(_arc_support(directions, r, self.angle), float(z)) for r, z in self.profile]
        reach = np.stack([(c * directions).sum(axis=1) for c in corners])
        return np.stack(corners)[reach.argmax(axis=0), np.arange(len(directions))]

    def _depth(self, points: np.ndarray) -> np.ndarray:
        flat = np.column_stack([radius_of(points), points[:, 2]])
        loops = [tuple((float(r), float(z)) for r, z in loop) for loop in self.loops]
        return np.minimum(_profile_depth(loops, flat), _sector(points, self.angle))

    def _mesh(self, resolution: int) -> Triangles:
        """Rings of the profile, and its section at both ends of a partial turn."""
        flat = np.array([p for loop in self.loops for p in loop], dtype=float)
        n, a = len(flat), float(self.angle)
        steps = max(3 if is_full(a) else 1, round(resolution * a / math.tau))
        rings = [
            np.column_stack([flat[:, 0] * math.cos(p), flat[:, 0] * math.sin(p), flat[:, 1]])
            for p in np.linspace(0, a, steps + 1)
        ]
        ahead, k = np.array(plane.ahead(self.loops)), np.arange(n)
        faces = [
            np.vstack([np.stack([k, k + n, ahead + n], 1), np.stack([k, ahead + n, ahead], 1)]) + s * n
            for s in range(steps)
        ]
        if not is_full(a):
            caps = plane.triangulated(self.loops)
            faces += [caps, caps[:, ::-1] + steps * n]
        vertices, triangles = welded(np.vstack(rings), np.vstack(faces))
        signed = np.einsum(
            "ij,ij->", vertices[triangles[:, 0]], np.cross(vertices[triangles[:, 1]], vertices[triangles[:, 2]])
        )
        return self._outward(vertices), triangles if signed > 0 else triangles[:, ::-1]


def _profile_depth(loops: list[Any], flat: np.ndarray) -> np.ndarray:
    """As `inside`, but an edge on the axis is no wall: it is the middle of the body."""
    depth = plane.inside(loops, flat)
    mirrored = flat * [-1, 1]
    walls = [[(a, b) for a, b in zip(loop, loop[1:] + loop[:1], strict=True) if a[0] or b[0]] for loop in loops]
    near = np.full(len(flat), np.inf)
    for a, b in (edge for wall in walls for edge in wall):
        start, edge = np.array(a), np.array(b) - np.array(a)
        for p in (flat, mirrored):
            t = np.clip((p - start) @ edge / (edge @ edge or 1.0), 0, 1)
            near = np.minimum(near, np.linalg.norm(p - start - t[:, None] * edge, axis=1))
    on_axis = (flat[:, 0] == 0) & (plane.inside(loops, flat + np.array([1e-12, 0])) > 0)
    return np.where((depth > 0) | on_axis, near, -near)
