"""Solids given by nested limits of integration, numbers or symbols, signed (paper §6, C9).

    Limits(("z", -a/2, a/2), ("y", 0, a/2), ("x", 0, a/2))

reads as ∫dz ∫dy ∫dx, outermost first.  A limit is a number, an expression in the outer coordinates, or
a function of them.  Several regions may be given, each a list of three; their integrals add up *signed*:
limits that run backwards count negative, as they do on paper.

Polynomials are integrated exactly, other expressions by SymPy, other functions by quadrature: all ten moments to
`tolerance` of the region's own size, or an error that says where that fails.  Far from the frame's origin (x = 1000 m,
size 1 mm) what is lost is the round-off of the limits themselves, 1e-16 · 1000 m.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, final

import numpy as np

from steiner.doors import door
from steiner.errors import GeometryError, SteinerError, described, need
from steiner.scalar import brief, is_number, is_zero, numbers
from steiner.solids.base import Solid
from steiner.solids.bounds import (
    COORDINATES,
    Bound,
    Place,
    bound_of,
    chart_of,
    is_function,
    numeric_limits,
    written_chart,
)
from steiner.solids.charts import Chart
from steiner.solids.integrals import Integral, Moments, integral_of
from steiner.solids.polynomial import MONOMIALS
from steiner.spatial import Pose, Vector

TOLERANCE = 1e-12


@final
@dataclass(frozen=True, eq=False, init=False)
class Limits(Solid):
    """The region(s) between nested limits of integration; integrals are signed.

    Of limits that are expressions the text shows where they may be narrow.  Limits that are Python functions are known
    by their values only: what is narrower than 1/40000 of a coordinate's range, or a bump apart from all else that is
    narrower than 1/100 of both, may lie between all of them and is not seen.  Split the region there, or write the
    limit as an expression.
    """

    regions: tuple[tuple[Bound, ...], ...]
    tolerance: float
    convex = False
    frame = "the coordinates of the integrals"
    before: ClassVar[tuple[Limits, Pose] | None] = None  # what was turned into these
    tidy: ClassVar[Callable[[Any], Any] | None] = None

    def __init__(self, *bounds: Any, tolerance: float = TOLERANCE) -> None:
        """`tolerance`: to what part of the region's size quadrature must find the moments, if limits are functions."""
        if not bounds:
            raise GeometryError('Limits: expected three limits such as ("z", 0, 1), outermost first')
        (tolerance,) = numbers("Limits: tolerance", tolerance)
        if not is_number(tolerance) or not TOLERANCE <= tolerance < 1:
            raise GeometryError(f"Limits: tolerance is {brief(tolerance)}; expected {TOLERANCE:g} or more, and below 1")
        nested = isinstance(bounds[0], list) or (
            isinstance(bounds[0], tuple) and bounds[0] != () and isinstance(bounds[0][0], tuple | list)
        )
        regions = []
        for region in bounds if nested else [bounds]:
            if not isinstance(region, tuple | list):
                raise GeometryError(f"Limits: expected a list of three limits, got {described(region)}")
            regions.append(tuple(bound_of(b) for b in region))
        for region in regions:
            if sorted(b.coordinate for b in region) != [0, 1, 2]:
                names = ", ".join(COORDINATES[b.coordinate] for b in region)
                raise GeometryError(f"Limits: expected one integral over each of x, y, z, got {names or 'none'}")
        object.__setattr__(self, "regions", tuple(regions))
        object.__setattr__(self, "tolerance", tolerance)

    @classmethod
    def example(cls) -> Self:
        """A corner cut off by a sloping plane."""
        return cls(("z", -0.1, 0.15), ("y", 0, 0.2), ("x", lambda z, y: 0 * y, lambda z, y: 0.3 - y - z / 2))

    # ---- moments -----------------------------------------------------------------------------------

    @cached_property
    def _integrals(self) -> list[Integral]:
        return [integral_of(region, self.tolerance) for region in self.regions]

    @cached_property
    def _moments(self) -> Moments:
        """∫ x^i y^j z^k dV from `_origin`, i + j + k ≤ 2, signed, each when first asked for."""
        return Moments(self._integrals, self._origin, self.tidy)

    @cached_property
    def _origin(self) -> Place:
        """A point in the first region if it is one of numbers, so that far away no digits are lost; else the origin."""
        return self._integrals[0].centre

    def _measure(self) -> Any:
        return self._moments[(0, 0, 0)]

    def _centre(self) -> Any:
        return [start + mean if start else mean for start, mean in zip(self._origin, self._means(), strict=True)]

    def _means(self) -> list[Any]:
        volume = self._volume()
        return [self._moments[powers] / volume for powers in MONOMIALS[1:4]]

    def _volume(self) -> Any:
        volume = self._measure()
        if is_zero(volume):
            raise GeometryError("Limits: the signed volume is 0; nothing lies between these limits")
        return volume

    def _gyration(self) -> Any:
        volume, centre = self._volume(), self._means()
        xx, xy, xz, yy, yz, zz = (self._moments[powers] / volume for powers in MONOMIALS[4:])
        second = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        return [[second[i][j] - centre[i] * centre[j] for j in range(3)] for i in range(3)]

    @door
    def turned(self, pose: Pose | None = None, *, xyz: Vector | None = None, rpy: Vector | None = None) -> Limits:
        """The same region by limits of integration in another frame, as `at` has it: coordinates R r + p.

        A region between planes becomes one or several, piecewise, with limits that are formulas of the outer
        coordinates; an angle may be a symbol, and then the integrals are signed.  `derivation` of what comes out shows
        both ways to the tensor: the old limits with the integrand of eq. 26, and the new ones.
        """
        ...

    def carried(self, limits: Limits, pose: Pose, tidy: Callable[[Any], Any]) -> Limits:
        """These limits with the memory of those that they were before a pose was applied; `tidy` shortens integrals."""
        need("carried", tidy, Callable, "of an expression")  # type: ignore[arg-type]
        twin = copy(self)
        twin.__dict__.pop("_moments", None)
        object.__setattr__(twin, "before", (limits, pose))
        object.__setattr__(twin, "tidy", tidy)
        return twin

    def subs(self, change: Callable[[Any], Any]) -> Limits:
        """The same regions with every limit that is an expression changed."""
        if not callable(change):
            raise GeometryError(f"subs: expected a function of an expression, got {described(change)}")

        def changed(limit: Any) -> Any:
            try:
                return change(limit)
            except SteinerError:
                raise
            except Exception as error:  # whatever a stranger's function raises
                raise GeometryError(f"subs: the function fails on {limit}: {error}") from None

        return Limits(
            *(
                [
                    (
                        b.symbol or COORDINATES[b.coordinate],
                        *(v if is_function(v) else changed(v) for v in (b.low, b.high)),
                    )
                    for b in r
                ]
                for r in self.regions
            ),
            tolerance=self.tolerance,
        )

    # ---- where its surface is ----------------------------------------------------------------------

    def _charts(self) -> list[Chart]:
        return [chart_of(region) for region in self.regions]

    def symbolic_charts(self) -> list[Chart]:
        """The integrals as they were given, limits not yet evaluated (for the derivation)."""
        return [written_chart(region) for region in self.regions]

    def _support(self, directions: np.ndarray) -> np.ndarray:
        vertices = self.mesh(24)[0]
        return vertices[(directions @ vertices.T).argmax(axis=1)]

    def _depth(self, points: np.ndarray) -> np.ndarray:
        deepest = np.full(len(points), -np.inf)
        for region in self.regions:
            for row, p in enumerate(points):
                outer: list[float] = []
                gaps = []
                for b in region:
                    low, high = numeric_limits(b, region, outer)
                    gaps += [p[b.coordinate] - low, high - p[b.coordinate]]
                    outer.append(p[b.coordinate])
                deepest[row] = max(deepest[row], min(gaps))
        return deepest

    def __repr__(self) -> str:
        regions = ["; ".join(f"{COORDINATES[b.coordinate]} from {b.low} to {b.high}" for b in r) for r in self.regions]
        return f"Limits({' and '.join(regions)})"
