"""What a solid is: measure, centroid and gyration, from which every mass property follows.

A solid knows its shape and nothing of its material.  `gyration` is the second-moment matrix per
unit measure about the centroid, (1/V) ∫ (r − c)(r − c)ᵀ dV: it does not change with density, so
`with_mass` and `with_density` are exact, and moving a solid 1 km away loses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from steiner.doors import door
from steiner.errors import GeometryError, SteinerError, described
from steiner.errors import whole as whole_number
from steiner.findings import Finding
from steiner.inertia import MassProperties
from steiner.inertia.properties import tensor_of
from steiner.scalar import (
    Frozen,
    any_symbolic,
    array,
    brief,
    frozen,
    is_any_number,
    is_negative,
    is_number,
    is_symbolic,
    is_zero,
    numbers,
)  # fmt: skip
from steiner.solids.charts import Chart, surface
from steiner.solids.exactness import exact, has_value, whole
from steiner.spatial import Pose, Vector
from steiner.spatial.poses import LARGEST

if TYPE_CHECKING:  # pages are laid out only when asked for
    from steiner.materials import Material
    from steiner.text.shown import Shown
    from steiner.text.steps import Derivation

Triangles = tuple[np.ndarray, np.ndarray]

# rows of a cyclic permutation: local z becomes the named axis, x and y follow in cyclic order
AXES = {"z": (0, 1, 2), "x": (2, 0, 1), "y": (1, 2, 0)}
NO_CENTRE = (0, 0, 0)
CENTRED = array(NO_CENTRE, (3,))
FINEST_MESH = 2000  # segments per turn: a ball of them has 4 million triangles


def place(pose: Pose | None, xyz: Vector | None, rpy: Vector | None) -> Pose:
    """The one pose that was given, by itself or by xyz and rpy."""
    if pose is None:
        return Pose.from_rpy((0, 0, 0) if xyz is None else xyz, (0, 0, 0) if rpy is None else rpy)
    if not isinstance(pose, Pose):
        raise GeometryError(f"at: expected a Pose, or xyz= and rpy=, got {described(pose)}")
    if xyz is not None or rpy is not None:
        raise GeometryError("at: a pose and xyz= or rpy= are both given; give one of them")
    return pose


def diagonal(x: Any, y: Any, z: Any) -> list[list[Any]]:
    """A diagonal 3×3 matrix of any kind of number."""
    return [[x, 0, 0], [0, y, 0], [0, 0, z]]


@contextmanager
def _numbers_needed(solid: Solid) -> Iterator[None]:
    try:
        yield
    except TypeError:
        if not any_symbolic(solid.measure, solid.centroid, solid.gyration):
            raise
        kind = type(solid).__name__
        raise GeometryError(f"{kind}: where its surface is needs numbers; substitute values for the symbols") from None


def _rows(what: str, values: Any) -> np.ndarray:
    """Points or directions as rows of three floats."""
    rows = np.atleast_2d(array(values, (3,), what, batch=True, finite=False))
    if rows.dtype == object:
        raise GeometryError(f"{what}: where a surface is needs numbers, got symbols")
    return rows.reshape(-1, 3)


class Solid(Frozen):
    """Base of every shape.

    A shape states, in its own frame with its axis along z: `_measure`, `_centre`, `_gyration` as
    closed forms; `_charts` (the integral that defines it), `_support` and `_depth` (where its
    surface is).  Everything else is derived here, once.
    """

    dimension: ClassVar[int] = 3  # 3: volume, 2: surface, 1: line
    convex: ClassVar[bool] = True
    provenance: ClassVar[str] = "formula"
    roughness: float = 0.0  # m: how far the surface that is known of it may lie from its true one
    frame: ClassVar[str] = "centred at the origin"
    POSITIVE: ClassVar[tuple[str, ...]] = ()
    NONNEGATIVE: ClassVar[tuple[str, ...]] = ()
    axis: str = "z"

    # ---- what a shape states -----------------------------------------------------------------

    def _measure(self) -> Any:
        raise TypeError(f"{type(self).__name__} states no measure")

    def _centre(self) -> Any:
        return NO_CENTRE

    def _gyration(self) -> Any:
        raise TypeError(f"{type(self).__name__} states no gyration")

    def _charts(self) -> list[Chart]:
        raise TypeError(f"{type(self).__name__} states no integral")

    def _support(self, directions: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} states no support points")

    def _depth(self, points: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} states no depth")

    @classmethod
    def example(cls) -> Self:
        """A solid of this kind with all its features unequal, for tests and pictures."""
        raise TypeError(f"{cls.__name__} states no example")

    # ---- checks at the door --------------------------------------------------------------------

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [*self.POSITIVE, *self.NONNEGATIVE]
        kind = type(self).__name__
        if not all(type(x := getattr(self, name)) is float and 1 / LARGEST < x < LARGEST for name in names):
            for name, value in zip(names, self._checked(kind, names), strict=True):
                if is_negative(value) or (is_zero(value) and name in self.POSITIVE):
                    wanted = "a length > 0 m" if name in self.POSITIVE else "a length ≥ 0 m"
                    raise GeometryError(f"{kind}: {name} is {brief(value)}; expected {wanted}")
                if has_value(value) and value != 0 and not 1 / LARGEST < value < LARGEST:
                    raise GeometryError(
                        f"{kind}: {name} is {brief(value)}; expected a length between {1 / LARGEST:g} and {LARGEST:g} m"
                    )
                # 1/12 of an int would be a float: beside fractions and symbols an int is a fraction
                object.__setattr__(self, name, Fraction(value) if isinstance(value, int) else value)
        if not isinstance(self.axis, str) or self.axis not in AXES:
            raise GeometryError(f"{kind}: axis={described(self.axis)}; expected 'x', 'y' or 'z'")

    def _checked(self, kind: str, names: list[str]) -> tuple[Any, ...]:
        values = [getattr(self, n) for n in names]
        try:
            return numbers(kind, *values)
        except SteinerError:
            for name, value in zip(names, values, strict=True):
                numbers(f"{kind}: {name}", value)  # the same complaint, with the name of the dimension
            raise

    # ---- derived -------------------------------------------------------------------------------

    @property
    def measure(self) -> Any:
        """Volume of a solid, area of a surface, length of a line [m³, m², m]."""
        return self._measure()

    @property
    def volume(self) -> Any:
        """Volume [m³]; zero for idealised surfaces and lines."""
        return self._measure() if self.dimension == 3 else 0.0

    @cached_property
    def centroid(self) -> np.ndarray:
        """Centre of the volume in the solid's frame [m]."""
        stated = self._centre()
        centre = CENTRED if stated is NO_CENTRE else array(stated, (3,), "centroid")
        if centre.dtype == np.float64 and any(not isinstance(getattr(self, n), float) for n in self.POSITIVE):
            centre = exact(centre)  # a zero beside fractions and symbols is the exact one
        return centre if self.axis == "z" else frozen(centre[list(AXES[self.axis])])

    @cached_property
    def gyration(self) -> np.ndarray:
        """Second moments per unit measure about the centroid, (1/V) ∫ r rᵀ dV [m²]."""
        matrix = array(self._gyration(), (3, 3), "gyration")
        if self.axis == "z":
            return matrix
        order = list(AXES[self.axis])
        return frozen(matrix[np.ix_(order, order)])

    @property
    def spread(self) -> Any:
        """Mean square distance of its points to the centroid [m²], the trace of the gyration."""
        (xx, _, _), (_, yy, _), (_, _, zz) = self._gyration()
        return xx + yy + zz

    @property
    def charts(self) -> list[Chart]:
        """The integrals that define the shape, its axis along z."""
        return self._charts()

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers that define the shape, by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "axis"}  # type: ignore[arg-type]

    def with_mass(self, mass: Any) -> MassProperties:
        """Mass properties of this shape, homogeneous, with a total mass [kg]."""
        (mass,) = numbers("mass", mass)
        if is_negative(mass):
            raise GeometryError(f"mass {brief(mass)} kg is negative; a cavity is cut with a − b or Part(cavity=True)")
        solid = self._beside(mass)
        return solid._of_mass(mass)

    def _beside(self, matter: Any) -> Self:
        """This solid with its whole lengths exact if what it is made of has symbols."""
        names = [*self.POSITIVE, *self.NONNEGATIVE] if is_symbolic(matter) else []
        exact_ones = {n: Fraction(v) for n in names if isinstance(v := getattr(self, n), float) and v.is_integer()}
        return replace(self, **exact_ones) if exact_ones else self  # type: ignore[type-var]

    def _of_mass(self, mass: Any) -> MassProperties:
        gyration = self.gyration
        mass = whole(mass) if gyration.dtype == object else mass
        size = self.spread if gyration.dtype == np.float64 else 0.0
        if isinstance(mass, float) and not math.isfinite(float(mass) * float(size)):  # floats overflow in silence
            raise GeometryError(f"mass {mass:g} kg: the tensor of a body so heavy is too large for a float")
        return MassProperties.trusted(mass, self.centroid, mass * tensor_of(gyration))

    def with_density(self, density: Any) -> MassProperties:
        """Mass properties of this shape with a density [kg/m³]: a number, or f(x, y, z) in the solid's frame.

        A function of numbers is integrated until two rules agree to 1e-11, or refused; a function of symbols, or an
        expression in symbols named x, y, z (that are no dimensions of the solid), exactly.
        """
        if self.varies(density):
            return self.with_varying_density(density)
        (density,) = numbers("density", density)
        if self.dimension != 3:
            name = {2: "with_area_density (kg/m²)", 1: "with_linear_density (kg/m)"}[self.dimension]
            raise GeometryError(
                f"{type(self).__name__} is idealised and has no volume, so a density in kg/m³ gives no mass; "
                f"use with_mass (kg) or {name}"
            )
        if is_negative(density):
            raise GeometryError(
                f"density {brief(density)} kg/m³ is negative; a cavity is cut with a − b or Part(cavity=True)"
            )
        solid = self._beside(density)
        mass = (whole(density) if solid.gyration.dtype == object else density) * solid._measure()
        if is_number(mass) and mass < 0:
            volume = brief(self._measure())
            raise GeometryError(f"the signed volume is {volume} m³: the limits run backwards as a whole")
        return solid._of_mass(mass)

    def varies(self, density: Any) -> bool:
        """Whether a density is a function of the place in this solid, or an expression in x, y, z."""
        if not is_symbolic(density):
            return callable(density)
        own = [v for a in (self.measure, self.centroid, self.gyration) for v in np.ravel(a)]
        mine = {s for v in own if is_symbolic(v) for s in v.free_symbols}
        return any(s.name in ("x", "y", "z") and s not in mine for s in density.free_symbols)

    @door
    def with_varying_density(self, density: Any) -> MassProperties:
        """Mass properties with a density f(x, y, z), or an expression in x, y, z; see `with_density`."""
        ...

    def of(self, name: str | Material) -> MassProperties:
        """Mass properties of this shape in a named material, such as "aluminium"."""
        from steiner.materials import material

        return self.with_density(material(name).density)

    @door
    def at(self, pose: Pose | None = None, *, xyz: Vector | None = None, rpy: Vector | None = None) -> Solid:
        """This solid somewhere else: by a pose, or by xyz and fixed-axis roll, pitch, yaw."""
        ...

    @door
    def __add__(self, other: Solid) -> Solid:
        """Both solids as one; they should not overlap (`check` tells)."""
        ...

    @door
    def __sub__(self, other: Solid) -> Solid:
        """This solid with the other, which lies inside it (`check` tells), cut out."""
        ...

    @door
    def hollow(self, wall: Any) -> Solid:
        """This solid with a wall of constant thickness [m] and nothing inside.

        What is cut out costs digits: 13 are left for a wall of a thousandth of the size, 10 for a millionth.
        """
        ...

    @property
    def dimensions(self) -> dict[str, Any]:
        """The single numbers that define the shape, by name: what can be changed, or be an input of a kernel."""
        return {name: value for name, value in self.parameters.items() if is_any_number(value)}

    def resized(self, **changes: Any) -> Solid:
        """The same shape with other dimensions."""
        return replace(self, **changes)  # type: ignore[type-var]

    # ---- where its surface is --------------------------------------------------------------------

    def _inward(self, points: np.ndarray) -> np.ndarray:
        """Coordinates with the axis of the shape along z."""
        order = AXES[self.axis]
        return points if self.axis == "z" else points[:, [order.index(k) for k in range(3)]]

    def _outward(self, points: np.ndarray) -> np.ndarray:
        return points if self.axis == "z" else points[:, list(AXES[self.axis])]

    def support(self, directions: Any) -> np.ndarray:
        """For each direction (k, 3), the point of the solid that lies furthest along it."""
        given = _rows("directions", directions)
        with _numbers_needed(self):
            return self._outward(self._support(self._inward(given)))

    def depth(self, points: Any) -> np.ndarray:
        """How deep points (k, 3) lie: > 0 inside, 0 on the surface, < 0 outside [m].

        The sign is exact; the size is a length that vanishes at the surface, and never more than
        the distance to it inside.
        """
        given = _rows("points", points)
        with _numbers_needed(self):
            return self._depth(self._inward(given))

    @property
    def bounds(self) -> np.ndarray:
        """Corners (2, 3) of the axis-aligned box around the solid [m]."""
        axes = np.vstack([-np.eye(3), np.eye(3)])
        reach = (self.support(axes) * axes).sum(axis=1)
        return np.array([-reach[:3], reach[3:]])

    def mesh(self, resolution: int = 32) -> Triangles:
        """Closed surface as (vertices, faces), outward normals, `resolution` segments per turn."""
        resolution = whole_number("resolution", resolution, -FINEST_MESH, FINEST_MESH)
        if resolution < 3:
            raise GeometryError(f"a mesh needs a resolution of at least 3 segments per turn, got {resolution}")
        with _numbers_needed(self):
            return self._mesh(resolution)

    def _mesh(self, resolution: int) -> Triangles:
        vertices, faces = surface(self.charts, resolution)
        return self._outward(vertices), faces

    @door
    def check(self) -> list[Finding]:
        """Pieces of a joined solid that overlap and cuts that are not inside; nothing is changed."""
        ...

    @door
    def show(self, *, path: Any = None) -> Shown:
        """A page that turns and answers: inline in a notebook, else in the browser; `path` writes it there instead."""
        ...

    @door
    def derivation(self) -> Derivation:
        """The integrals that give volume, centre and tensor, worked step by step."""
        ...
