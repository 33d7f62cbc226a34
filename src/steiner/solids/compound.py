"""Solids that are moved, joined and cut: exact moments, formed about the merged centroid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np

from steiner.errors import GeometryError, need
from steiner.inertia import MassProperties
from steiner.inertia.properties import tensor_of
from steiner.scalar import array, brief, is_negative, is_number, is_zero
from steiner.solids.base import Solid, Triangles, place
from steiner.solids.exactness import exact, exact_pose
from steiner.solids.primitives import Box, Cylinder
from steiner.spatial import Pose, Vector

PHYSICAL = 1e-9  # relative to the largest second moment


@final
@dataclass(frozen=True, eq=False)
class Placed(Solid):
    """A solid somewhere else; placing it again multiplies the poses."""

    solid: Solid
    pose: Pose

    @classmethod
    def of_solid(cls, solid: Solid, pose: Pose) -> Placed:
        """The solid at a pose; s.at(A).at(B) is s.at(B @ A)."""
        need("placed", solid, Solid, error=GeometryError)
        need("placed", pose, Pose, error=GeometryError)
        if isinstance(solid, Placed):
            solid, pose = solid.solid, pose @ solid.pose
        return cls(solid, pose)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", self.solid.dimension)
        object.__setattr__(self, "convex", self.solid.convex)
        object.__setattr__(self, "provenance", self.solid.provenance)
        object.__setattr__(self, "roughness", self.solid.roughness)
        object.__setattr__(self, "frame", f"{type(self.solid).__name__} moved by its pose")

    @classmethod
    def example(cls) -> Self:
        """A box, turned and moved."""
        return cls(Box.example(), Pose.from_rpy((0.3, -0.2, 0.1), (0.4, 0.5, -0.6)))

    @property
    def dimensions(self) -> dict[str, Any]:
        """Those of the solid."""
        return self.solid.dimensions

    def resized(self, **changes: Any) -> Placed:
        """The solid with other dimensions, at the same pose."""
        return Placed(self.solid.resized(**changes), self.pose)

    def _measure(self) -> Any:
        return self.solid.measure

    def _centre(self) -> Any:
        centroid, pose = self.solid.centroid, self.pose
        if any(a.dtype == object for a in (centroid, pose.R, pose.p)):
            centroid, pose = exact(centroid), exact_pose(pose)
        return pose.apply(centroid)

    def _gyration(self) -> Any:
        gyration, R = self.solid.gyration, self.pose.R
        if gyration.dtype == object or R.dtype == object:
            gyration, R = exact(gyration), exact(R)
        return R @ gyration @ R.T

    def _support(self, directions: np.ndarray) -> np.ndarray:
        return self.pose.apply(self.solid.support(directions @ self.pose.R))

    def _depth(self, points: np.ndarray) -> np.ndarray:
        return self.solid.depth(self.pose.inverse().apply(points))

    def _mesh(self, resolution: int) -> Triangles:
        """Surface of the solid, carried along."""
        vertices, faces = self.solid.mesh(resolution)
        return self.pose.apply(vertices), faces

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Placed):
            return NotImplemented
        return (
            self.solid == other.solid
            and np.array_equal(self.pose.R, other.pose.R)
            and np.array_equal(self.pose.p, other.pose.p)
        )

    def __hash__(self) -> int:
        return hash((self.solid, tuple(self.pose.p.tolist())))


@final
@dataclass(frozen=True, eq=False, repr=False)
class Compound(Solid):
    """Two solids joined (sign +1), or the second cut out of the first (sign −1)."""

    first: Solid
    second: Solid
    sign: int
    total: Any  # measure
    centre: np.ndarray
    total_second: np.ndarray  # measure × gyration, kept apart so that symbols stay short

    @classmethod
    def of_solids(cls, first: Solid, second: Solid, sign: int) -> Compound:
        """Join or cut; the moments are merged about the common centroid at once."""
        if first.dimension != second.dimension:
            raise GeometryError(
                f"{type(first).__name__} and {type(second).__name__} cannot be joined by volume: one is idealised; "
                "give each its mass and add the MassProperties"
            )
        total, centre, second_moments = merged(first, second, sign)
        if sign < 0:
            _check_cut(first, second, total, second_moments)
        return cls(first, second, sign, total, centre, second_moments)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", self.first.dimension)
        object.__setattr__(self, "convex", False)
        object.__setattr__(self, "roughness", max(self.first.roughness, self.second.roughness))
        kinds = {self.first.provenance, self.second.provenance}
        object.__setattr__(self, "provenance", kinds.pop() if len(kinds) == 1 else "mesh")
        object.__setattr__(self, "frame", "the common frame of its pieces")

    @classmethod
    def example(cls) -> Self:
        """A box with a bore off its centre."""
        return cls.of_solids(Box(0.1, 0.08, 0.05), Cylinder(0.01, 0.05).at(xyz=(0.02, 0.01, 0)), -1)  # type: ignore[return-value]

    def pieces(self) -> list[tuple[int, Solid]]:
        """The solids this one is made of, with +1 for added and −1 for cut, in order."""
        found: list[tuple[int, Solid]] = []
        stack: list[tuple[int, Solid]] = [(1, self)]
        while stack:
            sign, solid = stack.pop()
            if isinstance(solid, Compound):
                stack += [(sign * solid.sign, solid.second), (sign, solid.first)]
            else:
                found.append((sign, solid))
        return found

    @property
    def dimensions(self) -> dict[str, Any]:
        """None: its pieces have them."""
        return {}

    def _measure(self) -> Any:
        return self.total

    def _centre(self) -> Any:
        return self.centre

    def _gyration(self) -> Any:
        return self.total_second / self.total

    def with_density(self, density: Any) -> MassProperties:
        """Mass properties with one density for all pieces [kg/m³], or one function f(x, y, z)."""
        body = super().with_density(density)
        if body.is_numeric or self.varies(density):
            return body
        return MassProperties.trusted(body.mass, body.com, density * tensor_of(self.total_second))

    def _support(self, directions: np.ndarray) -> np.ndarray:
        best = np.zeros_like(directions)
        reach = np.full(len(directions), -np.inf)
        for sign, solid in self.pieces():
            if sign > 0:
                points = solid.support(directions)
                far = (points * directions).sum(axis=1)
                best[far > reach], reach = points[far > reach], np.maximum(far, reach)
        return best

    def _depth(self, points: np.ndarray) -> np.ndarray:
        chain: list[Compound] = []
        first: Solid = self
        while isinstance(first, Compound):  # the left spine, so that long sums cost no recursion
            chain.append(first)
            first = first.first
        deep = first.depth(points)
        for joined in reversed(chain):
            d = joined.second.depth(points)
            deep = np.maximum(deep, d) if joined.sign > 0 else np.minimum(deep, -d)
        return deep

    def _mesh(self, resolution: int) -> Triangles:
        """Surfaces of the pieces, those of cuts turned inward; pieces that touch keep both walls."""
        vertices: list[np.ndarray] = []
        faces: list[np.ndarray] = []
        count = 0
        for sign, solid in self.pieces():
            v, f = solid.mesh(resolution)
            vertices.append(v)
            faces.append((f if sign > 0 else f[:, ::-1]) + count)
            count += len(v)
        return np.vstack(vertices), np.vstack(faces)

    def __repr__(self) -> str:
        return " ".join(f"{'+' if sign > 0 else '−'} {solid!r}" for sign, solid in self.pieces()).removeprefix("+ ")


def placed(
    solid: Solid, pose: Pose | None = None, *, xyz: Vector | None = None, rpy: Vector | None = None
) -> Placed:
    """See `Solid.at`."""
    return Placed.of_solid(solid, place(pose, xyz, rpy))


def joined(solid: Solid, other: Solid) -> Compound:
    """See `Solid.__add__`."""
    return Compound.of_solids(solid, other, 1) if isinstance(other, Solid) else NotImplemented


def cut(solid: Solid, other: Solid) -> Compound:
    """See `Solid.__sub__`."""
    return Compound.of_solids(solid, other, -1) if isinstance(other, Solid) else NotImplemented


def merged(first: Solid, second: Solid, sign: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Measure, centroid and second moments of both; signed measures are allowed (limits run backwards).

    With V = Va ± Vb and d = cb − ca, the second moments about the common centroid are
    Va Ga ± Vb Gb ± (Va Vb / V) d dᵀ: no moment about a far origin is ever formed.
    """
    va, vb = first.measure, sign * second.measure
    total = va + vb
    if is_zero(total):
        raise GeometryError(
            f"nothing is left of {type(first).__name__}: what is cut out has the same volume, {va!r} m³"
        )
    start, end = first.centroid, second.centroid
    if not is_number(total) or object in (start.dtype, end.dtype):
        start, end = exact(start), exact(end)
    gap = end - start
    share = vb / total
    moments = va * first.gyration + vb * second.gyration + va * share * np.outer(gap, gap)
    return total, array(start + gap * share), array(moments)


def _check_cut(first: Solid, second: Solid, total: Any, moments: np.ndarray) -> None:
    names = f"{type(second).__name__} out of {type(first).__name__}"
    if is_negative(total) and not is_negative(first.measure):
        raise GeometryError(
            f"cannot cut {names}: it has {brief(second.measure)} m³ and only {brief(first.measure)} m³ are there; "
            "cut something smaller"
        )
    if is_number(total) and moments.dtype == np.float64:
        least, most = np.linalg.eigvalsh(moments / total)[[0, -1]]
        if least < -PHYSICAL * max(most, -least):
            raise GeometryError(
                f"cannot cut {names}: it does not lie inside (the remainder would have a second moment of "
                f"{least:.3g} m² along an axis); check the pose of what is cut out"
            )
