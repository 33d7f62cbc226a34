"""What lies deeper in a mesh than a wall: every face moved inward, corners where the moved faces meet.

Where three planes meet in a corner that is exact; where more do, their common corner is the one nearest to all of
them, and it is refused if that is not near.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from steiner.errors import GeometryError
from steiner.findings import Finding
from steiner.scalar import brief
from steiner.solids.mesh import Mesh
from steiner.solids.mesh_crossing import crossings
from steiner.solids.mesh_examine import examined, where
from steiner.solids.mesh_topology import normals

SPREAD = 0.02  # of the wall: how far the wall may be off at a corner
FLAT = 1e-4  # squared sine below which faces at a corner are one plane


def inset_mesh(mesh: Mesh, wall: Any) -> Mesh:
    """The mesh whose faces lie deeper by the wall; its finding says how exact the wall is."""
    if mesh.vertices.dtype == object or not isinstance(wall, int | float):
        raise GeometryError("a wall in a mesh needs numbers; substitute values for the symbols")
    shifts, error = _shifts(mesh, float(wall))
    vertices = mesh.vertices + shifts
    worst = int(np.abs(error).argmax())
    if abs(error.flat[worst]) > SPREAD * wall:
        place = where(mesh.vertices, [mesh.faces.flat[worst]])
        raise GeometryError(
            f"the faces that meet{place} cannot all be moved inward by {brief(wall)} m (one would be off by "
            f"{abs(error.flat[worst]) / wall:.0%}); cut a shape of your own out of it: a − b"
        )
    before, after = normals(mesh.vertices, mesh.faces), normals(vertices, mesh.faces)
    turned = np.flatnonzero((before * after).sum(axis=1) <= 0)
    found = examined(vertices, mesh.faces)
    odd = [f.text for f in found.findings if f.code in ("no-volume", "inside-out", "overlapping-bodies")]
    if len(turned) or odd:
        place = where(mesh.vertices, mesh.faces[turned][:1, 0]) if len(turned) else ""
        raise GeometryError(f"the part is too thin for it{place}")
    pairs = crossings(vertices, mesh.faces)
    if pairs is None or len(pairs):
        raise GeometryError("the moved faces pass through each other, or are too many to tell")
    told = Finding("wall", f"the wall is {brief(wall)} m thick to {np.abs(error).max() / wall:.1%}", "note")
    return Mesh.trusted(found, "exact", (told,))


def _shifts(mesh: Mesh, wall: float) -> tuple[np.ndarray, np.ndarray]:
    """How each vertex moves, and by how much each face (n, 3) misses the wall at its corners.

    Least squares over the planes at a vertex, n · d = −wall for each; the shortest such d where they are one plane.
    """
    normal = normals(mesh.vertices, mesh.faces)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    unit = normal / np.where(length == 0, 1, length)
    matrices, sums = np.zeros((len(mesh.vertices), 3, 3)), np.zeros((len(mesh.vertices), 3))
    for k in range(3):
        np.add.at(matrices, mesh.faces[:, k], unit[:, :, None] * unit[:, None, :])
        np.add.at(sums, mesh.faces[:, k], unit)
    shifts = -wall * np.einsum("vij,vj->vi", np.linalg.pinv(matrices, rcond=FLAT, hermitian=True), sums)
    error = np.einsum("fi,fki->fk", unit, shifts[mesh.faces]) + wall
    return shifts, np.where(length == 0, 0, error)
