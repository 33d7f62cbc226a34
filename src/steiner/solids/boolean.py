"""Union, difference and intersection of solids that may cross: on their surfaces, finer until the error asked for.

Surfaces of triangles err by the square of their size, so moments of two resolutions are extrapolated (Richardson), and
three resolutions tell how far that can be trusted.  The cutting is done by manifold3d (extra `mesh`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from steiner.errors import GeometryError, described
from steiner.scalar import numbers
from steiner.solids.base import Solid, Triangles
from steiner.solids.mesh_integrals import Indexed, Moments, central_moments
from steiner.solids.mesh_topology import normals
from steiner.solids.triangulated import Triangulated

COARSEST, FINEST = 32, 512  # segments per turn
TOLERANCE = 1e-6
WELD = 1e-12  # of the size: surfaces so near are one to manifold3d
EXACT = 1e-14  # relative change of surfaces that do not get better: they are polyhedra


@final
@dataclass(frozen=True, eq=False, repr=False)
class Boolean(Triangulated):
    """What a boolean of two solids leaves: extrapolated moments with their relative `error`, and the finest surface."""

    operation: str
    vertices: np.ndarray
    faces: np.ndarray
    moments: Moments  # volume, centre, gyration
    error: float
    resolution: int
    surfaces: tuple[tuple[int, Triangles], ...]  # every one on the way, with its segments per turn
    provenance = "boolean"
    frame = "that of the two solids"

    def _mesh(self, resolution: int) -> Triangles:
        return next((cut for k, cut in self.surfaces if k >= resolution), (self.vertices, self.faces))

    @cached_property
    def _moments(self) -> Moments:
        return self.moments

    @cached_property
    def _shown(self) -> str:
        return f"<{self.operation} of two solids: {self.moments[0]:.6g} m³, error {self.error:.1g}>"

    def __repr__(self) -> str:
        return self._shown


def union(a: Solid, b: Solid, *, tolerance: float = TOLERANCE) -> Boolean:
    """Both solids as one body; where they cross, what they share counts once."""
    return _made("union", a, b, tolerance)


def difference(a: Solid, b: Solid, *, tolerance: float = TOLERANCE) -> Boolean:
    """What is left of `a` when `b`, wherever it lies, is taken away (a − b asks that b lies inside, and is exact)."""
    return _made("difference", a, b, tolerance)


def intersection(a: Solid, b: Solid, *, tolerance: float = TOLERANCE) -> Boolean:
    """What two solids share."""
    return _made("intersection", a, b, tolerance)


# ---- surfaces, finer and finer ---------------------------------------------------------------------


def _made(operation: str, a: Any, b: Any, tolerance: Any) -> Boolean:
    for solid in (a, b):
        if not isinstance(solid, Solid):
            raise GeometryError(f"{operation}: expected two solids, got {described(solid)}")
        if solid.dimension != 3:
            raise GeometryError(f"{operation}: a {type(solid).__name__} has no volume")
    (goal,) = numbers("tolerance", tolerance)
    if not 1e-13 <= goal < 1:
        raise GeometryError(f"{operation}: tolerance={described(tolerance)}; expected a relative error such as 1e-6")
    resolution, error = COARSEST, np.inf
    found: list[_Raw] = []
    surfaces: tuple[tuple[int, Triangles], ...] = ()
    extrapolated: list[_Raw] = []
    while True:
        vertices, faces = cut = _cut(operation, a.mesh(resolution), b.mesh(resolution))
        surfaces += ((resolution, cut),)
        if not len(faces):
            raise GeometryError(f"{operation}: nothing is left; do the solids lie where they should?")
        found.append(_raw(vertices, faces, found[0] if found else None))
        if len(found) > 1:
            extrapolated.append(_without_error(found[-2], found[-1]))
            spread = _apart(found[-2], found[-1])
            error = _apart(extrapolated[-2], extrapolated[-1]) if len(extrapolated) > 1 else np.inf
            error = min(error, spread)
            if error <= goal or (spread <= EXACT and len(found) > 1):
                best = found[-1] if spread <= EXACT else extrapolated[-1]
                stated = max(error, EXACT, _welding(vertices, faces, best.sums[0]))
                return Boolean(operation, vertices, faces, best.central(), stated, resolution, surfaces)
        if resolution >= FINEST:
            raise GeometryError(
                f"{operation}: with {resolution} segments per turn the relative error is still {error:.1g}; "
                f"ask for tolerance={10 ** np.ceil(np.log10(error)):.0e}, or compose closed forms with + and −"
            )
        resolution *= 2


@dataclass(frozen=True)
class _Raw:
    """Volume, first and second moments about one point: what may be added and extrapolated."""

    point: np.ndarray
    sums: np.ndarray  # V, ∫r dV, ∫r rᵀ dV
    size: float  # a length, to compare them by

    def central(self) -> tuple[float, np.ndarray, np.ndarray]:
        volume, first, second = self.sums[0], self.sums[1:4], self.sums[4:].reshape(3, 3)
        centre = first / volume
        return float(volume), self.point + centre, second / volume - np.outer(centre, centre)


def _raw(vertices: np.ndarray, faces: np.ndarray, like: _Raw | None) -> _Raw:
    volume, centre, gyration = central_moments(Indexed(vertices, faces))
    point = centre if like is None else like.point
    arm = centre - point
    second = volume * (gyration + np.outer(arm, arm))
    size = float(np.sqrt(np.trace(gyration))) if like is None else like.size
    return _Raw(point, np.concatenate([[volume], volume * arm, second.ravel()]), size)


def _without_error(coarse: _Raw, fine: _Raw) -> _Raw:
    """Richardson's extrapolation of what errs by h²."""
    return _Raw(fine.point, fine.sums + (fine.sums - coarse.sums) / 3, fine.size)


def _apart(a: _Raw, b: _Raw) -> float:
    """The largest difference of two, relative to the body's own volume and size."""
    scale = b.sums[0] * np.concatenate([[1.0], np.full(3, b.size), np.full(9, b.size**2)])
    return float(np.abs((a.sums - b.sums) / scale).max())


def _welding(vertices: np.ndarray, faces: np.ndarray, volume: float) -> float:
    """The part of the volume that may be lost or won where surfaces are so near that they are taken for one."""
    area = float(np.linalg.norm(normals(vertices, faces), axis=1).sum()) / 2
    return WELD * float(np.ptp(vertices, axis=0).max()) * area / volume


def _cut(operation: str, a: Triangles, b: Triangles) -> Triangles:
    try:
        import manifold3d
    except ImportError:
        raise GeometryError(f"{operation} needs manifold3d: pip install 'steiner[mesh]'") from None
    middle = (a[0].mean(axis=0) + b[0].mean(axis=0)) / 2  # far away, digits would be lost
    bodies = []
    for vertices, faces in (a, b):
        mesh = manifold3d.Mesh64(
            vert_properties=np.ascontiguousarray(vertices - middle, float),
            tri_verts=np.ascontiguousarray(faces, np.uint64),
        )
        mesh.merge()
        body = manifold3d.Manifold(mesh)
        if body.status() != manifold3d.Error.NoError:
            raise GeometryError(f"{operation}: the surface of a solid is no closed one ({body.status().name})")
        bodies.append(body)
    done = {"union": bodies[0] + bodies[1], "difference": bodies[0] - bodies[1], "intersection": bodies[0] ^ bodies[1]}
    mesh = done[operation].to_mesh64()
    return np.asarray(mesh.vert_properties)[:, :3] + middle, np.asarray(mesh.tri_verts).astype(np.int64)
