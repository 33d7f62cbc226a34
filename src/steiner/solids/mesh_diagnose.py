"""What there is to know about a mesh before its numbers are trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from steiner.errors import need
from steiner.findings import Finding, worst
from steiner.solids.hull import ConvexHull
from steiner.solids.mesh import Mesh
from steiner.solids.mesh_crossing import MOST_PAIRS, crossings
from steiner.solids.mesh_examine import Examined, counted, examined, odd_size, where
from steiner.solids.mesh_report import Diagnosis
from steiner.text.tables import shown

SPARSE = 0.05  # of its hull: less is a frame, a spring, or a mesh with pieces missing
FAR = 1e3  # times its size from the origin
FLAT = 1e-12  # of the squared longest edge: a face with less area is a line


def diagnose(mesh: Mesh, *, self_intersection: bool = False) -> Diagnosis:
    """See `Mesh.diagnose`."""
    if mesh.vertices.dtype == object:
        numbers = {"triangles": str(len(mesh.faces)), "vertices": str(len(mesh.vertices))}
        return Diagnosis(mesh.method, mesh.grade, numbers, mesh.findings)
    found = examined(mesh.vertices, mesh.faces)
    findings = [*mesh.findings]
    known = {f.code for f in findings}
    hull = _hull_volume(mesh)
    now = [*found.findings, *(f for look in LOOKS for f in look(mesh, found, hull))]
    findings += [f for f in now if f.code not in known]
    if need("self_intersection", self_intersection, bool):
        findings += _crossing(mesh)
    size = np.ptp(mesh.vertices, axis=0)
    numbers = {
        "triangles": f"{len(mesh.faces)}",
        "vertices": f"{len(mesh.vertices)}",
        "bodies": f"{sum(s > 0 for s in found.signs)}",
        "cavities": f"{sum(s < 0 for s in found.signs)}",
        "size": " × ".join(shown(float(x)) for x in size) + " m",
        "volume": f"{shown(float(mesh.volume))} m³",
        "volume / hull": f"{mesh.volume / hull:.3f}" if hull else "–",
    }
    doubtful = mesh.grade == "A" and worst(findings) in ("error", "warning")
    return Diagnosis(mesh.method, "B" if doubtful else mesh.grade, numbers, tuple(findings))


def _hull_volume(mesh: Mesh) -> float:
    return float(ConvexHull(mesh.vertices).volume)


def _several_bodies(mesh: Mesh, found: Examined, hull: float) -> Iterator[Finding]:
    bodies = sum(s > 0 for s in found.signs)
    if bodies > 1:
        yield Finding(
            "several-bodies",
            f"{bodies} separate bodies count as one rigid body",
            "note",
            cause="an assembly was exported as one mesh",
            fix="nothing, if they are one part; else one file each",
        )


def _cavities(mesh: Mesh, found: Examined, hull: float) -> Iterator[Finding]:
    cavities = sum(s < 0 for s in found.signs)
    if cavities:
        yield Finding(
            "cavities",
            f"{counted(cavities, 'closed surface')} inside of bodies, empty within: that volume is taken away",
            "note",
            cause="the part has closed hollows",
            fix="remove them if the part is solid there",
        )


def _sparse(mesh: Mesh, found: Examined, hull: float) -> Iterator[Finding]:
    if hull and mesh.volume < SPARSE * hull:
        yield Finding(
            "small-in-its-hull", f"its volume is {100 * mesh.volume / hull:.2g} % of that of its convex hull",
            cause="a thin shell was exported where a solid is meant, or the part is a frame",
            fix="look at it in section; give a thin shell its wall",
        )  # fmt: skip


def _scale(mesh: Mesh, found: Examined, hull: float) -> Iterator[Finding]:
    yield from odd_size(mesh.vertices)


def _far(mesh: Mesh, found: Examined, hull: float) -> Iterator[Finding]:
    size, away = float(np.ptp(mesh.vertices, axis=0).max()), float(np.linalg.norm(mesh.centroid))
    if away > FAR * size:
        yield Finding(
            "far-away",
            f"it lies {shown(away)} m from its origin, {away / size:.0f} times its size: the file's "
            "digits are few there",
            "note",
            cause="it was drawn in another frame",
            fix="export it about its own origin",
        )


def _flat_faces(mesh: Mesh, found: Examined, hull: float) -> Iterator[Finding]:
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    longest = np.maximum.reduce([((p - q) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))])
    flat = np.flatnonzero(area <= FLAT * longest)
    if len(flat):
        yield Finding(
            "flat-faces",
            f"{counted(len(flat), 'face')} without area{where(mesh.vertices, mesh.faces[flat][:, 0])}: nothing is "
            "added to the integrals",
            "note",
            cause="three corners on a line",
            fix="nothing",
        )


LOOKS: tuple[Callable[[Mesh, Examined, float], Iterator[Finding]], ...] = (
    _several_bodies, _cavities, _sparse, _scale, _far, _flat_faces,
)  # fmt: skip


def _crossing(mesh: Mesh) -> list[Finding]:
    pairs = crossings(mesh.vertices, mesh.faces)
    if pairs is None:
        return [
            Finding(
                "not-looked",
                f"more than {MOST_PAIRS} pairs of faces are near each other: intersections were not looked for",
                "note",
            )
        ]
    if not len(pairs):
        return []
    place = where(mesh.vertices, mesh.faces[pairs[:, 0], 0])
    return [
        Finding(
            "self-intersection",
            f"{counted(len(pairs), 'pair')} of faces that pass through each other{place}: what lies inside twice is "
            "counted twice",
            "warning",
            cause="surfaces were joined without trimming",
            fix="take the union",
        )
    ]
